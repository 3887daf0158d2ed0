#include "run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "json.h"
#include "scenes.h"

namespace marey::cli {

namespace {

constexpr std::size_t most_sources = 10;  // lines of the ledger; what is left is summed up

std::string size_of(const std::string& file) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(file, error));
  if (error) return "";
  return bytes < 1e6 ? fmt::format(", {:.0f} kB", bytes / 1e3) : fmt::format(", {:.1f} MB", bytes / 1e6);
}

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.6g} s", seconds);
}

void line(const char* label, const std::string& text) { fmt::print("  {:<12}{}\n", label, text); }
void amount(const std::string& label, double joules, const std::string& remark = "") {
  fmt::print("    {:<40} {:>14.6g} J{}\n", label, joules, remark);
}

void print_course(const Scene& scene, const RunSummary& s) {
  fmt::print("{}\n", s.title.empty() ? scene.file : s.title);
  std::string speed = fmt::format("{:.6g} s", s.simulated);
  if (s.steps_this_time < s.steps) speed += fmt::format(" ({:.6g} s of them now)", s.realtime_factor * s.wall);
  line("simulated", fmt::format("{}, in {}: {:.4g} × real time", speed, time_text(s.wall), s.realtime_factor));
  const std::string length =
      has_fixed_step(scene.solver.integrator)
          ? time_text(scene.solver.step)
          : fmt::format("{} on average, for a tolerance of {:g}",
                        time_text(s.simulated / static_cast<double>(std::max(1LL, s.steps))), scene.solver.tolerance);
  const std::string events = s.events > 0 ? fmt::format(", {} event{}", s.events, s.events == 1 ? "" : "s") : "";
  line("steps", fmt::format("{} of {}, {} evaluations{}", s.steps, length, s.evaluations, events));
  std::string method = fmt::format("{}, {}", s.dynamics, s.integrator);
  if (scene.solver.slow_band > 1)
    method +=
        fmt::format(", slow band every {} steps{}", scene.solver.slow_band, scene.solver.spread ? ", spread" : "");
  line("method", method);
  for (const std::string& warning : s.warnings) line("warning", warning);
}

// Sources by the size of their work, the largest first.
void print_work(const Ledger& ledger) {
  auto work = ledger.work_in;
  std::ranges::stable_sort(work, [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  const std::size_t shown = work.size() <= most_sources ? work.size() : most_sources - 1;
  for (std::size_t i = 0; i < shown; ++i) amount("+ " + work[i].first, work[i].second);
  if (shown == work.size()) return;
  const double rest = std::accumulate(work.begin() + static_cast<std::ptrdiff_t>(shown), work.end(), 0.0,
                                      [](double sum, const auto& w) { return sum + w.second; });
  amount(fmt::format("+ {} other sources", work.size() - shown), rest);
}

void print_ledger(const Ledger& l, double closed_within) {
  fmt::print("  the books\n");
  amount("energy at the start", l.energy_start);
  print_work(l);
  amount("energy at the end", l.energy_end);
  amount("not accounted for", l.energy_residual, fmt::format("  ({:.2g} relative)", l.energy_residual_relative));
  fmt::print("    {:<40} {:>9.2g} linear, {:.2g} angular\n", "momentum not accounted for, relative",
             l.linear_momentum_residual_relative, l.angular_momentum_residual_relative);
  if (l.closed)
    fmt::print("    closed: each within {:g}\n", closed_within);
  else
    fmt::print("    NOT CLOSED: more than {:g} is missing; a shorter --step helps when the integrator is to blame\n",
               closed_within);
}

void print_saved(const Saved& saved) {
  const MotionInfo info = read_motion_info(saved.file);
  line("saved", fmt::format("{} ({} frames of {} channels{})", saved.file, info.frames, info.channels.size(),
                            size_of(saved.file)));
  if (saved.displaced)
    line("", saved.displaced->empty() ? "an older motion of that name was replaced"
                                      : fmt::format("the older motion is now {}", *saved.displaced));
}

void print_next(const RunSummary& s, const Saved& saved) {
  const std::string marey = program_name();
  if (s.interrupted) {
    line("interrupted", fmt::format("{} run --resume {}", marey, saved.file));
    return;
  }
  line("look at it", fmt::format("{} render {} --strobe", marey, saved.file));
  line("", fmt::format("{} plot {} energy", marey, saved.file));
}

}  // namespace

void print_summary(const Scene& scene, const RunSummary& summary, const Saved& saved) {
  print_course(scene, summary);
  if (summary.breakdown.empty()) print_ledger(summary.ledger, closed_within(scene));  // else its numbers are none
  print_saved(saved);
  print_next(summary, saved);
}

void print_summary_json(const RunSummary& summary, const Saved& saved) {
  std::string json = to_json(summary);
  json.pop_back();  // the brace; keys are added after the run's own
  fmt::print("{}, \"motion\": {}}}\n", json, json_text(saved.file));
}

}  // namespace marey::cli
