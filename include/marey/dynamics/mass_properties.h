// Mass, centre of mass, principal moments and axes of links, one by one and several as if they were one rigid body (W3, H1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "marey/dynamics.h"

namespace marey {

struct MassProperties {
  double mass = 0;          // kg
  Vec3<double> center;      // p_EoCcm_E, m, with E the frame they are given in; Eo where there is no mass
  PrincipalAxes principal;  // moments about the centre of mass, kg m²; R_BP with E for B
};

// Of one link, in its own frame B.
MassProperties mass_properties(const Inertia<double>& of_link);
// Of several where they are, in W; each with its parallel axis (W 11, 12) and turned axes (W 14):
//   m = Σ mᵢ,  m c = Σ mᵢ cᵢ,  J_c = Σ [R_WBᵢ J_Bᵢcmᵢ R_WBᵢᵀ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ)],  dᵢ = cᵢ − c
MassProperties mass_properties(const Model&, const Kinematics<double>&, std::span<const int> links);

// The links by figure, as scenes name them: what stands before the dot. In the order of the links.
struct LinksOfFigure {
  std::string name;
  std::vector<int> links;
};
std::vector<LinksOfFigure> figures_of(const Model&);

}  // namespace marey
