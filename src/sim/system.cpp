// A scene that can be run: what is refused of one that was made in code, where no reader has looked at its numbers.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "marey/core/text.h"
#include "marey/sim/compare.h"
#include "marey/simulation.h"
#include "sim/input_source.h"
#include "sim/simulation_parts.h"

namespace marey {

Scene::Scene() = default;
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

namespace {

std::string expected_positive(const char* what, double found, bool may_be_infinite = false) {
  if (found > 0 && (may_be_infinite || std::isfinite(found))) return {};
  return fmt::format("found {} = {}; expected a number above 0", what, found);
}

// What a state has to have for every link, and a model for every joint.
std::string refusal_of_sizes(const Scene& scene) {
  const Model& model = scene.model;
  if (model.links.empty() || model.params.links.size() != model.links.size())
    return "found a scene without a model; expected one that was frozen (marey::freeze)";
  const auto wrong = [](const char* what, std::size_t found, int expected) {
    return fmt::format(
        "found {} numbers in start.{}; expected the {} of the model (marey::neutral_state gives a start)", found, what,
        expected);
  };
  if (scene.start.q.size() != static_cast<std::size_t>(model.nq)) return wrong("q", scene.start.q.size(), model.nq);
  if (scene.start.v.size() != static_cast<std::size_t>(model.nv)) return wrong("v", scene.start.v.size(), model.nv);
  for (const double x : scene.start.q)
    if (!std::isfinite(x)) return fmt::format("found {} in start.q; expected finite numbers", x);
  for (const double x : scene.start.v)
    if (!std::isfinite(x)) return fmt::format("found {} in start.v; expected finite numbers", x);
  return {};
}

std::string refusal_of_numbers(const Scene& scene) {
  if (const std::string why = refusal_of_sizes(scene); !why.empty()) return why;
  const Vec3<double>& g = scene.model.params.gravity;
  if (!std::isfinite(g.x + g.y + g.z))
    return fmt::format("found a gravity of ({}, {}, {}); expected finite numbers", g.x, g.y, g.z);
  const SolverOptions& o = scene.solver;
  const bool fixed = has_fixed_step(o.integrator);
  std::vector<std::string> found{expected_positive("solver.step", o.step, !fixed)};
  if (!fixed) found.push_back(expected_positive("solver.tolerance", o.tolerance));
  if (!fixed && o.absolute_tolerance)
    found.push_back(expected_positive("solver.absolute_tolerance", *o.absolute_tolerance));
  if (o.stabilisation == Stabilisation::baumgarte)
    found.push_back(expected_positive("solver.stabilisation_time", o.stabilisation_time));
  for (const std::string& why : found)
    if (!why.empty()) return why;
  return {};
}

// Why the scene cannot be run; empty when all is well.
std::string refusal_of(const Scene& scene) {
  const auto named = [](const std::string& name, const std::string& why) { return "'" + name + "': " + why; };
  if (const std::string why = refusal_of_numbers(scene); !why.empty()) return why;
  if (const std::string why = refusal(scene.model, scene.solver); !why.empty()) return why;
  for (const Element& e : scene.elements)
    if (const std::string why = refusal(scene.model, e); !why.empty()) return named(e.name, why);
  if (const std::string why = refusal_of_mass_flows(scene.model, scene.elements, scene.solver); !why.empty())
    return why;
  if (const std::string why = refusal_of_sources(scene); !why.empty()) return why;
  for (const Element& e : scene.elements)
    if (const std::string why = refusal_of_delay(e, scene.solver); !why.empty()) return why;
  for (const auto& source : scene.sources)
    if (const std::string why = refusal_of_delay(source->name(), source->delay(), scene.solver); !why.empty())
      return why;
  for (std::size_t i = 0; i < scene.contacts.size(); ++i)
    if (const std::string why = refusal(scene.model, scene.contacts[i]); !why.empty())
      return named(scene.contacts[i].name.empty() ? fmt::format("contact {}", i + 1) : scene.contacts[i].name, why);
  if (const std::string why = refusal_of_constraints(scene.model, scene.constraints, scene.solver); !why.empty())
    return why;
  if (const std::string why = refusal_of_welding(scene.solver); !why.empty()) return why;
  if (const std::string why = refusal_of_stepping(scene); !why.empty()) return why;
  if (const std::string why = refusal_of_touching(scene); !why.empty()) return why;
  return refusal_of_record(scene);
}

// FNV-1a, of what makes two scenes different systems: names, and numbers of links and solver.
std::uint64_t fingerprint_of(const Scene& scene) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add_bytes = [&](std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211u;
  };
  const auto add = [&](const auto& number) { add_bytes(std::as_bytes(std::span(&number, 1))); };
  const auto add_name = [&](const std::string& name) { add_bytes(std::as_bytes(std::span(name))), add('\0'); };
  const Model& model = scene.model;
  add(model.params.gravity);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const LinkParams<double>& link = model.params.links[i];
    add_name(model.names[i]), add(model.links[i].joint), add(model.links[i].parent);
    add(link.I), add(link.l), add(link.R_PF), add(link.axis);  // numbers alone, without gaps
  }
  for (const Element& e : scene.elements) add_name(e.name), add_name(word_of(e));
  for (const auto& source : scene.sources) add_name(source->name());
  for (const FloorContact& c : scene.contacts) add_name(c.name), add(c.link);
  for (const Constraint& c : scene.constraints) add_name(c.name), add_name(word_of(c));
  const SolverOptions& o = scene.solver;
  for (const std::vector<int>* links : {&scene.record.paths, &scene.record.euler_zyz}) {
    add(links->size());
    for (const int link : *links) add(link);
  }
  if (o.sleep) add(o.sleep->below), add(o.sleep->lasts);
  add(o.dynamics), add(o.integrator), add(o.step), add(o.tolerance), add(o.slow_band), add(o.stabilisation);
  return hash;
}

}  // namespace

void check_that_it_can_run(const Scene& scene) {
  if (const std::string why = refusal_of(scene); !why.empty()) throw Error(ErrorKind::bad_input, why);
}

System::System(Scene scene) : scene_(std::move(scene)) {
  if (scene_.takes_inputs && input_source_of(scene_) == scene_.sources.size())
    scene_.sources.push_back(make_input_source(scene_.model));
  check_that_it_can_run(scene_);
  channels_ = channels_of(scene_);
  std::set<std::string_view> names;
  for (const Channel& c : channels_) {
    row_width_ += c.columns.size();
    if (!names.insert(c.name).second)
      throw Error(ErrorKind::bad_input,
                  fmt::format("found two channels named '{}'; expected states and other names of their own", c.name));
  }
  fingerprint_ = fingerprint_of(scene_);
}

System::Columns System::columns_of(std::string_view channel) const {
  std::size_t first = 0;
  for (const Channel& c : channels_) {
    if (c.name == channel) return {first, c.columns.size()};
    first += c.columns.size();
  }
  std::vector<std::string> names;
  for (const Channel& c : channels_) names.push_back(c.name);
  const std::string near = closest(channel, names);
  throw Error(ErrorKind::bad_input, fmt::format("there is no channel '{}'{}", channel,
                                                near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace marey
