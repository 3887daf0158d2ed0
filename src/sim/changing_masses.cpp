#include "sim/changing_masses.h"

#include <fmt/format.h>

#include <algorithm>

#include "marey/core/index.h"

namespace marey {

std::unique_ptr<ChangingMasses> ChangingMasses::of(const Scene& scene) {
  const bool any =
      std::ranges::any_of(scene.elements, [](const Element& e) { return e.kind.get_if<MassFlow>() != nullptr; });
  return any ? std::unique_ptr<ChangingMasses>(new ChangingMasses(scene)) : nullptr;
}

ChangingMasses::ChangingMasses(const Scene& scene) : scene_(scene) {
  for (const Element& e : scene_.elements)
    if (const MassFlow* flow = e.kind.get_if<MassFlow>())
      for (const int link : flow->links) links_.push_back(link), masses_.push_back(&flow->mass);
}

bool ChangingMasses::put(double t) {
  bool changed = false;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const double m = masses_[k]->at(t).value;
    if (!(m > 0)) refuse_no_mass(k, t);
    double& mass = scene_.model.params.links[index(links_[k])].I.m;
    changed = changed || m != mass;
    mass = m;
  }
  sound_until_ = std::max(sound_until_, t);
  return changed;
}

// A method may look beyond the instant at which the mass is gone, which is found by halves.
void ChangingMasses::refuse_no_mass(std::size_t k, double t) const {
  const auto mass = [&](double at) { return masses_[k]->at(at).value; };
  double some = t > sound_until_ ? sound_until_ : 0, none = t;
  for (double middle = 0.5 * (some + none); middle > some && middle < none; middle = 0.5 * (some + none))
    (mass(middle) > 0 ? some : none) = middle;
  throw Error(
      ErrorKind::cannot_go_on,
      fmt::format("no further step can be done: from t = {:.9g} s on nothing is left of the mass of '{}' ({:.6g} "
                  "kg at {:.9g} s); expected one that stays above zero, or a shorter duration",
                  none, scene_.model.names[index(links_[k])], mass(t), t));
}

std::string refusal_of_mass_flows(const Model& model, std::span<const Element> elements, const SolverOptions& solver) {
  std::vector<bool> changes(model.links.size());
  for (const Element& e : elements) {
    const MassFlow* flow = e.kind.get_if<MassFlow>();
    if (flow == nullptr) continue;
    const auto with = [&](const char* what, const char* why) {
      return fmt::format("'{}' changes masses, which {} cannot: {}", e.name, what, why);
    };
    if (solver.weld) return with("weld", "it merges links with the masses they have; expected no weld");
    if (solver.integrator == Integrator::midpoint)
      return with("midpoint", "its momenta belong to masses that stay; expected rk4, rk45, adams or bdf");
    for (const int link : flow->links) {
      if (changes[index(link)])
        return fmt::format("the mass of '{}' is given twice, by '{}' and another; expected one",
                           model.names[index(link)], e.name);
      changes[index(link)] = true;
    }
  }
  return {};
}

}  // namespace marey
