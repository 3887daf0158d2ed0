// What benchmarks of heaps share: Marey's steps from a saved state with the measure of heap_peers/heap.h, a peer's, and the rows of both.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heap_peers/heap.h"
#include "marey/core/index.h"
#include "marey/simulation.h"
#include "report.h"
#include "sim/simulation_parts.h"

namespace marey::bench {

inline heap::Vec vec_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

// `now`: all links, the first one the world, where they are after the step. Points are those of the middle of the step, in which bodies were
// half a step behind.
inline void look(Simulation& s, double h, std::vector<heap::Moving> now, heap::Measure& measure) {
  using heap::operator-, heap::operator*;
  for (heap::Moving& m : now) m.p = m.p - (0.5 * h) * m.v;
  for (const TouchingPoint& p : s.parts().world.stepped()->points())
    measure.point(now[index(p.link_b)], now[index(p.link_a)],
                  {vec_of(p.p_WoC_W), vec_of(p.axes_W[0]), h * vec_of(p.force_W), p.gap});
  measure.end_step();
}

// Of the length that was asked for: some are taken in shorter parts.
inline double seconds_a_step(Simulation& s, const SavedState& start, double h, int rounds, int steps) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    s.restore(start);
    const double from = s.time(), began = cpu_seconds();
    for (int k = 0; k < steps; ++k) s.step();
    best = std::min(best, (cpu_seconds() - began) * h / (s.time() - from));
  }
  return best;
}

// moving(s): all links, the first one the world, where they are.
template <class Moving>
heap::Answer answer_of_marey(Simulation& s, const SavedState& start, const heap::Heap& heap, int rounds, int steps,
                             const Moving& moving) {
  heap::Answer a;
  a.steps_per_second = 1 / seconds_a_step(s, start, heap.step, rounds, steps);
  s.restore(start);
  heap::Measure measure(heap);
  for (int k = 0; k < steps; ++k) {
    s.step();
    look(s, heap.step, moving(s), measure);
  }
  measure.finish(a, moving(s));
  return a;
}

// PROGRAM FILE ROUNDS STEPS, with what write(file) puts into the file. Nothing: it is not there, or failed.
template <class Write>
std::optional<heap::Answer> answer_of_peer(const std::string& name, int rounds, int steps, const Write& write) {
  const std::filesystem::path program = std::filesystem::path(MAREY_BIN_DIR) / name;
  if (!std::filesystem::exists(program)) return {};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("marey-{}-{}.txt", name, ::getpid());
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return {};
  write(file);
  std::fclose(file);
  std::FILE* pipe =
      ::popen(fmt::format("timeout 300 '{}' '{}' {} {}", program.string(), path.string(), rounds, steps).c_str(), "r");
  heap::Answer a;
  const bool found = pipe != nullptr && heap::read(pipe, a);
  if (pipe != nullptr) ::pclose(pipe);
  std::filesystem::remove(path);
  return found ? std::optional(a) : std::nullopt;
}

inline void rows(Report& report, const std::string& which, const std::string& engine, const heap::Answer& a) {
  report.row(which, engine, "steps in a second", a.steps_per_second, "");
  report.row(which, engine, "points that touch, on average", a.points, "");
  report.row(which, engine, "height of the centres at the end", a.height, "m");
  report.row(which, engine, "kinetic energy at the end", a.kinetic, "J");
  report.row(which, engine, "penetration, largest", a.penetration, "m");
  report.row(which, engine, "unsolved, 95 % of the points below", a.unsolved_95, "");
  report.row(which, engine, "unsolved at most", a.unsolved, "");
}

// The peer's rows, and how much faster Marey is; or that there are none.
inline void rows_of_peer(Report& report, const std::string& which, const std::string& peer, const heap::Answer& ours,
                         const std::optional<heap::Answer>& theirs) {
  if (!theirs) return report.title(fmt::format("  {} is left out: it is not installed, or failed", peer));
  rows(report, which, peer, *theirs);
  report.row(which, fmt::format("Marey over {}", peer), "steps in a second",
             ours.steps_per_second / theirs->steps_per_second, "x");
}

}  // namespace marey::bench
