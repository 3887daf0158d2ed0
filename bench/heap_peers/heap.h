// What the programs of `marey bench heap` are told and measure, each of its own engine. It leans on nothing of Marey.
//
// Every engine begins from the same settled heap of boxes between planes, which is written as text, and takes so many steps, without sleep:
//   height       of the centres, on average, at the end
//   kinetic      energy at the end, J
//   penetration  the largest overlap of a point in any step, m
#pragma once

#include <array>
#include <cstdio>
#include <ctime>
#include <vector>

namespace heap {

struct Box {
  std::array<double, 3> half, p, v,
      w;                       // half lengths; place and velocity of the centre, angular velocity, in the world
  std::array<double, 4> quat;  // w, x, y, z
  double mass;
};
struct Plane {  // with everything behind it
  std::array<double, 3> normal;
  double offset;
};
struct Heap {
  double step = 0, gravity = 0, friction = 0;
  std::vector<Plane> planes;
  std::vector<Box> boxes;
};
struct Answer {
  double steps_per_second = 0, points = 0, height = 0, kinetic = 0, penetration = 0;
};
inline constexpr int steps = 250;

inline void write(std::FILE* to, const Heap& heap) {
  std::fprintf(to, "%.17g %.17g %.17g %zu %zu\n", heap.step, heap.gravity, heap.friction, heap.planes.size(),
               heap.boxes.size());
  const auto put = [&](const auto& numbers) {
    for (const double x : numbers) std::fprintf(to, "%.17g ", x);
  };
  for (const Plane& p : heap.planes) {
    put(p.normal);
    std::fprintf(to, "%.17g\n", p.offset);
  }
  for (const Box& b : heap.boxes) {
    put(b.half), put(b.p), put(b.quat), put(b.v), put(b.w);
    std::fprintf(to, "%.17g\n", b.mass);
  }
}
inline bool read(std::FILE* from, Heap& heap) {
  std::size_t count = 0, planes = 0;
  if (std::fscanf(from, "%lf %lf %lf %zu %zu", &heap.step, &heap.gravity, &heap.friction, &planes, &count) != 5)
    return false;
  bool good = true;
  const auto get = [&](auto& numbers) {
    for (double& x : numbers) good = good && std::fscanf(from, "%lf", &x) == 1;
  };
  for (std::size_t i = 0; i < planes && good; ++i) {
    Plane p{};
    get(p.normal);
    good = good && std::fscanf(from, "%lf", &p.offset) == 1;
    heap.planes.push_back(p);
  }
  for (std::size_t i = 0; i < count && good; ++i) {
    Box b{};
    get(b.half), get(b.p), get(b.quat), get(b.v), get(b.w);
    good = good && std::fscanf(from, "%lf", &b.mass) == 1;
    heap.boxes.push_back(b);
  }
  return good;
}
inline void print(const Answer& a) {
  std::printf("%.17g %.17g %.17g %.17g %.17g\n", a.steps_per_second, a.points, a.height, a.kinetic, a.penetration);
}
inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace heap
