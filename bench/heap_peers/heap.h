// What the programs of `marey bench heap` are told and measure, each of its own engine. It leans on nothing of Marey.
//
// Every engine begins from the same settled heap of bodies between planes, which is written as text, and takes so many steps, without sleep:
//   height       of the centres, on average, at the end
//   kinetic      energy at the end, J
//   penetration  the largest overlap of a point in any step, m
//   unsolved     the natural map of points, in all steps: 95 % of them below, and at most
// The natural map is Marey's own measure, computed here alike for all from impulses P and the velocities u after a step, with n the normal:
//   ‖P − Proj_K(P − ρ (u + gap/h n + μ |u_t| n))‖ / (ρ g h),   1/ρ the largest eigenvalue of the point's own response.
// Where bodies overlap or are a ten thousandth of their size apart, nothing is asked of them but not to come closer; engines that push
// them apart by velocities pay for it here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace heap {

using Vec = std::array<double, 3>;

enum Kind { box, sphere, capsule, octahedron };
struct Body {
  int kind = box;
  Vec size;  // half lengths of a box; radius; radius and half length, along z, of a capsule; half axes of an octahedron
  Vec inertia;                 // about the centre, along its axes
  Vec p, v, w;                 // place and velocity of the centre, angular velocity, in the world
  std::array<double, 4> quat;  // w, x, y, z
  double mass = 1;
};
struct Plane {  // with everything behind it
  Vec normal;
  double offset;
};
struct Heap {
  double step = 0, gravity = 0, friction = 0;
  std::vector<Plane> planes;
  std::vector<Body> bodies;
};
struct Answer {
  double steps_per_second = 0, points = 0, height = 0, kinetic = 0, penetration = 0, unsolved_95 = 0, unsolved = 0;
};

