// The channels of a motion, each with what writes it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/core/larger.h"
#include "marey/force/footing.h"
#include "marey/force/tissue.h"
#include "sim/particle_channels.h"
#include "sim/recorder.h"

namespace marey {
namespace {

using Channels = std::vector<RecordedChannel>;
using Columns = std::vector<std::string>;
const Columns xyz{"x", "y", "z"}, wxyz{"w", "x", "y", "z"}, scalar{""};

// A channel that is one number, vector or the like of what was observed.
template <class Value>
void add(Channels& c, std::string name, std::string unit, Columns columns, std::string meaning, Value value) {
  add_channel(c, std::move(name), std::move(unit), std::move(columns), std::move(meaning), std::move(value));
}
// One whose columns are a link's part of a vector [nv].
template <class Vector>
void add_freedoms(Channels& c, std::string name, std::string unit, const Columns& columns, std::string meaning,
                  Vector vector, int first) {
  c.push_back({{std::move(name), std::move(unit), columns, std::move(meaning)},
               [=, n = static_cast<int>(columns.size())](const Observed& o, RowWriter& row) {
                 for (int k = 0; k < n; ++k) row.put(vector(o)[static_cast<std::size_t>(first + k)]);
               }});
}

// Says of the channels from number `first` on what they are made from, where they have not said it themselves.
void from_there_needs(Channels& c, std::size_t first, const Needs& needs) {
  for (; first < c.size(); ++first)
    if (c[first].needs == Needs{}) c[first].needs = needs;
}
constexpr Needs accelerations_alone{true, false, false, false}, joint_forces_alone{true, true, false, false},
    account_alone{false, false, true, false}, turns_alone{false, false, false, true};

// ------------------------------------------------------------------------------------- energy and momentum
void add_totals(Channels& c, std::size_t sources) {
  add(c, "time", "s", scalar, "time since the start of the scene", [](const Observed& o) { return o.now.t; });
  from_there_needs(c, 0, needs_no_more);
  const std::size_t first = c.size();
  add(c, "energy/kinetic", "J", scalar, "kinetic energy of all links",
      [](const Observed& o) { return o.total.kinetic; });
  add(c, "energy/potential", "J", scalar,
      "potential energy: gravity (zero at z = 0), conservative elements, ground that gives way",
      [](const Observed& o) { return o.balance.energy - o.total.kinetic; });
  add(c, "energy/total", "J", scalar, "kinetic plus potential energy",
      [](const Observed& o) { return o.balance.energy; });
  add(c, "energy/work", "J", scalar, "work put in by all sources since the start", [sources](const Observed& o) {
    double work = 0;
    for (std::size_t s = 0; s < sources; ++s) work += o.integrals[s];
    return work;
  });
  add(c, "energy/residual", "J", scalar, "change of the total energy less the work put in: the integrator's error",
      [](const Observed& o) { return o.residual.energy; });
  add(c, "momentum/linear", "kg m/s", xyz, "linear momentum of all links",
      [](const Observed& o) { return o.total.momentum.f; });
  add(c, "momentum/angular", "kg m^2/s", xyz, "angular momentum of all links about the world's origin",
      [](const Observed& o) { return o.total.momentum.n; });
  add(c, "momentum/linear_residual", "kg m/s", xyz, "change of the linear momentum less all impulses from outside",
      [](const Observed& o) { return o.residual.linear; });
  add(c, "momentum/angular_residual", "kg m^2/s", xyz, "change of the angular momentum less all impulses from outside",
      [](const Observed& o) { return o.residual.angular; });
  add(c, "center_of_mass/position", "m", xyz, "centre of mass of all links, in world axes",
      [](const Observed& o) { return o.total.mass > 0 ? (1 / o.total.mass) * o.total.first_moment : Vec3<double>{}; });
  from_there_needs(c, first, account_alone);
}

// ------------------------------------------------------------------------------------- links
Vec3<double> acceleration_of(const Observed& o, std::size_t i) {
  return o.kinematics.X_WB[i].R * o.joints.links[i].a + o.scene.model.params.gravity;
}

void add_path(Channels& c, const std::string& base, std::size_t i) {
  const std::size_t first = c.size();
  add(c, base + "acceleration", "m/s^2", xyz, "acceleration of the link's origin, in world axes",
      [i](const Observed& o) { return acceleration_of(o, i); });
  const auto path = [i](const Observed& o) { return along_path(o.kinematics.V_WB[i].v, acceleration_of(o, i)); };
  add(c, base + "tangential_acceleration", "m/s^2", scalar, "its part along the path: the rate of the speed",
      [path](const Observed& o) { return path(o).tangential; });
  add(c, base + "normal_acceleration", "m/s^2", scalar, "its part across the path: speed squared over radius",
      [path](const Observed& o) { return path(o).normal; });
  from_there_needs(c, first, joint_forces_alone);
}

void add_link(Channels& c, const Model& model, std::size_t i) {
  const std::string base = "link/" + model.names[i] + "/";
  const LinkTopology& link = model.links[i];
  const std::size_t first = c.size();
  add(c, base + "position", "m", xyz, "the link's origin (its joint) in the world",
      [i](const Observed& o) { return o.kinematics.X_WB[i].p; });
  if (!is_particle(link))
    c.push_back({{base + "orientation", "", wxyz, "unit quaternion of R_WB, continuous in time"},
                 [i](const Observed& o, RowWriter& row) {
                   const Quaternion<double> q = o.turns.of(i, o.kinematics.X_WB[i].R);
                   row.put(q.w), row.put(q.x), row.put(q.y), row.put(q.z);
                 },
                 turns_alone});
  add(c, base + "velocity", "m/s", xyz, "velocity of the link's origin, in world axes",
      [i](const Observed& o) { return o.kinematics.V_WB[i].v; });
  if (!is_particle(link))
    add(c, base + "spin", "rad/s", xyz, "angular velocity of the link, in world axes",
        [i](const Observed& o) { return o.kinematics.V_WB[i].w; });
  from_there_needs(c, first, needs_no_more);
  if (link.joint == JointType::point) add_path(c, base, i);
}

// ------------------------------------------------------------------------------------- joints
// What a joint's freedoms are, and in which units they are measured.
struct Freedoms {
  std::vector<JointCoordinate> of;
  bool turns = false, slides = false;

