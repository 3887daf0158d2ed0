// Ends of joints and motors of limited strength (marey/force.h, JointStop and JointMotor) as rows of the contact problem of a step.
//
// With θ an angle or displacement of a joint, its rate u = J v and the impulse P along it, in the middle of a step over h:
//   stop    φ = θ − from, u = θ̇, and φ = to − θ, u = −θ̇:   P ≥ 0, with the offsets o of a contact's normal             (1)
//   motor   u⁺ + o = 0 as long as |P| ≤ h most                                                                        (2)
//           of an angle: o = −ṡ + g/|g| min(|g|/h, √(a |g|)), g = θ − s, a = most A: what is off in the middle of a step is made good by the middle of the
//           next, or, where it is far, at a rate from which half of its strength can still stop it there (A: what an impulse does to u)
//           of a rate: o = −s at the end of the step
// What strikes a stop goes back with its restitution, unless it comes as slowly as in rest: no faster than twice what the forces of the step bring, as contacts do,
// and motors with the impulses of the step before. So what a motor presses on a stop rests there, and does not flutter.
#pragma once

#include <span>
#include <vector>

#include "marey/constraint.h"
#include "marey/contact/contact_key.h"

namespace marey {

struct BoundedRow {
  ContactKey key;
  std::size_t element = 0;
  bool stop = false;
  double sign = 1;  // of P along θ
  ConstraintRow row;
  double gap = 0;           // φ; of motors g
  double script_rate = 0;   // of motors: ṡ, or s of a rate
  double most = unbounded;  // of P/h
  double restitution = 0;
  int freedom = 0;        // of the coordinates of the figure, to which the first of these belongs:
  Vec3<double> gradient;  // what a unit of P is in the joint
  bool strikes = false;
  double guess = 0;   // P/h of the step before, then of this one
  double before = 0;  // of the step before
  int first = 0;      // its row in the problem
};

class JointBounds {
 public:
  // The elements are to stay alive.
  explicit JointBounds(std::span<const Element>);
  bool empty() const { return which_.empty(); }
  const std::string& name(int element) const { return elements_[static_cast<std::size_t>(element)].name; }
  // Those that may act within a step over h, with the instant in its middle.
  void find(const Instant<double>&, double h, std::vector<BoundedRow>&);

 private:
  void add_stop(std::size_t element, const JointStop&, const Instant<double>&, double h, std::vector<BoundedRow>&);
  void add_motor(std::size_t element, const JointMotor&, const Instant<double>&, double h, std::vector<BoundedRow>&);

  std::span<const Element> elements_;
  std::vector<std::size_t> which_;
  Coupler angle_;  // scratch
};

}  // namespace marey
