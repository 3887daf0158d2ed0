// Kinds of joints: how a scene writes them, and what a model keeps of those that are general. Each kind has a file of
// its own (src/model/joints) and a line in the list in joint_forms.cpp.
#pragma once

#include <string>
#include <vector>

#include "marey/model/general_motion.h"
#include "marey/spec/values.h"

namespace marey {

struct JointForm;

// A joint's map while it is being read.
struct JointReader {
  MapReader& map;
  const JointForm& form;
  const Value& need(const char* key);  // if it is absent, the error says what the form needs
};

// Writes functions of coordinates into a joint as freeze() keeps it.
struct JointWriter {
  FrozenJoint& out;
  // `pieces`: for each piece where it begins, its origin and its coefficients.
  void add(int channel, int coordinate, int degree, const std::vector<double>& pieces) const;
  // slope × coordinate
  void linear(int channel, int coordinate, double slope) const { add(channel, coordinate, 1, {0, 0, 0, slope}); }
};

struct JointForm {
  const char* name;  // its `type`
  JointType type;    // a new kind is custom: it fills in LinkSpec::custom, and nothing else has to know of it
  // What is missing when only its name is given, or a key that it needs is absent: "an axis too: {type: hinge, axis:
  // y}". Empty if its name is enough.
  std::string needs;
  std::vector<KeyInfo> keys;  // besides `type`; keys of the same name mean the same for all joints
  void (*read)(JointReader&, LinkSpec&);
  void (*freeze)(const LinkSpec&, FrozenJoint&) = nullptr;  // of general joints with a type of their own
  // Complete joints, for the reference and for tests.
  std::vector<const char*> examples;
};
const std::vector<const JointForm*>& joint_forms();
const JointForm& form_of(JointType);

const std::vector<std::string>& joint_names();
const KeyTable& joint_keys();
void read_joint(const Value&, LinkSpec&);
// The coordinate given by its name or its number (from 1).
int read_coordinate(const Value&, const std::vector<JointCoordinate>& names);

// ---- shared by several
const KeyInfo& axis_key();
// Throws InvalidSpec where it has no direction.
Vec3<double> unit_axis(const LinkSpec&, const Vec3<double>&, const char* what);

// ---- tables of the custom joint
const KeyTable& joint_angles_keys();
const KeyTable& joint_displacements_keys();
const KeyTable& joint_function_keys();

}  // namespace marey