  Freedoms(const Model& model, int link) : of(freedoms_of(model, link)) {
    for (const JointCoordinate& c : of) (c.is_length ? slides : turns) = true;
  }
  Columns columns() const {
    if (of.size() == 1) return {""};
    Columns names;
    for (const JointCoordinate& c : of) names.push_back(c.name);
    return names;
  }
  // One for all; or two, for equal parts of the columns; or one for each.
  std::string unit(const std::string& turning, const std::string& sliding) const {
    const auto own = [&](std::size_t k) { return of[k].is_length ? sliding : turning; };
    if (!(turns && slides)) return own(0);
    bool in_two_parts = true;
    for (std::size_t k = 0; k < of.size(); ++k)
      in_two_parts = in_two_parts && of[k].is_length == (2 * k < of.size() ? of.front() : of.back()).is_length;
    if (in_two_parts) return own(0) + ", " + own(of.size() - 1);
    std::string all = own(0);
    for (std::size_t k = 1; k < of.size(); ++k) all += ", " + own(k);
    return all;
  }
};

// a, b, c of R = Rx(a) Ry(b) Rz(c).
Vec3<double> euler_angles(const Mat3<double>& R) {
  return {std::atan2(-R.yz, R.zz), std::atan2(R.xz, std::hypot(R.yz, R.zz)), std::atan2(-R.xy, R.xx)};
}

void add_coordinates(Channels& c, const std::string& base, const LinkTopology& link, const Freedoms& f) {
  const int q = link.q;
  const auto plain = [&](std::string name, std::string unit, const Columns& columns, std::string meaning) {
    add_freedoms(
        c, std::move(name), std::move(unit), columns, std::move(meaning),
        [](const Observed& o) { return std::span<const double>(o.now.q); }, q);
  };
  if (link.joint == JointType::point)
    return plain(base + "displacement", "m", xyz, "p_FoBo_F: where the link is in the joint's frame");
  if (has_attitude(link.joint))
    return add(c, base + "angle", "rad", xyz, "Euler angles a, b, c of R_FB = Rx(a) Ry(b) Rz(c)",
               [q](const Observed& o) {
                 const double* x = o.now.q.data() + q;
                 return euler_angles(rotation(Quaternion<double>{x[0], x[1], x[2], x[3]}));
               });
  if (is_general(link.joint) && f.of.size() > 1)
    return plain(base + "coordinate", f.unit("rad", "m"), f.columns(), "the joint's coordinates");
  plain(base + (f.turns ? "angle" : "slide"), f.turns ? "rad" : "m", scalar, "the joint's coordinate");
}

Vec3<double> force_in_joint(const Observed& o, std::size_t i) { return o.kinematics.X_WB[i].R * o.joints.links[i].F.f; }

void add_joint(Channels& c, const Model& model, int number) {
  const auto i = static_cast<std::size_t>(number);
  const std::string base = "joint/" + model.names[i] + "/";
  const LinkTopology& link = model.links[i];
  std::size_t first = c.size();
  if (const Freedoms f(model, number); !f.of.empty()) {
    add_coordinates(c, base, link, f);
    add_freedoms(
        c, base + "velocity", f.unit("rad/s", "m/s"), f.columns(),
        has_attitude(link.joint) ? "angular velocity relative to the parent, in the link's axes"
                                 : "rate of the joint's coordinate",
        [](const Observed& o) { return std::span<const double>(o.now.v); }, link.v);
    from_there_needs(c, first, needs_no_more), first = c.size();
    add_freedoms(
        c, base + "acceleration", f.unit("rad/s^2", "m/s^2"), f.columns(), "time derivative of the joint's velocity",
        [](const Observed& o) { return std::span<const double>(o.vdot); }, link.v);
    add_freedoms(
        c, base + "applied", f.unit("N m", "N"), f.columns(), "what elements apply through the joint's own freedoms",
        [](const Observed& o) { return std::span<const double>(o.forces.tau); }, link.v);
    from_there_needs(c, first, accelerations_alone), first = c.size();
  }
  add(c, base + "force", "N", xyz,
      "force on the link by its parent at the joint, with drives of the joint, in world axes",
      [i](const Observed& o) { return force_in_joint(o, i); });
  add(c, base + "moment", "N m", xyz,
      "moment on the link by its parent about the joint, with drives of the joint, in world axes",
      [i](const Observed& o) { return o.kinematics.X_WB[i].R * o.joints.links[i].F.n; });
  from_there_needs(c, first, joint_forces_alone);
}

// ------------------------------------------------------------------------------------- the recursion, checked
void add_hinge_checks(Channels& c, const Scene& scene) {
  const Model& model = scene.model;
  std::vector<int> hinges;
  for (int i = 1; i < model.nlink(); ++i)
    if (HingeForces::has(model, i)) hinges.push_back(i);
  if (scene.solver.dynamics != Dynamics::armstrong || hinges.empty()) return;
  for (const int i : hinges)
    add(c, "joint/" + model.names[static_cast<std::size_t>(i)] + "/force_31", "N", xyz,
        "the force on the link by its parent once more, by Armstrong's (31) from the recursion's own coefficients; in "
        "world axes",
        [i](const Observed& o) { return o.hinges->on_link(i); });
  add(c, "solver/hinge_check", "N", scalar,
      "the largest distance between a joint's force and its force_31: round-off, or what a slow band costs",
      [hinges](const Observed& o) {
        double most = 0;
        for (const int i : hinges)
          most = larger_or_nan(most, norm(o.hinges->on_link(i) - force_in_joint(o, static_cast<std::size_t>(i))));
        return most;
      });
}

// ------------------------------------------------------------------------------------- sources
void add_work(Channels& c, std::string name, std::string meaning, std::size_t source) {
  add(c, std::move(name), "J", scalar, std::move(meaning), [source](const Observed& o) { return o.integrals[source]; });
  c.back().needs = needs_no_more;
}

void add_element(Channels& c, const std::string& name, Nature nature, std::size_t i, std::size_t source) {
  add(c, "element/" + name + "/power", "W", scalar, "power of the element's forces on the figures",
      [i](const Observed& o) { return o.powers[i]; });
  c.back().needs = accelerations_alone;
  add_work(c, "element/" + name + "/work",
           nature == Nature::conservative ? "work put in by moving the element's own parameters"
                                          : "work of the element's forces since the start",
           source);
}

// What a push does to its link.
void add_push(Channels& c, const std::string& name, int number, std::size_t i) {
  const std::size_t link = static_cast<std::size_t>(number);
  add(c, "element/" + name + "/force", "N", xyz, "force on the link, in world axes",
      [i](const Observed& o) { return o.outside_Wo_W[i].f; });
  add(c, "element/" + name + "/moment", "N m", xyz, "moment on the link about its origin, in world axes",
      [i, link](const Observed& o) {
        const Wrench<double>& F = o.outside_Wo_W[i];
        return F.n - cross(o.kinematics.X_WB[link].p, F.f);
      });
}

// What a stop or a motor does in its joint, along its angle or displacement.
template <class Bound>
void add_bound(Channels& c, const std::string& name, const Model& model, const Bound& bound, std::size_t i) {
  const bool length = bound.angle.kind == NamedAngle::Kind::coordinate &&
                      freedoms_of(model, bound.link)[static_cast<std::size_t>(bound.angle.coordinate)].is_length;
  add(c, "element/" + name + "/" + (length ? "force" : "torque"), length ? "N" : "N m", scalar,
      length ? "force along the displacement, in the last step" : "torque along the angle, in the last step",
      [i](const Observed& o) { return o.touching->bounding(i).torque; });
  c.back().needs = needs_no_more;
}

// What a wobbling mass does beside its link; the damper comes right after the spring.
void add_tissue(Channels& c, const Scene& scene, std::size_t i) {
  const auto& spring = *scene.elements[i].kind.get_if<TissueSpring>();
  const std::string base = "tissue/" + scene.model.names[static_cast<std::size_t>(spring.link)] + "/";
  const std::size_t first = c.size();
  const auto now = [](const Observed& o) {
    return Instant<double>{o.scene.model, o.now.t, o.now.q, o.now.v, o.kinematics.X_WB, o.kinematics.V_WB};
  };
  add(c, base + "shift", "m", xyz, "how far the wobbling mass is from its place in the link, in the link's axes",
      [=](const Observed& o) { return shift_of(spring, now(o)).shift; });
  add(c, base + "turn", "rad", xyz, "how it is turned against the link: the angle along the axis, in the link's axes",
      [=](const Observed& o) { return shift_of(spring, now(o)).turn; });
  const TissueDamper* damper =
      i + 1 < scene.elements.size() ? scene.elements[i + 1].kind.get_if<TissueDamper>() : nullptr;
  if (damper == nullptr || damper->tissue != spring.tissue) return from_there_needs(c, first, needs_no_more);
  add(c, base + "force", "N", xyz, "force of the link on the wobbling mass, in world axes",
      [=, link = static_cast<std::size_t>(spring.link), d = *damper](const Observed& o) {
        const Instant<double> at = now(o);
        return o.kinematics.X_WB[link].R * (pull_of(spring, at).f + pull_of(d, at).f);
      });
  add(c, base + "moment", "N m", xyz, "moment of the link on the wobbling mass about its centre of mass, in world axes",
      [=, link = static_cast<std::size_t>(spring.link), d = *damper](const Observed& o) {
        const Instant<double> at = now(o);
        return o.kinematics.X_WB[link].R * (pull_of(spring, at).n + pull_of(d, at).n);
      });
  from_there_needs(c, first, needs_no_more);
}

// What holds links at their common centre of mass does to all of them together.
void add_hold(Channels& c, const std::string& name, std::size_t i) {
  add(c, "element/" + name + "/force", "N", xyz,
      "force on the links, at their common centre of mass, in world axes; each has its share by its mass",
      [i](const Observed& o) { return o.outside_Wo_W[i].f; });
}

// What the ground does to all feet on it.
void add_footing(Channels& c, const std::string& name, std::size_t i) {
  add(c, "element/" + name + "/force", "N", xyz, "force of the ground on all feet, in world axes",
      [i](const Observed& o) { return o.outside_Wo_W[i].f; });
}

// Of masses that change; the model of what is observed has those of the instant.
void add_mass(Channels& c, const Model& model, int number) {
  const std::size_t i = static_cast<std::size_t>(number);
  add(c, "link/" + model.names[i] + "/mass", "kg", scalar, "mass of the particle",
      [i](const Observed& o) { return o.scene.model.params.links[i].I.m; });
}

// What a source remembers, of which `first` is the first; counted on.
void add_states(Channels& c, const Source& source, std::size_t& first) {
  for (const std::string& state : source.states())
    add(c, "element/" + source.name() + "/" + state, "", scalar, "a state of the element",
        [k = first++](const Observed& o) { return o.now.z[k]; });
}

// Of elements, and the caller's own: as elements, and their states.
void add_sources(Channels& c, const Scene& scene, const RateLayout& layout) {
  std::size_t first = 0;
  for (const Element& element : scene.elements)
    if (const std::shared_ptr<const Source> source = source_of(element)) add_states(c, *source, first);
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const Source& source = *scene.sources[i];
    const std::size_t at = scene.elements.size() + i;
    add_element(c, source.name(), source.nature(), at, layout.power(at));
    add_states(c, source, first);
  }
}

void add_contact(Channels& c, const FloorContact& contact, std::size_t i, std::size_t source) {
  const std::string base = "contact/" + contact.name + "/";
  add(c, base + "force", "N", xyz, "force of the floor on the figure, in world axes; impacts are not in it",
      [i](const Observed& o) { return o.contacts->force_W(i); });
  add(c, base + "impulse", "N s", xyz,
      contact.compliant ? "always zero: ground that gives way knows no impacts, and all is in the force"
                        : "sum of the floor's impulses on the figure at impacts since the start, in world axes; "
                          "forces between impacts are not in it",
      [i](const Observed& o) { return o.contacts->impulse_W(i); });
  add(c, base + "gap", "m", scalar, "height of the point above its floor",
      [i](const Observed& o) { return o.contacts->motion(i).gap; });
  add(c, base + "slip", "m/s", scalar, "speed of the point along its floor", [i](const Observed& o) {
    const std::array<double, 3>& u = o.contacts->motion(i).velocity;
    return std::hypot(u[1], u[2]);
  });
  add(c, base + "mode", "", scalar, "0 free, 1 touching without load, 2 sliding, 3 sticking",
      [i](const Observed& o) { return static_cast<double>(o.contacts->mode(i)); });
  add_work(c, base + "work",
           contact.compliant ? "work of friction and damping since the start"
                             : "work of impacts and friction since the start",
           source);
}

// Contacts that are recorded together.
struct Group {
  std::string name;
  std::vector<std::size_t> contacts;
};
std::vector<Group> groups_of(std::span<const FloorContact> contacts) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].group.empty()) continue;
    const auto same = [&](const Group& g) { return g.name == contacts[i].group; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      groups.push_back({contacts[i].group, {}});
      group = groups.end() - 1;
    }
    group->contacts.push_back(i);
  }
  return groups;
}

