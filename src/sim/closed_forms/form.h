// What closed forms ask of a scene, and the channels that several of them have.
#pragma once

#include <functional>
#include <optional>

#include "marey/sim/compare.h"
#include "sim/recorder.h"

namespace marey {

// All that may do something to a link besides gravity, at any time.
struct Company {
  std::vector<const Element*> elements;
  std::vector<const FloorContact*> contacts;
  std::string other;  // in words: a link that hangs on it, a constraint, a source of the caller's; empty: none
};
// Where a link is at the start, and how it moves.
struct LinkStart {
  Mat3<double> R_WB;
  Vec3<double> p_WoBo, w_WB_W, w_WB_B;
  Vec3<double> p_WoBcm, v_WBcm;
};

// A scene as closed forms see it: who acts on which link, and where all links start, found once for all that are compared.
class ComparedScene {
 public:
  explicit ComparedScene(const Scene&);  // to stay alive
  const Model& model;
  const State& start;
  Company company_of(int link) const;
  LinkStart start_of(int link) const;

 private:
  void add_elements();
  void add_holders();

  const Scene& scene_;
  Kinematics<double> kinematics_;                   // at the start
  std::vector<std::vector<std::size_t>> elements_;  // [nlink] which may act on the link
  std::vector<std::size_t> elements_on_any_;        // of which it is not known on whom
  std::vector<std::vector<std::size_t>> contacts_;  // [nlink]
  std::vector<int> first_son_, first_holder_;       // [nlink] 0, −1: none; a link, a constraint
};
// Why the link is not alone, in words; empty: it is.
std::string why_not_alone(const ComparedScene&, int link);
// Why it does not hang on one of these joints, from the world; empty: it does.
std::string why_not_on(const ComparedScene&, int link, std::initializer_list<JointType>);

// As simulated.
Vec3<double> center_of(const Observed&, std::size_t link);

// The axis of a body two of whose moments of inertia agree to 1e-9 of the largest, and those moments; none where they differ.
struct BodyOfRevolution {
  Vec3<double> axis_B;
  double across = 0, along = 0;
};
std::optional<BodyOfRevolution> body_of_revolution(const Sym3<double>& J_B);
std::string describe_moments(const Sym3<double>& J_B);  // "moments of inertia of 1, 2 and 3 kg m^2"

// position, velocity: of the centre of mass; distance: of the simulated one from it.
struct PlaceAndVelocity {
  Vec3<double> r, v;
};
void add_place(std::vector<RecordedChannel>&, const std::string& base, int link,
               std::function<PlaceAndVelocity(double t)>);
// orientation, spin, and the angle by which the simulated link is turned from it.
struct AttitudeAndSpin {
  Quaternion<double> R_WB;
  Vec3<double> w_WB_W;
};
void add_attitude(std::vector<RecordedChannel>&, const std::string& base, int link,
                  std::function<AttitudeAndSpin(double t)>);

}  // namespace marey
