// Constraints from what a scene says: frames of links, coordinates of joints, functions of time. What keys a kind has and
// what it makes of them stands in the kind's own file (src/constraint/kinds), as a ConstraintForm.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "marey/constraint.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"

namespace marey {

// Which coordinate of a joint is meant.
struct MeantCoordinate {
  Coupler::Term term;
  bool length = false;
  bool rate_alone = false;  // a turn about an axis of the link: it has a velocity and no value
  std::string words;        // "the coordinate 'bend' is an angle"; empty where the joint says it
};

class ConstraintMaker {
 public:
  // `recorded`: the scene is that of a motion, and has run before.
  ConstraintMaker(const Model& model, const State& start, bool recorded)
      : elements_(model, start), recorded_(recorded) {}

  const Model& model() const { return elements_.model(); }
  const Instant<double>& at_start() const { return elements_.start(); }
  const LinkNames& links() const { return elements_.links(); }
  const Transform<double>& pose(int link) const { return elements_.X_WB(link); }
  bool recorded() const { return recorded_; }
  // "'arm.lower', which hangs on a ball joint": what errors say of a joint of the wrong type.
  std::string hanging(int link) const;

  // ---- frames
  // a with its frame A: a place and, where the kind has one, an axis, both in a; and b's link.
  void ends(MapReader&, Constraint&) const;
  // B: its place as given, or where A is at the start; its axes R_AB from those of A at the start.
  void set_b(MapReader&, Constraint&, const Mat3<double>& R_AB) const;

  // ---- coordinates of joints
  // What `joint`, `coordinate`, `which` and, of drives, `freedom` say.
  MeantCoordinate coordinate_of(MapReader&) const;
  MeantCoordinate own_coordinate(int link, const Value* named, const Place& at) const;
  MeantCoordinate named_angle_of(int link, const Value&) const;
  // A coordinate as a function of time: lengths by `slide`, angles by `angle`.
  TimeFunction script_of(MapReader&, const std::string& mode, const MeantCoordinate&) const;

  // ---- when it holds
  void when(MapReader&, Constraint&) const;

 private:
  int link_or_world(const Value*) const;
  std::vector<JointCoordinate> coordinates_of(int link) const;

  ElementMaker elements_;
  bool recorded_;
};

// Axes of which z, or x, is the given one.
Mat3<double> axes_with_z(const Vec3<double>&);
Mat3<double> axes_with_x(const Vec3<double>&);

// ---- forms
// How a scene writes a constraint: its key in the list, the keys below it, and what is made of them.
struct ConstraintForm {
  const char* key;
  const char* summary;  // what the schema says of the key
  KeyTable keys;
  void (*make)(MapReader&, const ConstraintMaker&, Constraint&);
  // What may stand behind the key, for the reference and for tests: of a figure `figure` with the links trunk (free), arm (a
  // ball on it), hand (a hinge on that), tray (a slider on the trunk), pinion and wheel (hinges side by side on the trunk).
  std::vector<const char*> examples;
};
const std::vector<const ConstraintForm*>& constraint_forms();
const KeyTable& constraint_keys();  // of an entry of the list: one of the keys
void make_constraint(MapReader&, const ConstraintForm&, const ConstraintMaker&, Constraint&);

// Keys that all kinds have, and those of two links, with their own between them.
std::vector<KeyInfo> constraint_keys_with(std::vector<KeyInfo> own);
std::vector<KeyInfo> two_link_keys_with(std::vector<KeyInfo> own);

// ---- joints that follow scripts for a while (`drives:`)
struct JointDrive {
  Constraint constraint;
  std::string of_several;  // what its name ends with, of several that one entry makes
};
std::vector<JointDrive> make_joint_drives(MapReader&, const ConstraintMaker&);

// ---- tables for the schema
const KeyTable& coupled_keys();
const KeyTable& joint_drive_keys();

}  // namespace marey