Vec3<double> center_of_pressure(const Observed& o, std::span<const std::size_t> contacts) {
  Vec3<double> moment;
  double pressing = 0;
  for (const std::size_t i : contacts) {
    const Vec3<double>& n = o.scene.contacts[i].plane.normal_W;
    const double normal = dot(n, o.contacts->force_W(i));
    pressing += normal, moment += normal * (o.contacts->motion(i).p_WoC_W - o.scene.contacts[i].clearance * n);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return pressing > 0 ? (1 / pressing) * moment : Vec3<double>{none, none, none};
}

void add_group(Channels& c, const Group& group) {
  const std::string base = "floor/" + group.name + "/";
  const auto sum = [members = group.contacts](auto of) {
    return [members, of](const Observed& o) {
      Vec3<double> all;
      for (const std::size_t i : members) all += of(o, i);
      return all;
    };
  };
  add(c, base + "force", "N", xyz,
      "force of the floor on all points of the contact, in world axes; impacts are not in it",
      sum([](const Observed& o, std::size_t i) { return o.contacts->force_W(i); }));
  add(c, base + "impulse", "N s", xyz,
      "sum of the floor's impulses on all points of the contact at impacts since the start, in world axes",
      sum([](const Observed& o, std::size_t i) { return o.contacts->impulse_W(i); }));
  add(c, base + "center_of_pressure", "m", xyz,
      "mean of the points in the world, weighted with their normal forces; not a number while nothing presses",
      [members = group.contacts](const Observed& o) { return center_of_pressure(o, members); });
}

void add_wrench(Channels& c, const std::string& base, std::size_t i) {
  const auto wrench = [i](const Observed& o) { return o.constraints->wrench_on_a(i, o.kinematics); };
  add(c, base + "force", "N", xyz, "force on link a by link b, in world axes; impulses are not in it",
      [wrench](const Observed& o) { return wrench(o).f; });
  add(c, base + "torque", "N m", xyz, "torque on link a by link b about the origin of B, in world axes",
      [wrench](const Observed& o) { return wrench(o).n; });
  add(c, base + "point", "m", xyz, "the origin of B, in the world", [i](const Observed& o) {
    const LinkFrame& b = o.constraints->constraint(i).b;
    return o.kinematics.X_WB[static_cast<std::size_t>(b.link)] * b.X_LC.p;
  });
  add(c, base + "force_magnitude", "N", scalar, "length of the force",
      [wrench](const Observed& o) { return norm(wrench(o).f); });
  add(c, base + "torque_magnitude", "N m", scalar, "length of the torque",
      [wrench](const Observed& o) { return norm(wrench(o).n); });
}

// Whether what a coupler holds is a length. Where lengths and angles are coupled, the sum is of the kind of the joint whose factor is
// 1 (the others' factors are then radians per metre, or metres per radian), or of the first.
bool holds_a_length(const Model& model, const Coupler& coupler) {
  const auto is_one = [](const Coupler::Term& term) { return std::abs(term.factor) == 1; };
  const auto one = std::find_if(coupler.terms.begin(), coupler.terms.end(), is_one);
  const Coupler::Term& term = one == coupler.terms.end() ? coupler.terms.front() : *one;
  return term.angle.kind == NamedAngle::Kind::coordinate &&
         freedoms_of(model, term.link)[static_cast<std::size_t>(term.freedom)].is_length;
}

void add_constraint(Channels& c, const Model& model, const Constraint& constraint, std::size_t i, std::size_t source) {
  const std::string base = "constraint/" + constraint.name + "/";
  const Coupler* coupler = constraint.kind.get_if<Coupler>();
  const bool length = coupler != nullptr && holds_a_length(model, *coupler);
  add(c, base + "holds", "", scalar, "1 while it holds, 0 before it is made and after it is broken",
      [i](const Observed& o) { return o.constraints->active(i) ? 1.0 : 0.0; });
  add(c, base + "error",
      coupler == nullptr ? "m, rad"
      : length           ? "m"
                         : "rad",
      scalar, "its largest |g|", [i](const Observed& o) { return o.constraints->error_of(i); });
  if (acts_in_joints(constraint))
    add(c, base + "multiplier",
        coupler == nullptr ? "N, N m"
        : length           ? "N"
                           : "N m",
        scalar,
        "the force or moment of the driven coordinate; of couplings, times a joint's factor, what acts in that joint",
        [i](const Observed& o) { return o.constraints->multiplier(i); });
  else
    add_wrench(c, base, i);
  add_work(c, base + "work", "work since the start: of its own motion, and of being made", source);
}

void add_constraints(Channels& c, const Scene& scene, const RateLayout& layout) {
  if (scene.constraints.empty()) return;
  add(c, "constraints/error", "m, rad", scalar, "the largest |g| of all constraints that hold",
      [](const Observed& o) { return o.constraints->largest_error(); });
  add(c, "constraints/rate", "m/s, rad/s", scalar, "the largest |rate of g| of all constraints that hold",
      [](const Observed& o) { return o.constraints->largest_rate(); });
  add(c, "constraints/drift", "J", scalar, "energy that putting the state back on its constraints has added",
      [](const Observed& o) { return o.constraints->drift_energy(); });
  for (std::size_t i = 0; i < scene.constraints.size(); ++i)
    add_constraint(c, scene.model, scene.constraints[i], i, layout.power(layout.constraint(i)));
}

void add_solver(Channels& c, const Scene& scene, const RateLayout& layout) {
  if (scene.solver.weld) {
    add(c, "solver/welded", "", scalar, "number of joints that are welded on the fly",
        [](const Observed& o) { return static_cast<double>(o.welds->count()); });
    add_work(c, "welds/work", "energy that welding joints which still moved has added, since the start",
             layout.power(layout.welds()));
  }
  if (scene.solver.dynamics == Dynamics::multipliers) {
    add(c, "drift/position", "m, rad", scalar, "how far a link is from its joint, of the one that is farthest",
        [](const Observed& o) { return o.drift.position; });
    add(c, "drift/velocity", "m/s, rad/s", scalar, "how fast a link moves against its joint, of the fastest",
        [](const Observed& o) { return o.drift.rate; });
  }
}

}  // namespace

