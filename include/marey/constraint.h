// Kinds of constraints: loop joints, rods, paths, surfaces, couplers, drives, rolling.
//
// A constraint holds between a frame A, fixed in link a, and a frame B, fixed in link b; either link may be the world.
// It is given by its rows (ConstraintRow), in terms of only the links' poses and twists. docs/theory/constraints.md has
// the equations.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "marey/core/any_kind.h"
#include "marey/force.h"
#include "marey/force/time_function.h"
#include "marey/rows.h"

namespace marey {

// ---- parts
// A frame C fixed in a link L; in the world (link 0), X_WC.
struct LinkFrame {
  int link = 0;
  Transform<double> X_LC;
};

// A smooth curve through points, a cubic spline over the length of its chords; open (without curvature at its ends) or
// closed. It must not cross itself.
struct SplinePath {
  std::vector<Vec3<double>> points;  // if closed, the first is not repeated
  bool closed = false;
  std::vector<double> knots;          // [points], or [points + 1] if closed
  std::vector<Vec3<double>> bending;  // C″ at each knot
};
SplinePath spline_path(std::vector<Vec3<double>> points, bool closed);

// ---- kinds
// A joint between A and B. The axis is z of both frames, unless the kind says otherwise.
struct LoopJoint {
  enum class Kind {
    ball,         // 3 rows: the origins meet
    hinge,        // 5: and z_B along z_A
    slider,       // 5: B moves along z_A and does not turn
    weld,         // 6
    universal,    // 4: the origins meet, x_B stays perpendicular to z_A
    cylindrical,  // 4: B moves along z_A and turns about it
    planar,       // 3: B moves in the xy-plane of A and turns about z_A
    on_line,      // 2: Bo on the axis z of A
    on_plane,     // 1: Bo in the xy-plane of A
  };
  Kind kind = Kind::ball;
};
const char* name_of(LoopJoint::Kind);
int row_count(LoopJoint::Kind);
// A massless rod between the origins.
struct FixedDistance {
  double length = 0;
};
// Bo on an ellipse in the xy-plane of A about its origin, or on a spline in A.
struct OnPath {
  std::array<double, 2> radii{};  // along x and y; a circle where they are equal
  std::optional<SplinePath> spline;
};
// Bo on an ellipsoid about the origin of A, along its axes; a sphere where the radii are equal. (A plane is
// LoopJoint::on_plane.)
struct OnSurface {
  Vec3<double> radii;
};
// Σ factor × coordinate = sum(t), over coordinates of joints. One term: a coordinate follows a function of time.
// At velocity level Σ factor × velocity = sum(t), at acceleration level Σ factor × acceleration = sum(t); at these two
// levels a rotational degree of freedom of an attitude is allowed, too. A prescribed acceleration has no target
// velocity: the velocity is taken as it is, and is kept through the impulses of other constraints.
struct Coupler {
  enum class Level { coordinate, velocity, acceleration };
  struct Term {
    int link = 0;  // its joint
    double factor = 1;
    // Which of the joint's degrees of freedom. For a ball, free or ellipsoid joint 0, 1, 2 are the angular velocity
    // about x, y, z of the link, which has no coordinate; for a free joint 3, 4, 5 are the position of its origin.
    int freedom = 0;
    NamedAngle angle{};  // for these joints, instead of `freedom`: an angle of the attitude, unless of kind coordinate
  };
  std::vector<Term> terms;
  TimeFunction sum;
  Level level = Level::coordinate;
  // When the constraint is made during the run, the coordinate is in general not where the function is. With this flag
  // it starts from where it is: the function is shifted by the offset, which stays (blend = 0) or goes smoothly to zero
  // within the time `blend` after the constraint was made. Then the rate is the function's, by an impulse; at the start of a
  // run, before which there is nothing, the offset has a rate of its own, which goes to zero with it.
  bool from_where_it_is = false;
  double offset = 0, made = 0, blend = 0, offset_rate = 0;
};
// B follows a motion given in A: Bo is at place(t), and R_AB = Rot(axis, angle(t)).
struct Drive {
  std::optional<std::array<TimeFunction, 3>> place;
  std::optional<TimeFunction> angle;
  Vec3<double> axis{0, 0, 1};  // in A, of unit length
};
// A sphere about Bo, or the edge of a thin disc about Bo with axis z_B, rolls on the xy-plane of A, on the side of z_A,
// without slip: one holonomic row (its height), two nonholonomic ones.
struct Rolling {
  enum class Body { sphere, disc };
  Body body = Body::sphere;
  double radius = 0;
};
// The links a and b, on hinges of the same link, turn each other by teeth: lever_a θ_a + lever_b θ_b = sum. The force between
// them acts at `point`, along `tangent`, both in that link, which carries it by the hinges. (A Coupler acts in joints alone.)
struct Gears {
  Vec3<double> point, tangent;      // tangent of unit length
  double lever_a = 0, lever_b = 0;  // m
  double sum = 0;                   // m
};

// What the engine asks of a kind; each has it in its own file (src/constraint/kinds).
class ConstraintLaw;
const ConstraintLaw& law_of(const LoopJoint*);
const ConstraintLaw& law_of(const FixedDistance*);
const ConstraintLaw& law_of(const OnPath*);
const ConstraintLaw& law_of(const OnSurface*);
const ConstraintLaw& law_of(const Coupler*);
const ConstraintLaw& law_of(const Drive*);
const ConstraintLaw& law_of(const Rolling*);
const ConstraintLaw& law_of(const Gears*);

// A value of any of these kinds, and of any other that has a law (docs/guide/extending.md).
using ConstraintKind = AnyKind<ConstraintLaw>;

struct Constraint {
  std::string name;  // unique; the ledger's source
  LinkFrame a, b;    // not read by couplers
  ConstraintKind kind = LoopJoint{};
  // It holds from one time until another. A constraint made during the run takes the frames as they then are: A stays,
  // B is put where A is (a rod takes the distance, a slider or a plane the position where it is).
  double from = 0, until = forever;
  std::optional<Condition> when;  // and only from the first instant at which this holds
  std::optional<double> since{};  // when the current step began; if not given: now. See TimeFunction
};

// The largest number of rows of one constraint.
inline constexpr int most_rows = 6;
int row_count(const Constraint&);
const char* word_of(const Constraint&);  // what its kind is called
// Whether it acts in joints rather than between two links: a coupler.
bool acts_in_joints(const Constraint&);
std::vector<int> joints_of(const Constraint&);  // those joints, by their links
// Whether it depends on time: then its force puts energy in.
bool moves_in_time(const Constraint&);
// The next instant after t at which its second derivative in time jumps, or a lower one; `forever` if there is none. And at
// which any does.
double next_kink(const Constraint&, double t);
double next_knot(const Constraint&, double t);
// Why the model cannot have it; empty when there is no objection.
std::string refusal(const Model&, const Constraint&);
// Fills row_count() rows.
void constraint_rows(const Constraint&, const Instant<double>&, std::span<ConstraintRow>);
// The constraint with its frames (or length) as they are at an instant, so that it is satisfied there as far as
// possible.
Constraint taken_as_is(const Constraint&, const Instant<double>&);
// The numbers of its kind that taken_as_is() sets; null where there is none.
std::array<double*, 2> made_numbers(Constraint&);

}  // namespace marey
