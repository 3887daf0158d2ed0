#include "marey/dynamics/mass_properties.h"

#include <unordered_map>

#include "marey/core/index.h"

namespace marey {

MassProperties mass_properties(const Inertia<double>& I) {
  return {I.m, I.m > 0 ? (1 / I.m) * I.h : Vec3<double>{}, principal_axes(I)};
}

MassProperties mass_properties(const Model& model, const Kinematics<double>& kinematics, std::span<const int> links) {
  MassProperties out;
  Vec3<double> first_moment;
  for (const int i : links) {
    const Inertia<double>& I = model.params.links[index(i)].I;
    const Transform<double>& X_WB = kinematics.X_WB[index(i)];
    out.mass += I.m;
    first_moment += X_WB.R * I.h + I.m * X_WB.p;
  }
  if (out.mass > 0) out.center = (1 / out.mass) * first_moment;
  // About the centre at once, and not about Wo: far from there the difference would be lost in the rounding.
  Sym3<double> J;
  for (const int i : links) {
    const Transform<double>& X_WB = kinematics.X_WB[index(i)];
    J += (Transform<double>{X_WB.R, X_WB.p - out.center} * model.params.links[index(i)].I).J;
  }
  out.principal = principal_axes(J);
  return out;
}

std::vector<LinksOfFigure> figures_of(const Model& model) {
  std::vector<LinksOfFigure> figures;
  std::unordered_map<std::string, std::size_t> place;
  for (int i = 1; i < model.nlink(); ++i) {
    const std::string& full = model.names[index(i)];
    const std::string name = full.substr(0, full.find('.'));
    const auto [at, fresh] = place.emplace(name, figures.size());
    if (fresh) figures.push_back({name, {}});
    figures[at->second].links.push_back(i);
  }
  return figures;
}

}  // namespace marey
