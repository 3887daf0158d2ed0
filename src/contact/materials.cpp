#include "marey/contact/materials.h"

#include <algorithm>
#include <cmath>

namespace marey {

std::string refusal(const SurfaceLaw& law) {
  const auto finite = [](double x) { return std::isfinite(x) && x >= 0; };
  if (!finite(law.friction_kinetic) || !finite(law.friction_static) || law.friction_static < law.friction_kinetic)
    return "friction is not negative, and not smaller at rest than in motion";
  if (law.friction_static > most_friction) return "friction is at most 100";
  if (!(law.restitution >= 0 && law.restitution <= 1)) return "restitution lies between 0 and 1";
  if (!finite(law.rolling) || !finite(law.torsion)) return "rolling and torsional friction are lengths, not negative";
  if (!finite(law.compliance) || !finite(law.damping)) return "compliance and damping are not negative";
  return {};
}

SurfaceLaw mixed(const SurfaceLaw& a, const SurfaceLaw& b) {
  return {std::sqrt(a.friction_static * b.friction_static),
          std::sqrt(a.friction_kinetic * b.friction_kinetic),
          std::max(a.restitution, b.restitution),
          std::max(a.rolling, b.rolling),
          std::max(a.torsion, b.torsion),
          a.compliance + b.compliance,
          std::max(a.damping, b.damping)};
}

SurfaceLaws::SurfaceLaws(const MaterialRule& rule, std::size_t bodies)
    : count_(std::max<std::size_t>(1, rule.materials.size())), of_body_(bodies), laws_(count_ * count_) {
  for (std::size_t i = 0; i < rule.of_body.size() && i < bodies; ++i)
    of_body_[i] = static_cast<std::size_t>(rule.of_body[i]);
  if (rule.materials.empty()) return;
  for (std::size_t a = 0; a < count_; ++a)
    for (std::size_t b = 0; b < count_; ++b)
      laws_[a * count_ + b] = mixed(rule.materials[a].law, rule.materials[b].law);
  for (const MaterialRule::Pair& p : rule.pairs) {
    const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
    laws_[a * count_ + b] = laws_[b * count_ + a] = p.law;
  }
}

}  // namespace marey
