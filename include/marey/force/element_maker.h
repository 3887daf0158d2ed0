// Elements from what a scene says: links by name, angles, conditions, names for the ledger. Which keys a kind has and
// what it makes of them is defined in the kind's own file (src/force/kinds), as an ElementForm.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "marey/dynamics.h"
#include "marey/force.h"
#include "marey/force/link_names.h"
#include "marey/spec/values.h"

namespace marey {

class ElementMaker {
 public:
  ElementMaker(const Model&, const State& start);

  const Model& model() const { return model_; }
  const Instant<double>& start() const { return start_; }
  const LinkNames& links() const { return links_; }
  JointType joint_of(int link) const { return model_.links[static_cast<std::size_t>(link)].joint; }
  const std::string& name_of_link(int link) const { return model_.names[static_cast<std::size_t>(link)]; }
  const Transform<double>& X_WB(int link) const { return kinematics_.X_WB[static_cast<std::size_t>(link)]; }
  Vec3<double> place(const Anchor& a) const { return X_WB(a.link) * a.point; }  // at the start, in W

  // ---- angles and coordinates
  // The joints that `joint` refers to, for what `angle` and `coordinate` (either may be null) name.
  std::vector<int> joints_with(const Value* angle, const Value* coordinate, const Value& joint) const;
  NamedAngle named_angle_of(const Value* node, const Value* coordinate, int link, const Place& at) const;
  // Whether the coordinates in question are displacements; refuses a mixture.
  bool all_lengths(const std::vector<int>& joints, const Value* coordinate, const Value& at) const;
  Condition condition_of(const Value&) const;  // what a `when` says

  // ---- making
  // Named as given, or link/what. If one entry makes several, each has its link in its name.
  void add(const Value* given_name, bool several, int link, const char* what, ElementKind);
  // Named `name`; if the scene has not given it and it is taken, a number is appended. Refuses what is not finite where
  // the links start.
  void add_checked(const std::string& name, bool given, ElementKind, const Place&);
  // Whether this degree of freedom (counted over the whole model) has no friction yet; from now on it has.
  bool may_rub(int freedom) { return rubbed_.insert(freedom).second; }
  // Likewise, whether nothing says yet how the mass of this link changes.
  bool may_change_mass(int link) { return changed_.insert(link).second; }

  std::span<const Element> made() const { return elements_; }
  std::vector<Element> take() { return std::move(elements_); }

 private:
  bool only_sliders(const Value& pattern) const;
  bool has_coordinates(int link) const { return is_general(joint_of(link)) && !has_attitude(joint_of(link)); }
  bool is_length(int link, int freedom) const {
    return freedoms_of(model_, link)[static_cast<std::size_t>(freedom)].is_length;
  }

  const Model& model_;
  Kinematics<double> kinematics_;  // at the start
  Instant<double> start_;
  LinkNames links_;
  std::unordered_set<std::string> names_;
  std::unordered_set<int> rubbed_;   // degrees of freedom that have their friction
  std::unordered_set<int> changed_;  // links whose masses change
  std::vector<Element> elements_;
};

// {twist: x}, {swing: x} or {euler: x}.
NamedAngle read_named_angle(const Value&);
const KeyTable& angle_keys();
const KeyTable& condition_keys();
// One name, or two.
TouchingNames read_touching(const Value&);

// ---- forms
// How a scene writes a force or torque: its key in the list, the keys below it, and what is made of them.
struct ElementForm {
  const char* summary;  // what the schema says about the key
  KeyTable keys;        // named by the key
  void (*make)(MapReader&, ElementMaker&);
  // What may follow the key, for the reference and for tests: for a figure `figure` with the links trunk (free), arm
  // (on it by a ball joint), hand (on that by a hinge) and tray (on the trunk by a slider).
  std::vector<const char*> examples;
  // Keys of quantities that stay as they are while it acts: those that are not among its numbers (src/force/descriptor.h). Times
  // always do.
  std::vector<const char*> fixed{};
};

// `forces:` and `torques:`.
struct ElementForms {
  const char* what;  // "force"
  KeyTable table;    // for an entry of the list: one of the keys
  std::vector<const ElementForm*> all;

  void make(const Value& entry, ElementMaker&) const;
};
const ElementForms& force_forms();
const ElementForms& torque_forms();

// ---- what is said elsewhere in a scene
// A joint's friction; in one degree of freedom, or in all (−1).
void make_joint_friction(ElementMaker&, const Value* given_name, bool several, int link, const Value& coefficient,
                         int freedom = -1);
// A link's `support`. `figure_weight`: the weight of the figure it belongs to, N.
void make_support(const Value&, int link, double figure_weight, ElementMaker&);
const KeyTable& support_keys();
// The scene's `frame`.
void make_frame(const Value&, ElementMaker&);
const KeyTable& frame_keys();
// Springs and dampers within a group of particles, at their rest lengths at the start.
struct SpringPair {
  int a = 0, b = 0;  // links
  double stiffness = 0, damping = 0;
};
void make_springs(const std::string& group, const std::vector<SpringPair>&, const Place&, ElementMaker&);

}  // namespace marey
