// Wobbling masses (R9): the soft parts of a link as a body of their own, coupled to the link's rigid part.
//
// The tissue is a link of the model beside the rigid one: free in space, or, where it moves in a plane alone, on the rigid link by a
// planar joint, which carries nothing in the plane. Its origin is its centre of mass; at rest that is at center_B of the rigid link,
// and the axes of both agree. Two elements couple them, (4.3): a spring, which is conservative, and a damper.
#pragma once

#include "marey/force.h"

namespace marey {

// A number along the link, and one across it: in both directions across alike.
struct AlongAcross {
  double along = 0, across = 0;
};

struct TissueSpring {
  int link = 0, tissue = 0;
  Vec3<double> center_B;          // of the link, where the tissue's centre of mass is at rest
  Vec3<double> along_B{0, 0, 1};  // unit; along the link
  AlongAcross stiffness;          // c of c |Δr|^exponent, N/m^exponent
  AlongAcross exponent{3, 3};     // 1 or more
  AlongAcross turning_stiffness;  // a of a |Δφ|^exponent, N m/rad^exponent; along: of turns about the link's length
  AlongAcross turning_exponent{1, 1};
};
struct TissueDamper {
  int link = 0, tissue = 0;
  Vec3<double> along_B{0, 0, 1};
  AlongAcross damping;          // d, N s/m
  AlongAcross turning_damping;  // b, N m s/rad
};
const ElementLaw& law_of(const TissueSpring*);
const ElementLaw& law_of(const TissueDamper*);

// Where the tissue is beside its link, and what the coupling does to it; all in the axes of the link.
struct TissueShift {
  Vec3<double> shift;  // Δr of the centres of mass, m
  Vec3<double> turn;   // Δφ: the angle along the axis of the turn, rad; up to π
};
TissueShift shift_of(const TissueSpring&, const Instant<double>&);
// On the tissue, about its centre of mass, in the axes of the link.
Wrench<double> pull_of(const TissueSpring&, const Instant<double>&);
Wrench<double> pull_of(const TissueDamper&, const Instant<double>&);

// Puts tissues that are free in space where they are at rest beside their links, which they move with.
struct TissuePlace {
  int link = 0, tissue = 0;
  Vec3<double> center_B;
};
void put_at_rest(const Model&, std::span<const TissuePlace>, State&);
std::vector<TissuePlace> tissues_of(std::span<const Element>);

}  // namespace marey