// Of an octahedron, outwards and counterclockwise: vertices 0 and 1 are +x and −x, then y and z.
inline constexpr std::array<std::array<int, 3>, 8> octahedron_faces{
    {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
inline std::array<Vec, 6> octahedron_corners(const Vec& half) {
  std::array<Vec, 6> corners{};
  for (std::size_t k = 0; k < 6; ++k) corners[k][k / 2] = k % 2 == 0 ? half[k / 2] : -half[k / 2];
  return corners;
}

// ---- the file
template <class Number>
void each_number(Body& b, const Number& number) {
  for (Vec* v : {&b.size, &b.inertia, &b.p, &b.v, &b.w})
    for (double& x : *v) number(x);
  for (double& x : b.quat) number(x);
  number(b.mass);
}
inline void write(std::FILE* to, const Heap& heap) {
  std::fprintf(to, "%.17g %.17g %.17g %zu %zu\n", heap.step, heap.gravity, heap.friction, heap.planes.size(),
               heap.bodies.size());
  for (const Plane& p : heap.planes)
    std::fprintf(to, "%.17g %.17g %.17g %.17g\n", p.normal[0], p.normal[1], p.normal[2], p.offset);
  for (Body b : heap.bodies) {
    std::fprintf(to, "%d", b.kind);
    each_number(b, [&](double& x) { std::fprintf(to, " %.17g", x); });
    std::fprintf(to, "\n");
  }
}
inline bool read(std::FILE* from, Heap& heap) {
  std::size_t count = 0, planes = 0;
  if (std::fscanf(from, "%lf %lf %lf %zu %zu", &heap.step, &heap.gravity, &heap.friction, &planes, &count) != 5)
    return false;
  bool good = true;
  heap.planes.resize(planes), heap.bodies.resize(count);
  for (Plane& p : heap.planes)
    good = good && std::fscanf(from, "%lf %lf %lf %lf", &p.normal[0], &p.normal[1], &p.normal[2], &p.offset) == 4;
  for (Body& b : heap.bodies) {
    good = good && std::fscanf(from, "%d", &b.kind) == 1;
    each_number(b, [&](double& x) { good = good && std::fscanf(from, "%lf", &x) == 1; });
  }
  return good;
}
inline void print(const Answer& a) {
  std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", a.steps_per_second, a.points, a.height, a.kinetic,
              a.penetration, a.unsolved_95, a.unsolved);
}
inline bool read(std::FILE* from, Answer& a) {
  return std::fscanf(from, "%lf %lf %lf %lf %lf %lf %lf", &a.steps_per_second, &a.points, &a.height, &a.kinetic,
                     &a.penetration, &a.unsolved_95, &a.unsolved) == 7;
}

// ---- the measure
inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec operator*(double s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec& a) { return std::sqrt(dot(a, a)); }

// A body as it moves. What stands still has neither mass nor place.
struct Moving {
  bool fixed = true;
  double mass = 1;
  Vec inertia{1, 1, 1}, p{}, v{}, w{};  // of the centre; after a step
  std::array<double, 4> quat{1, 0, 0, 0};

  Vec turned(const Vec& a, double sign) const {  // by the attitude, or back
    const Vec axis{sign * quat[1], sign * quat[2], sign * quat[3]}, t = 2.0 * cross(axis, a);
    return a + quat[0] * t + cross(axis, t);
  }
  Vec velocity_at(const Vec& point) const { return fixed ? Vec{} : v + cross(w, point - p); }
  // What an impulse at a point does to its velocity.
  Vec response(const Vec& point, const Vec& impulse) const {
    if (fixed) return {};
    const Vec r = point - p;
    Vec turning = turned(cross(r, impulse), -1);
    for (std::size_t k = 0; k < 3; ++k) turning[k] /= inertia[k];
    return (1 / mass) * impulse + cross(turned(turning, 1), r);
  }
};
struct Touch {
  Vec point, normal;  // from b to a
  Vec impulse;        // on a
  double gap = 0;
};

// One step after another; what an engine does with its heap.
class Measure {
 public:
  explicit Measure(const Heap& heap) : heap_(heap) {}

  void point(const Moving& a, const Moving& b, const Touch& t) {
    const Vec n = t.normal;
    Vec x{0.5, 0.6, 0.7};  // the largest eigenvalue: a symmetric matrix, of which a few turns are enough
    double largest = 0;
    for (int turn = 0; turn < 20; ++turn) {
      const Vec y = a.response(t.point, x) + b.response(t.point, x);
      largest = norm(y), x = (1 / std::max(largest, 1e-300)) * y;
    }
    const Vec u = a.velocity_at(t.point) - b.velocity_at(t.point), slip = u - dot(u, n) * n;
    const Vec z = t.impulse -
                  (1 / largest) * (u + ((t.gap > touching ? t.gap / heap_.step : 0) + heap_.friction * norm(slip)) * n);
    const double map = largest * norm(t.impulse - onto_cone(z, n)) / (heap_.gravity * heap_.step);
    maps_.push_back(map);
    penetration_ = std::max(penetration_, -t.gap);
  }
  void end_step() { ++steps_; }

  void finish(Answer& answer, const std::vector<Moving>& bodies) {
    for (const Moving& m : bodies) {
      if (m.fixed) continue;
      const Vec w = m.turned(m.w, -1);
      answer.height += m.p[2] / static_cast<double>(heap_.bodies.size());
      answer.kinetic += 0.5 * m.mass * dot(m.v, m.v);
      for (std::size_t k = 0; k < 3; ++k) answer.kinetic += 0.5 * m.inertia[k] * w[k] * w[k];
    }
    answer.points = static_cast<double>(maps_.size()) / steps_, answer.penetration = penetration_;
    if (maps_.empty()) return;
    std::sort(maps_.begin(), maps_.end());
    answer.unsolved_95 = maps_[maps_.size() * 95 / 100], answer.unsolved = maps_.back();
  }

 private:
  // The point of Coulomb's cone |f_t| ≤ μ f_n that is nearest to z.
  Vec onto_cone(const Vec& z, const Vec& n) const {
    const double mu = heap_.friction, along = dot(z, n);
    const Vec across = z - along * n;
    const double far = norm(across);
    if (far <= mu * along) return z;
    if (mu * far <= -along) return {};
    const double normal = (along + mu * far) / (1 + mu * mu);
    return normal * (n + (mu / far) * across);
  }

  const Heap& heap_;
  static constexpr double touching = 2e-5;  // m
  double penetration_ = 0;
  int steps_ = 0;
  std::vector<double> maps_;
};

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What an engine does with its heap. World: made of a subject; begin_looking(), step(), look(Measure&) and bodies() after it. Points are placed
// as the step has found them, so that bodies() are where they were then, with the velocities that they have now. Of the heap: its step,
// gravity, friction and the number of its bodies.
template <class World, class Subject>
Answer measured(const Subject& subject, const Heap& heap, int rounds, int steps) {
  Answer answer;
  for (int round = 0; round < rounds; ++round) {
    World world(subject);
    const double began = thread_seconds();
    for (int k = 0; k < steps; ++k) world.step();
    answer.steps_per_second = std::max(answer.steps_per_second, steps / (thread_seconds() - began));
  }
  World world(subject);
  Measure measure(heap);
  for (int k = 0; k < steps; ++k) {
    world.begin_looking();
    world.step();
    world.look(measure);
    measure.end_step();
  }
  measure.finish(answer, world.bodies());
  return answer;
}

// heap_ENGINE FILE ROUNDS STEPS.
template <class World>
int main_of(int argc, char** argv) {
  Heap heap;
  std::FILE* file = argc == 4 ? std::fopen(argv[1], "r") : nullptr;
  if (file == nullptr || !read(file, heap)) return 2;
  std::fclose(file);
  print(measured<World>(heap, heap, std::atoi(argv[2]), std::atoi(argv[3])));
  return 0;
}

}  // namespace heap
