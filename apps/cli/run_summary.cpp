#include "run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "account.h"
#include "counted.h"
#include "json.h"
#include "scenes.h"

namespace marey::cli {

namespace {

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

// How exact contacts were: the contact problem's residual, over the velocities in it.
void print_certificate(const Scene& scene, const ContactCertificate& c) {
  const bool senses =
      scene.collide && std::ranges::any_of(scene.collide->bodies, [](const CollideRule::Body& b) { return b.sensor; });
  if (c.steps == 0)
    return line("contacts", senses ? "nothing that pushes came near anything; sensors feel, and do not push"
                                   : "nothing came near anything");
  const std::string what = c.points > 0 ? counted(c.points, "point", "points")
                                        : counted(c.bounds, "end or motor of joints", "ends and motors of joints");
  line("contacts",
       fmt::format("up to {}; unsolved at most {:.1e}{}, 95 % of the steps below {:.1e}", what, c.natural_map,
                   c.pair.empty() ? "" : fmt::format(" ({}, at {:.4g} s)", c.pair, c.at), c.natural_map_95));
  line("", fmt::format("penetration at most {:.1e} of a size, momentum off by {:.1e}; put apart in {}", c.penetration,
                       c.momentum, counted(c.corrected, "step", "steps")));
  if (c.asleep_at_most > 0)
    line("", fmt::format("{} asleep at the end, {} at most", counted(c.asleep, "body", "bodies"), c.asleep_at_most));
  if (c.swept > 0)
    line("", fmt::format("by sweeps in {}", counted(c.swept, "step", "steps")));
  else if (c.not_converged > 0)
    line("warning",
         fmt::format("in {} contacts are solved to no more than 1e-8", counted(c.not_converged, "step", "steps")));
}

void print_course(const Scene& scene, const RunSummary& s) {
  fmt::print("{}\n", s.title.empty() ? scene.file : s.title);
  std::string speed = fmt::format("{:.6g} s", s.simulated);
  if (s.steps_this_time < s.steps) speed += fmt::format(" ({:.6g} s of them now)", s.realtime_factor * s.wall);
  line("simulated", fmt::format("{}, in {}: {:.4g} × real time", speed, time_text(s.wall), s.realtime_factor));
  if (scene.kinematic) {
    line("method", "by scripts alone, without dynamics: exact at every frame, no forces");
    for (const std::string& note : s.notes) line("note", note);
    for (const std::string& warning : s.warnings) line("warning", warning);
    return;
  }
  const std::string length =
      has_fixed_step(scene.solver.integrator)
          ? time_text(scene.solver.step)
          : fmt::format("{} on average, for a tolerance of {:g}",
                        time_text(s.simulated / static_cast<double>(std::max(1LL, s.steps))), scene.solver.tolerance);
  line("steps", fmt::format("{} of {}, {}{}", s.steps, length, counted(s.evaluations, "evaluation", "evaluations"),
                            s.events > 0 ? ", " + counted(s.events, "event", "events") : ""));
  std::string method = fmt::format("{}, {}", s.dynamics, s.integrator);
  if (scene.solver.slow_band > 1)
    method +=
        fmt::format(", slow band every {} steps{}", scene.solver.slow_band, scene.solver.spread ? ", spread" : "");
  if (scene.solver.reuse > 0) method += fmt::format(", factors reused until a change of {:g}", scene.solver.reuse);
  line("method", method);
  if (scene.solver.weld)
    line("welds", fmt::format("{} at the end, at most {} at a time; {} made, {} broken by force",
                              counted(s.welded, "joint", "joints"), s.most_welded, s.welds_made, s.welds_woken));
  if (!scene.constraints.empty())
    line("constraints",
         fmt::format("off by at most {:.2g} after a step; putting them right changed the energy by {:.2g} J",
                     s.constraint_error, s.constraint_drift));
  if (s.certificate) print_certificate(scene, *s.certificate);
  for (const std::string& note : s.notes) line("note", note);
  for (const std::string& warning : s.warnings) line("warning", warning);
}

void print_saved(const MotionInfo& info, const Saved& saved) {
  line("saved", fmt::format("{} ({} of {}{})", saved.file, counted(info.frames, "frame", "frames"),
                            counted(info.channels.size(), "channel", "channels"), size_of(saved.file)));
  if (saved.displaced)
    line("", saved.displaced->empty() ? "an older motion of that name was replaced"
                                      : fmt::format("the older motion is now {}", *saved.displaced));
}

// Whether the origin of a link can move: by its own joint, or by one that carries it.
bool can_move(const Model& model, std::size_t link) {
  const LinkTopology& l = model.links[link];
  if (l.joint != JointType::weld && l.joint != JointType::hinge && l.joint != JointType::ball &&
      l.joint != JointType::universal)
    return true;
  for (int up = l.parent; up != 0; up = model.links[static_cast<std::size_t>(up)].parent)
    if (model.links[static_cast<std::size_t>(up)].joint != JointType::weld) return true;
  return false;
}

// Something worth plotting: the position of the last link, which is most often an end of a figure; if no link can move
// from its place, the angle of a joint.
std::string quantity_to_show(const Scene& scene) {
  const Model& model = scene.model;
  const std::string column = model.params.gravity.z != 0 ? "position.z" : "position";
  for (std::size_t i = model.links.size() - 1; i > 0; --i)
    if (can_move(model, i)) return fmt::format("link/{}/{}", model.names[i], column);
  for (std::size_t i = model.links.size() - 1; i > 0; --i)
    if (model.links[i].joint != JointType::weld)
      return fmt::format("joint/{}/{}", model.names[i], is_general(model.links[i].joint) ? "velocity" : "angle");
  return "energy";
}

// Whether a picture can be drawn of it: a scene may have chosen to record less.
bool holds_poses(const MotionInfo& info, const Model& model) {
  const ChannelFinder finder(info);
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const bool is_particle = model.links[i].joint == JointType::point && model.links[i].parent == 0;
    const std::string link = "link/" + model.names[i];
    if (!finder.has(link + "/position") || !(is_particle || finder.has(link + "/orientation"))) return false;
  }
  return true;
}

void print_next(const Scene& scene, const MotionInfo& info, const RunSummary& s, const Saved& saved) {
  const std::string marey = program_name();
  if (s.interrupted) {
    line("interrupted", fmt::format("{} run --resume {}", marey, saved.file));
    return;
  }
  const char* label = "look at it";
  if (holds_poses(info, scene.model))
    line(std::exchange(label, ""), fmt::format("{} render {} --strobe", marey, saved.file));
  const std::string quantity =
      scene.record.channels.empty() ? quantity_to_show(scene) : column_name(info.channels.back(), 0);
  line(label, fmt::format("{} plot {} {}", marey, saved.file, quantity));
}

void print_verification(const Verification& v) {
  fmt::print("  solvers     {} instants, condition of the mass matrix at most {:.2g}\n", v.instants, v.condition);
  for (const Verification::Entry& e : v.solvers)
    fmt::print("    {:<12} backward error {:>7.1e} (bound 1e-12), off by {:>6.2g} κ ε (bound 10) at t = {:.4g} s\n",
               e.solver, e.backward, e.forward, e.at);
  fmt::print("    {}\n", v.agree ? "they agree" : "THEY DO NOT AGREE");
}

}  // namespace

void print_summary(const Scene& scene, const RunSummary& summary, const Saved& saved) {
  print_course(scene, summary);
  if (summary.breakdown.empty() && !scene.kinematic)
    print_account(scene, summary.ledger);  // else its numbers mean nothing
  if (summary.verification) print_verification(*summary.verification);
  const MotionInfo info = read_motion_info(saved.file);
  print_saved(info, saved);
  print_next(scene, info, summary, saved);
}

void print_summary_json(const RunSummary& summary, const Saved& saved) {
  Json json = Json::parse(to_json(summary));
  json["motion"] = saved.file;
  fmt::print("{}\n", text_of(json));
}

}  // namespace marey::cli
