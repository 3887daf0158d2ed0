// Whether those touch that conditions ask about (Condition::Quantity::touching). It is looked at where a step ends, and stays as it is in
// between: under contact: stepping two touch while the step has pressed them together, or a sensor while it shares a point with another;
// under contact: events a point touches its floor while it does not move freely, and at an instant at which it is struck.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "marey/contact/collision_world.h"
#include "marey/contact/point_contacts.h"
#include "marey/contact/stepped_contacts.h"
#include "marey/plant/part.h"
#include "marey/sim.h"

namespace marey {

class TouchWatch {
 public:
  // Null where nobody asks. The scene is to stay alive.
  static std::unique_ptr<TouchWatch> of(const Scene&);

  // True: something has changed.
  bool look(const SteppedContacts*, const PointContacts*, const Kinematics<double>&);
  const TouchFacts& facts() const { return facts_; }
  void exchange(const Part::Archive&);

 private:
  explicit TouchWatch(const Scene&, std::vector<TouchingNames>);
  void touches(int a, int b);
  void look_at_points(const PointContacts&);
  void look_at_sensors(const Kinematics<double>&);

  const Scene& scene_;
  TouchFacts facts_;
  std::vector<char> before_;
  // [questions][bodies, then contacts on floors]: what each of the two words names
  std::vector<std::vector<char>> first_, second_;
  std::vector<Vec3<double>> struck_;       // [contacts] impulses when it was last looked
  std::optional<CollisionWorld> sensors_;  // where a question names one
};

}  // namespace marey
