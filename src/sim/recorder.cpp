// Recording. Rows fall on the asked times; the steps are not bent to meet them.
#include "sim/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/particle_channels.h"

namespace marey {

namespace {

const std::vector<std::string> xyz{"x", "y", "z"};
const std::vector<std::string> wxyz{"w", "x", "y", "z"};

// What a joint's freedoms are, and in which units they are measured.
struct Freedoms {
  std::vector<JointCoordinate> of;
  bool turns = false, slides = false;

  Freedoms(const Model& model, int link) : of(freedoms_of(model, link)) {
    for (const JointCoordinate& c : of) (c.is_length ? slides : turns) = true;
  }
  std::vector<std::string> columns() const {
    if (of.size() == 1) return {""};
    std::vector<std::string> names;
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

void add_coordinate_channel(std::vector<Channel>& c, const std::string& base, JointType j, const Freedoms& f) {
  if (j == JointType::point) {
    c.push_back({base + "displacement", "m", xyz, "p_FoBo_F: where the link is in the joint's frame"});
  } else if (has_attitude(j)) {
    c.push_back({base + "angle", "rad", xyz, "Euler angles a, b, c of R_FB = Rx(a) Ry(b) Rz(c)"});
  } else if (is_general(j) && f.of.size() > 1) {
    c.push_back({base + "coordinate", f.unit("rad", "m"), f.columns(), "the joint's coordinates"});
  } else {
    c.push_back({base + (f.turns ? "angle" : "displacement"), f.turns ? "rad" : "m", {""}, "the joint's coordinate"});
  }
}

void add_joint_channels(std::vector<Channel>& c, const Model& model, int link) {
  const std::string base = "joint/" + model.names[link] + "/";
  const JointType j = model.links[link].joint;
  const Freedoms f(model, link);
  if (!f.of.empty()) {
    add_coordinate_channel(c, base, j, f);
    c.push_back({base + "velocity", f.unit("rad/s", "m/s"), f.columns(),
                 has_attitude(j) ? "angular velocity relative to the parent, in the link's axes"
                                 : "rate of the joint's coordinate"});
    c.push_back(
        {base + "acceleration", f.unit("rad/s^2", "m/s^2"), f.columns(), "time derivative of the joint's velocity"});
    c.push_back(
        {base + "applied", f.unit("N m", "N"), f.columns(), "what elements apply through the joint's own freedoms"});
  }
  c.push_back({base + "force", "N", xyz,
               "force on the link by its parent at the joint, with drives of the joint, in world axes"});
  c.push_back({base + "moment", "N m", xyz,
               "moment on the link by its parent about the joint, with drives of the joint, in world axes"});
}

void add_contact_channels(std::vector<Channel>& c, const FloorContact& contact) {
  const std::string base = "contact/" + contact.name + "/";
  c.push_back({base + "force", "N", xyz, "force of the floor on the figure, in world axes; impacts are not in it"});
  c.push_back({base + "impulse", "N s", xyz,
               contact.compliant
                   ? "always zero: ground that gives way knows no impacts, and all is in the force"
                   : "sum of the floor's impulses on the figure at impacts since the start, in world axes; "
                     "forces between impacts are not in it"});
  c.push_back({base + "gap", "m", {""}, "height of the point above its floor"});
  c.push_back({base + "slip", "m/s", {""}, "speed of the point along its floor"});
  c.push_back({base + "mode", "", {""}, "0 free, 1 touching without load, 2 sliding, 3 sticking"});
  c.push_back({base + "work",
               "J",
               {""},
               contact.compliant ? "work of friction and damping since the start"
                                 : "work of impacts and friction since the start"});
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

void add_group_channels(std::vector<Channel>& c, const Group& group) {
  const std::string base = "floor/" + group.name + "/";
  c.push_back({base + "force", "N", xyz,
               "force of the floor on all points of the contact, in world axes; impacts are "
               "not in it"});
  c.push_back({base + "impulse", "N s", xyz,
               "sum of the floor's impulses on all points of the contact at impacts since "
               "the start, in world axes"});
  c.push_back({base + "center_of_pressure", "m", xyz,
               "mean of the points in the world, weighted with their normal "
               "forces; not a number while nothing presses"});
}

void add_constraint_channels(std::vector<Channel>& c, const Scene& scene) {
  if (scene.constraints.empty()) return;
  c.push_back({"constraints/error", "m, rad", {""}, "the largest |g| of all constraints that hold"});
  c.push_back({"constraints/rate", "m/s, rad/s", {""}, "the largest |rate of g| of all constraints that hold"});
  c.push_back({"constraints/drift", "J", {""}, "energy that putting the state back on its constraints has added"});
  for (const Constraint& constraint : scene.constraints) {
    const std::string base = "constraint/" + constraint.name + "/";
    c.push_back({base + "holds", "", {""}, "1 while it holds, 0 before it is made and after it is broken"});
    c.push_back({base + "error", "m, rad", {""}, "its largest |g|"});
    if (std::holds_alternative<Coupler>(constraint.kind)) {
      c.push_back({base + "multiplier",
                   "N, N m",
                   {""},
                   "the force or moment of the driven coordinate; of couplings, times a joint's factor, what acts in "
                   "that joint"});
    } else {
      c.push_back({base + "force", "N", xyz, "force on link a by link b, in world axes; impulses are not in it"});
      c.push_back({base + "torque", "N m", xyz, "torque on link a by link b about the origin of B, in world axes"});
      c.push_back({base + "point", "m", xyz, "the origin of B, in the world"});
      c.push_back({base + "force_magnitude", "N", {""}, "length of the force"});
      c.push_back({base + "torque_magnitude", "N m", {""}, "length of the torque"});
    }
    c.push_back({base + "work", "J", {""}, "work since the start: of its own motion, and of being made"});
  }
}

// a, b, c of R = Rx(a) Ry(b) Rz(c).
Vec3<double> euler_angles(const Mat3<double>& R) {
  return {std::atan2(-R.yz, R.zz), std::atan2(R.xz, std::hypot(R.yz, R.zz)), std::atan2(-R.xy, R.xx)};
}

}  // namespace

std::vector<Channel> channels_of(const Scene& scene) {
  std::vector<Channel> c{
      {"time", "s", {""}, "time since the start of the scene"},
      {"energy/kinetic", "J", {""}, "kinetic energy of all links"},
      {"energy/potential",
       "J",
       {""},
       "potential energy: gravity (zero at z = 0), conservative elements, ground that gives way"},
      {"energy/total", "J", {""}, "kinetic plus potential energy"},
      {"energy/work", "J", {""}, "work put in by all sources since the start"},
      {"energy/residual", "J", {""}, "change of the total energy less the work put in: the integrator's error"},
      {"momentum/linear", "kg m/s", xyz, "linear momentum of all links"},
      {"momentum/angular", "kg m^2/s", xyz, "angular momentum of all links about the world's origin"},
      {"momentum/linear_residual", "kg m/s", xyz, "change of the linear momentum less all impulses from outside"},
      {"momentum/angular_residual", "kg m^2/s", xyz, "change of the angular momentum less all impulses from outside"},
      {"center_of_mass/position", "m", xyz, "centre of mass of all links, in world axes"},
  };
  for (int i = 1; i < scene.model.nlink(); ++i) {
    const std::string base = "link/" + scene.model.names[i] + "/";
    c.push_back({base + "position", "m", xyz, "the link's origin (its joint) in the world"});
    const LinkTopology& link = scene.model.links[i];
    if (!is_particle(link)) c.push_back({base + "orientation", "", wxyz, "unit quaternion of R_WB"});
    c.push_back({base + "velocity", "m/s", xyz, "velocity of the link's origin, in world axes"});
    if (!is_particle(link)) c.push_back({base + "spin", "rad/s", xyz, "angular velocity of the link, in world axes"});
    if (link.joint == JointType::point) add_path_channels(c, scene.model.names[i]);
  }
  for (int i = 1; i < scene.model.nlink(); ++i)
    if (!is_particle(scene.model.links[i])) add_joint_channels(c, scene.model, i);
  for (const Element& e : scene.elements) {
    c.push_back({"element/" + e.name + "/power", "W", {""}, "power of the element's forces on the figures"});
    c.push_back({"element/" + e.name + "/work",
                 "J",
                 {""},
                 nature_of(e) == Nature::conservative ? "work put in by moving the element's own parameters"
                                                      : "work of the element's forces since the start"});
  }
  for (const FloorContact& contact : scene.contacts) add_contact_channels(c, contact);
  for (const Group& group : groups_of(scene.contacts)) add_group_channels(c, group);
  add_constraint_channels(c, scene);
  if (scene.solver.weld) {
    c.push_back({"solver/welded", "", {""}, "number of joints that are welded on the fly"});
    c.push_back({"welds/work", "J", {""}, "energy that welding joints which still moved has added, since the start"});
  }
  if (scene.solver.dynamics == Dynamics::multipliers) {
    c.push_back({"drift/position", "m, rad", {""}, "how far a link is from its joint, of the one that is farthest"});
    c.push_back({"drift/velocity", "m/s, rad/s", {""}, "how fast a link moves against its joint, of the fastest"});
  }
  return c;
}

std::size_t MotionHeader::row_width() const {
  std::size_t n = 0;
  for (const Channel& c : channels) n += c.columns.size();
  return n;
}

Recorder::Recorder(const Scene& scene)
    : scene_(scene),
      layout_(scene.elements.size(), scene.contacts.size(), scene.constraints.size(), scene.solver.weld.has_value()),
      now_(scene.start),
      integrals_(layout_.count()),
      kinematics_(scene.model),
      forces_(scene.model),
      aba_(scene.model),
      rnea_(scene.model),
      vdot_(scene.model.nv),
      tau_(scene.model.nv),
      powers_(scene.elements.size()) {
  std::size_t width = 0;
  for (const Channel& c : channels_of(scene)) width += c.columns.size();
  row_.resize(width);
  for (Group& group : groups_of(scene.contacts)) groups_.push_back(std::move(group.contacts));
}

// A time that falls on the end of the step is the world's own state, bit for bit, after whatever happened there.
void Recorder::state_at(double t, const World& world) {
  now_.t = t;
  const double slack = 1e-9 * std::min(scene_.solver.step, 1.0);
  within_step_ = t < world.time() - slack;
  if (within_step_) return world.at(t, now_.q, now_.v, integrals_);
  now_.q = world.state().q;
  now_.v = world.state().v;
  integrals_.assign(world.integrals().begin(), world.integrals().end());
}

std::span<const double> Recorder::row_at(double t, World& world) {
  state_at(t, world);
  world.use_modes_of_last_step(within_step_);
  fill(world);
  world.use_modes_of_last_step(false);
  return row_;
}

// Accelerations and joint forces are worked out anew for the instant, whatever solver steps the scene.
void Recorder::fill(World& world) {
  const Model& model = scene_.model;
  forward_kinematics<double>(model, model.params, now_.q, now_.v, kinematics_);
  const Instant<double> instant{model, now_.t, now_.q, now_.v, kinematics_.X_WB, kinematics_.V_WB, world.past()};
  forces_.clear();
  for (std::size_t e = 0; e < scene_.elements.size(); ++e) {
    evaluate<double>(scene_.elements[e], instant, world.modes_of(e), forces_);
    powers_[e] = forces_.power;
  }
  FloorContacts* contacts = world.contacts();
  if (contacts != nullptr) {
    contacts->look(kinematics_);
    contacts->add_ground<double>(instant, forces_);
  }
  if (ReducedFigure* figure = world.welds() != nullptr ? world.welds()->figure() : nullptr; figure != nullptr)
    figure->solve(kinematics_, now_.q, now_.v, {forces_.tau, forces_.F_Bo_W}, vdot_);
  else
    aba<double>(model, model.params, now_.q, now_.v, {forces_.tau, forces_.F_Bo_W}, aba_, vdot_);
  HeldConstraints* constraints = world.constraints();
  if (constraints != nullptr) {
    constraints->begin_record(within_step_);
    constraints->look(instant, kinematics_, &aba_);
    constraints->add_to(vdot_);
  }
  if (contacts != nullptr) contacts->add_rows_to(instant, kinematics_, &aba_, forces_, vdot_);
  if (constraints != nullptr) constraints->add_wrenches_beside_joints(forces_.F_Bo_W);
  rnea<double>(model, model.params, now_.q, now_.v, vdot_, forces_.F_Bo_W, rnea_, tau_);
  at_ = 0;
  put(now_.t);
  put_energy_and_momentum(world, totals(model, model.params, kinematics_));
  put_links();
  put_joints();
  put_elements();
  if (contacts != nullptr) put_contacts(*contacts);
  if (constraints != nullptr) put_constraints(*constraints);
  if (world.welds() != nullptr) put(world.welds()->count()), put(integrals_[layout_.power(layout_.welds())]);
  if (scene_.solver.dynamics != Dynamics::multipliers) return;
  const JointError drift = world.drift_at(within_step_ ? now_.t : world.time());
  put(drift.position), put(drift.rate);
}

void Recorder::put_energy_and_momentum(World& world, const Totals<double>& total) {
  const Balance balance = world.balance(now_.t, now_.q, now_.v);
  const Residual residual = residual_of(layout_, world.ledger(), balance, integrals_);
  double work = 0;
  for (std::size_t e = 0; e < layout_.sources; ++e) work += integrals_[layout_.power(e)];
  put(total.kinetic);
  put(balance.energy - total.kinetic);
  put(balance.energy);
  put(work);
  put(residual.energy);
  put(total.momentum.f);
  put(total.momentum.n);
  put(residual.linear);
  put(residual.angular);
  put(total.mass > 0 ? (1 / total.mass) * total.first_moment : Vec3<double>{});
}

void Recorder::put_links() {
  for (int i = 1; i < scene_.model.nlink(); ++i) {
    const Transform<double>& X = kinematics_.X_WB[i];
    const LinkTopology& link = scene_.model.links[i];
    const Twist<double>& V = kinematics_.V_WB[i];
    const bool particle = is_particle(link);
    const Quaternion<double> q = particle ? Quaternion<double>{} : quaternion_of(X.R);
    put(X.p);
    if (!particle) put(q.w), put(q.x), put(q.y), put(q.z);
    put(V.v);
    if (!particle) put(V.w);
    if (link.joint != JointType::point) continue;
    const Vec3<double> a = X.R * rnea_.links[i].a + scene_.model.params.gravity;
    const PathAcceleration path = along_path(V.v, a);
    put(a), put(path.tangential), put(path.normal);
  }
}

void Recorder::put_joints() {
  const Model& model = scene_.model;
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const int n = freedom_count(link);
    if (is_particle(link)) continue;
    if (!has_attitude(link.joint)) {
      for (int k = 0; k < n; ++k) put(now_.q[link.q + k]);
    } else {
      const double* q = now_.q.data() + link.q;
      put(euler_angles(rotation(Quaternion<double>{q[0], q[1], q[2], q[3]})));
    }
    for (int k = 0; k < n; ++k) put(now_.v[link.v + k]);
    for (int k = 0; k < n; ++k) put(vdot_[link.v + k]);
    for (int k = 0; k < n; ++k) put(forces_.tau[link.v + k]);
    put(kinematics_.X_WB[i].R * rnea_.links[i].F.f);
    put(kinematics_.X_WB[i].R * rnea_.links[i].F.n);
  }
}

void Recorder::put_elements() {
  for (std::size_t e = 0; e < layout_.elements; ++e) {
    put(powers_[e]);
    put(integrals_[layout_.power(e)]);
  }
}

void Recorder::put_contacts(FloorContacts& contacts) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::array<double, 3>& u = contacts.motion(i).velocity;
    put(contacts.force_W(i));
    put(contacts.impulse_W(i));
    put(contacts.motion(i).gap);
    put(std::hypot(u[1], u[2]));
    put(static_cast<double>(contacts.phase(i).mode));
    put(integrals_[layout_.power(layout_.contact(i))]);
  }
  for (const std::vector<std::size_t>& group : groups_) put_group(contacts, group);
  contacts.use_phases_of_last_step(false);
}

void Recorder::put_group(const FloorContacts& contacts, std::span<const std::size_t> group) {
  Vec3<double> force, impulse, moment;
  double pressing = 0;
  for (const std::size_t i : group) {
    const Vec3<double> f = contacts.force_W(i);
    const Vec3<double>& n = scene_.contacts[i].plane.normal_W;
    const double normal = dot(n, f);
    force += f, impulse += contacts.impulse_W(i);
    pressing += normal, moment += normal * (contacts.motion(i).p_WoC_W - scene_.contacts[i].clearance * n);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  put(force), put(impulse);
  put(pressing > 0 ? (1 / pressing) * moment : Vec3<double>{none, none, none});
}

void Recorder::put_constraints(HeldConstraints& constraints) {
  put(constraints.largest_error()), put(constraints.largest_rate()), put(constraints.drift_energy());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    put(constraints.active(i) ? 1 : 0);
    put(constraints.error_of(i));
    if (std::holds_alternative<Coupler>(constraints.constraint(i).kind)) {
      put(constraints.multiplier(i));
    } else {
      const Wrench<double> F = constraints.wrench_on_a(i, kinematics_);
      const LinkFrame& b = constraints.constraint(i).b;
      put(F.f), put(F.n), put(kinematics_.X_WB[static_cast<std::size_t>(b.link)] * b.X_LC.p);
      put(norm(F.f)), put(norm(F.n));
    }
    put(integrals_[layout_.power(layout_.constraint(i))]);
  }
  constraints.end_record();
}

}  // namespace marey