std::vector<RecordedChannel> recorded_channels(const Scene& scene) {
  const RateLayout layout = layout_of(scene);
  const Model& model = scene.model;
  Channels c;
  add_totals(c, layout.sources);
  for (int i = 1; i < model.nlink(); ++i) add_link(c, model, static_cast<std::size_t>(i));
  for (int i = 1; i < model.nlink(); ++i)
    if (!is_particle(model.links[static_cast<std::size_t>(i)])) add_joint(c, model, i);
  for (std::size_t i = 0; i < scene.elements.size(); ++i) {
    const Element& element = scene.elements[i];
    add_element(c, element.name, nature_of(element), i, layout.power(i));
    if (const Push* push = element.kind.get_if<Push>()) add_push(c, element.name, push->link, i);
    if (element.kind.get_if<CenterSpring>() != nullptr || element.kind.get_if<CenterDamper>() != nullptr)
      add_hold(c, element.name, i);
    if (element.kind.get_if<TissueSpring>() != nullptr) add_tissue(c, scene, i);
    if (const auto* stop = element.kind.get_if<JointStop>()) add_bound(c, element.name, model, *stop, i);
    if (const auto* motor = element.kind.get_if<JointMotor>()) add_bound(c, element.name, model, *motor, i);
    if (element.kind.get_if<Footing>() != nullptr) add_footing(c, element.name, i);
    if (const MassFlow* flow = element.kind.get_if<MassFlow>())
      for (const int link : flow->links) add_mass(c, model, link);
  }
  add_sources(c, scene, layout);
  for (std::size_t i = 0; i < scene.contacts.size(); ++i)
    add_contact(c, scene.contacts[i], i, layout.power(layout.contact(i)));
  for (const Group& group : groups_of(scene.contacts)) add_group(c, group);
  add_constraints(c, scene, layout);
  add_touch_channels(scene, c);
  add_solver(c, scene, layout);
  add_marker_channels(scene, c);
  const std::size_t first = c.size();
  add_followed_channels(scene, c);
  add_compared_channels(scene, c);
  add_sensor_channels(scene, c);
  add_touch_sums(scene, c);
  for (std::size_t i = first; i < c.size(); ++i) c[i].asked_for = true;
  add_hinge_checks(c, scene);
  if (scene.kinematic) add_link_accelerations(scene, c), keep_what_has_no_forces(c);
  return c;
}

}  // namespace marey
