// What every source put in, the largest first. A conservative element appears only for the work of what changes its own
// parameters; the rest of what it does is in the potential energy, which is part of the energies at the start and the
// end.
#include "account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "counted.h"

namespace marey::cli {

namespace {

constexpr std::size_t most_sources = 10;  // lines of the account; the rest is summed up
constexpr std::size_t label_width = 40;

struct Source {
  std::string label;
  double work = 0;  // J
};
struct Sources {
  std::vector<Source> listed;
  int in_potential = 0, idle = 0;
  bool springs_alone = true;  // among those in the potential
};

void amount(const std::string& label, double joules, std::size_t width, const std::string& remark = "") {
  fmt::print("    {:<{}} {:>14.6g} J{}\n", label, width, joules, remark);
}

// ----------------------------------------------------------------------------------------------- names
std::string axis_text(const Vec3<double>& a) {
  if (a.y == 0 && a.z == 0) return a.x > 0 ? "x" : "-x";
  if (a.x == 0 && a.z == 0) return a.y > 0 ? "y" : "-y";
  if (a.x == 0 && a.y == 0) return a.z > 0 ? "z" : "-z";
  return fmt::format("[{:.3g}, {:.3g}, {:.3g}]", a.x, a.y, a.z);
}

std::string angle_text(const NamedAngle& angle) {
  using Kind = NamedAngle::Kind;
  switch (angle.kind) {
    case Kind::coordinate:
      return "";
    case Kind::twist:
      return "twist " + axis_text(angle.axis);
    case Kind::swing:
      return "swing " + axis_text(angle.axis);
    case Kind::euler_x:
      return "euler x";
    case Kind::euler_y:
      return "euler y";
    case Kind::euler_z:
      return "euler z";
  }
  return "";
}

// Adds the link to a name that lacks it, and to a torque function the angle it acts on: one joint may have several.
std::string label_of(const Scene& scene, const Element& element) {
  std::vector<std::string> details;
  const int link = link_of(element);
  const std::string& name = scene.model.names[static_cast<std::size_t>(link)];
  if (link > 0 && element.name.find(name) == std::string::npos) details.push_back(name);
  if (const auto* play = element.kind.get_if<FreePlay>()) {
    const std::string angle = angle_text(play->angle);
    if (!angle.empty()) details.push_back(angle);
  }
  return details.empty() ? element.name : fmt::format("{} ({})", element.name, fmt::join(details, ", "));
}

// ----------------------------------------------------------------------------------------------- sources
bool is_spring(const Element& element) {
  const ElementKind& kind = element.kind;
  return kind.get_if<FreePlay>() != nullptr || kind.get_if<SupportSpring>() != nullptr ||
         kind.get_if<SpringNet>() != nullptr;
}

Sources sources_of(const Scene& scene, const Ledger& ledger) {
  Sources sources;
  for (std::size_t e = 0; e < ledger.work_in.size(); ++e) {
    const auto& [name, work] = ledger.work_in[e];
    const Element* element = e < scene.elements.size() ? &scene.elements[e] : nullptr;  // contacts come after them
    if (work != 0)
      sources.listed.push_back({element != nullptr ? label_of(scene, *element) : name, work});
    else if (element != nullptr && nature_of(*element) == Nature::conservative)
      ++sources.in_potential, sources.springs_alone = sources.springs_alone && is_spring(*element);
    else
      ++sources.idle;
  }
  std::ranges::stable_sort(sources.listed, std::greater{}, [](const Source& s) { return std::abs(s.work); });
  return sources;
}

// The rest becomes one line.
void shorten(std::vector<Source>& listed) {
  if (listed.size() <= most_sources) return;
  const auto rest = listed.begin() + most_sources - 1;
  const double work =
      std::accumulate(rest, listed.end(), 0.0, [](double sum, const Source& s) { return sum + s.work; });
  const std::string label = fmt::format("{} other sources", listed.end() - rest);
  listed.erase(rest, listed.end());
  listed.push_back({label, work});
}

void print_what_is_not_listed(const Sources& sources) {
  if (sources.in_potential > 0 && sources.springs_alone)
    fmt::print("    (not listed: {}, with {} energy in the potential)\n",
               counted(sources.in_potential, "spring or torque function", "springs and torque functions"),
               sources.in_potential == 1 ? "its" : "their");
  else if (sources.in_potential > 0)
    fmt::print("    (not listed: {}, which {} in the energy)\n",
               counted(sources.in_potential, "force with a potential", "forces with potentials"),
               sources.in_potential == 1 ? "is" : "are");
  if (sources.idle > 0)
    fmt::print("    (not listed: {} that did no work)\n", counted(sources.idle, "source", "sources"));
}

}  // namespace

void print_account(const Scene& scene, const Ledger& l) {
  Sources sources = sources_of(scene, l);
  shorten(sources.listed);
  std::size_t width = label_width;
  for (const Source& s : sources.listed) width = std::max(width, s.label.size() + 2);
  fmt::print("  the books\n");
  amount("energy at the start", l.energy_start, width);
  for (const Source& s : sources.listed) amount("+ " + s.label, s.work, width);
  print_what_is_not_listed(sources);
  amount("energy at the end", l.energy_end, width);
  amount("not accounted for", l.energy_residual, width, fmt::format("  ({:.2g} relative)", l.energy_residual_relative));
  fmt::print("    {:<{}} {:>9.2g} linear, {:.2g} angular\n", "momentum not accounted for, relative", width,
             l.linear_momentum_residual_relative, l.angular_momentum_residual_relative);
  if (l.closed)
    fmt::print("    closed: each within {:g}\n", closed_within(scene));
  else
    fmt::print("    NOT CLOSED: more than {:g} is missing; a {} helps when the integrator is to blame\n",
               closed_within(scene),
               has_fixed_step(scene.solver.integrator) ? "shorter --step" : "smaller --tolerance");
}

}  // namespace marey::cli
