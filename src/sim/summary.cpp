// The summary of a run as JSON; keys are only ever added.
#include <fmt/format.h>

#include <cmath>

#include "marey/sim.h"

namespace marey {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + "\"";
}

// JSON has no infinities and no NaN: null says that there is no number.
std::string number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

template <class Items, class Write>
std::string joined(const Items& items, Write write) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + write(item);
  return out;
}

std::string ledger_json(const Ledger& l) {
  return fmt::format(
      "{{\"energy_start_J\": {}, \"energy_end_J\": {}, \"work_in_J\": {{{}}}, \"energy_residual_J\": {}, "
      "\"energy_residual_relative\": {}, \"linear_momentum_residual_relative\": {}, "
      "\"angular_momentum_residual_relative\": {}, \"closed\": {}}}",
      number(l.energy_start), number(l.energy_end),
      joined(l.work_in, [](const auto& w) { return quoted(w.first) + ": " + number(w.second); }),
      number(l.energy_residual), number(l.energy_residual_relative), number(l.linear_momentum_residual_relative),
      number(l.angular_momentum_residual_relative), l.closed);
}

std::string verification_json(const std::optional<Verification>& v) {
  if (!v) return "null";
  return fmt::format("{{\"instants\": {}, \"condition\": {}, \"agree\": {}, \"solvers\": {{{}}}}}", v->instants,
                     number(v->condition), v->agree, joined(v->solvers, [](const Verification::Entry& e) {
                       return fmt::format("{}: {{\"backward\": {}, \"forward\": {}, \"at_s\": {}}}", quoted(e.solver),
                                          number(e.backward), number(e.forward), number(e.at));
                     }));
}

std::string input_json(const Input& i) {
  return fmt::format("{{\"kind\": \"{}\", \"link\": {}, \"step\": {}, \"t_s\": {}, \"values\": [{}]}}", name_of(i.kind),
                     i.link, i.step, number(i.t), joined(i.values, number));
}

}  // namespace

std::string to_json(const RunSummary& s) {
  return fmt::format(
      "{{\"title\": {}, \"simulated_s\": {}, \"steps\": {}, \"evaluations\": {}, \"events\": {}, \"wall_s\": {}, "
      "\"realtime_factor\": {}, \"solver\": {}, \"integrator\": {}, \"interrupted\": {}, \"breakdown\": {}, "
      "\"warnings\": [{}], \"impacts\": {}, \"notes\": [{}], \"ledger\": {}, \"verification\": {}, "
      "\"constraints\": {{\"error\": {}, \"drift_J\": {}}}, "
      "\"welds\": {{\"welded\": {}, \"most\": {}, \"made\": {}, \"woken\": {}}}, \"inputs\": [{}]}}",
      quoted(s.title), number(s.simulated), s.steps, s.evaluations, s.events, number(s.wall), number(s.realtime_factor),
      quoted(s.dynamics), quoted(s.integrator), s.interrupted, s.breakdown.empty() ? "null" : quoted(s.breakdown),
      joined(s.warnings, quoted), s.impacts, joined(s.notes, quoted), ledger_json(s.ledger),
      verification_json(s.verification), number(s.constraint_error), number(s.constraint_drift), s.welded,
      s.most_welded, s.welds_made, s.welds_woken, joined(s.inputs, input_json));
}

}  // namespace marey
