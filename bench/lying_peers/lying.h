// What the programs of `marey bench lying` measure, each of its own engine and from its own state and contact forces, and
// the line in which a peer says it. It leans on nothing of Marey.
//
// Of a step of length h, with the impulses P of all contacts on the figure, its mass m and its momentum p before and after:
//   momentum     |Σ P + m g h − Δp| / |m g h|: whether what the contacts say is what happened
//   penetration  the largest overlap of a point, m
//   cone         the largest |P_t| − μ P_n of a point, over m g h; P_n < 0 counts as well
//   into         the fastest velocity after the step of a touching point into the other surface, m/s, beyond what closes its gap
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace lying {

struct Certificate {
  double momentum = 0, penetration = 0, cone = 0, into = 0;
  void add(const Certificate& c) {
    momentum = std::max(momentum, c.momentum), penetration = std::max(penetration, c.penetration);
    cone = std::max(cone, c.cone), into = std::max(into, c.into);
  }
};

// Gathers one step.
class Step {
 public:
  // `length`: of this one, where it is not as long as the others.
  Step(double mass, double gravity, double h, double length)
      : scale_(mass * gravity * h), weight_(mass * gravity * length), h_(length) {}
  // A point with its impulse on the figure: along the normal, which points out of the floor, and across it.
  void point(double gap, double normal, double across, double friction, double velocity_out) {
    worst_.penetration = std::max(worst_.penetration, -gap);
    worst_.cone = std::max(worst_.cone, std::max(across - friction * std::max(normal, 0.0), -normal) / scale_);
    if (normal > 0 || gap <= 0) worst_.into = std::max(worst_.into, -velocity_out - 2 * std::max(gap, 0.0) / h_);
  }
  // Σ P − Δp, without gravity's share, which is along −z.
  Certificate done(const std::array<double, 3>& rest) {
    const double z = rest[2] - weight_;
    worst_.momentum = std::sqrt(rest[0] * rest[0] + rest[1] * rest[1] + z * z) / scale_;
    return worst_;
  }

 private:
  Certificate worst_;
  double scale_, weight_, h_;
};

// The figure falls and strikes, and later lies: from … to, s.
struct Phase {
  const char* name;
  double from, to;
};
inline constexpr std::array<Phase, 2> phases = {{{"falls", 0, 1}, {"lies", 2.5, 3}}};

struct Answer {
  double steps_per_second = 0, points = 0;  // points that touch, on average
  Certificate certificate;
};
inline void print(const Phase& phase, const Answer& a) {
  std::printf("%s %.17g %.17g %.17g %.17g %.17g %.17g\n", phase.name, a.steps_per_second, a.points,
              a.certificate.momentum, a.certificate.penetration, a.certificate.cone, a.certificate.into);
}

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What a peer does. An Engine has double step_length(), void begin() from the start, void step(), and
// Certificate certified_step(double& points), which counts up the points that touch. Times are the shortest of the rounds,
// without what the certificate takes.
template <class Engine>
void measure(Engine& engine, int rounds) {
  const auto steps_until = [&](double t) { return std::lround(t / engine.step_length()); };
  std::array<double, phases.size()> best;
  best.fill(1e300);
  for (int round = 0; round < rounds; ++round) {
    engine.begin();
    long k = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      for (; k < steps_until(phases[p].from); ++k) engine.step();
      const long from = k;
      const double began = thread_seconds();
      for (; k < steps_until(phases[p].to); ++k) engine.step();
      best[p] = std::min(best[p], (thread_seconds() - began) / static_cast<double>(k - from));
    }
  }
  engine.begin();
  long k = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    for (; k < steps_until(phases[p].from); ++k) engine.step();
    const long from = k;
    Answer answer;
    for (; k < steps_until(phases[p].to); ++k) answer.certificate.add(engine.certified_step(answer.points));
    answer.points /= static_cast<double>(k - from), answer.steps_per_second = 1 / best[p];
    print(phases[p], answer);
  }
}

}  // namespace lying
