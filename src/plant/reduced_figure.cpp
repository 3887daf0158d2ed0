#include "marey/plant/reduced_figure.h"

#include <algorithm>

#include "marey/core/same_bits.h"
#include "marey/dynamics/joint_directions.h"

namespace marey {
namespace {

// Poses of the links with the held joints as they are and all others at zero: within a group that is all there is to it, and no
// digits are lost where a figure is far away.
std::vector<Transform<double>> held_poses(const Model& model, std::span<const char> held, std::span<const double> q) {
  State s = neutral_state(model);
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    if (held[i]) std::copy_n(q.data() + link.q, coordinate_count(link), s.q.data() + link.q);
  }
  Kinematics<double> kinematics(model);
  forward_kinematics<double>(model, model.params, s.q, s.v, kinematics);
  return kinematics.X_WB;
}

Model only_the_world(const Model& model) {
  Model out;
  out.params.gravity = model.params.gravity;
  out.links.emplace_back();
  out.params.links.emplace_back();
  out.names = {model.names[0]};
  out.shapes.emplace_back();
  return out;
}

void add_head(const Model& model, int i, const Transform<double>& X_GP, Groups& out) {
  LinkTopology t = model.links[i];
  LinkParams<double> p = model.params.links[i];
  const int parent = t.parent;
  t.parent = out.group[parent];
  if (out.head[t.parent] != parent) {  // (2)
    const Transform<double> X_GF = X_GP * Transform<double>{p.R_PF, p.l};
    p.R_PF = X_GF.R, p.l = X_GF.p;
    t.turned = true;
  }
  t.leaf = true, t.opens = false;
  t.q = out.model.nq, t.v = out.model.nv;
  if (t.general >= 0) {
    const std::size_t g = static_cast<std::size_t>(t.general);
    t.general = static_cast<std::int16_t>(out.model.general.size());
    out.model.general.push_back(model.general[g]);
    out.model.params.general.push_back(model.params.general[g]);
    out.model.coordinates.push_back(model.coordinates[g]);
  }
  out.model.nq += coordinate_count(t);
  out.model.nv += freedom_count(t);
  out.model.links.push_back(t);
  out.model.params.links.push_back(p);
  out.model.names.push_back(model.names[i]);
  out.model.shapes.emplace_back();
  out.group[i] = out.model.nlink() - 1;
  out.head.push_back(i);
}

// The part of (5) that is of a body's own motion, about Bo in the axes of its group; p = p_GoBo.
Wrench<double> wrench_of_motion(const Inertia<double>& I, const Vec3<double>& p, const Vec3<double>& a_G,
                                const Vec3<double>& w_dot, const Vec3<double>& w) {
  const Vec3<double> a = a_G + cross(w_dot, p) + cross(w, cross(w, p));
  return {I.J * w_dot + cross(I.h, a) + cross(w, I.J * w), I.m * a + cross(w_dot, I.h) + cross(w, cross(w, I.h))};
}

}  // namespace

void mark_sons(Model& model) {
  for (int i = model.nlink() - 1; i > 0; --i) {
    LinkTopology& parent = model.links[model.links[i].parent];
    model.links[i].opens = parent.leaf;
    parent.leaf = false;
  }
}

Groups groups_of(const Model& model, std::span<const char> held, std::span<const double> q) {
  const std::vector<Transform<double>> X_WB = held_poses(model, held, q);
  const std::size_t n = static_cast<std::size_t>(model.nlink());
  Groups out{only_the_world(model), std::vector<int>(n), {0}, std::vector<Transform<double>>(n)};
  for (int i = 1; i < model.nlink(); ++i) {
    const int parent = model.links[i].parent, G = out.group[parent];
    const Transform<double> X_GW = inverse(X_WB[out.head[G]]);
    if (!held[i] && model.links[i].joint != JointType::weld) {
      add_head(model, i, X_GW * X_WB[parent], out);
    } else {
      out.group[i] = G;
      out.X_GB[static_cast<std::size_t>(i)] = X_GW * X_WB[i];
      out.model.params.links[G].I += out.X_GB[static_cast<std::size_t>(i)] * model.params.links[i].I;  // (1)
    }
  }
  mark_sons(out.model);
  return out;
}

ReducedFigure::ReducedFigure(const Model& model, const SolverOptions& options, std::span<const char> held,
                             std::span<const double> q)
    : model_(model),
      groups_(groups_of(model, held, q)),
      weightless_(groups_.model.params),
      kinematics_(groups_.model),
      S_G_(static_cast<std::size_t>(model.nv)),
      x_(groups_.model.links.size()),
      q_(static_cast<std::size_t>(groups_.model.nq)),
      v_(static_cast<std::size_t>(groups_.model.nv)),
      tau_(v_),
      vdot_(v_),
      zero_(static_cast<std::size_t>(model.nv)),
      p_(zero_),
      v_held_(zero_),
      F_Go_W_(groups_.model.links.size()),
      solver_(groups_.model, options),
      aba_(groups_.model),
      response_(groups_.model),
      rnea_(model),
      rnea_of_groups_(groups_.model),
      F_G_(model.links.size()) {
  weightless_.gravity = {};
  placed_q_ = q_, placed_v_ = v_, falling_ = vdot_;
  for (std::size_t g = 1; g < groups_.head.size(); ++g)
    moving_links_.push_back(model.links[static_cast<std::size_t>(groups_.head[g])]);
  for (const LinkTopology& link : moving_links_) one_holds_another_ = one_holds_another_ || link.parent != 0;
  find_motions(held, q);
  find_coefficients();
}

void ReducedFigure::find_motions(std::span<const char> held, std::span<const double> q) {
  for (int i = 1; i < model_.nlink(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    if (!held[at]) continue;
    const JointDirections<double> joint = joint_directions<double>(model_, model_.params, i, q.data(), zero_.data());
    const Mat3<double> R_GF = groups_.X_GB[at].R * transpose(joint.R_FB);
    for (int k = 0; k < joint.freedoms; ++k) {
      const std::size_t freedom = static_cast<std::size_t>(model_.links[at].v + k);
      S_G_[freedom] = {R_GF * joint.S[k].w, R_GF * joint.S[k].v};
      loads_.push_back({at, freedom, static_cast<std::size_t>(groups_.group[at]), {}});
    }
  }
}

// k is what (5) gives for the units of x. Inertias are summed about the origins of links, so that no digits are lost where a
// group is far from its own.
void ReducedFigure::find_coefficients() {
  std::vector<Inertia<double>> I_G(
      model_.links.size());  // of each link and all members on it, about Bo in the axes of G
  for (std::size_t i = model_.links.size() - 1; i > 0; --i) {
    I_G[i] += Transform<double>{groups_.X_GB[i].R, {}} * model_.params.links[i].I;
    const std::size_t parent = static_cast<std::size_t>(model_.links[i].parent);
    if (is_head(i)) continue;
    I_G[parent] += Transform<double>{Mat3<double>::identity(), groups_.X_GB[i].p - groups_.X_GB[parent].p} * I_G[i];
  }
  const Vec3<double> none, unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (Load& load : loads_) {
    const auto carried = [&](const Vec3<double>& a, const Vec3<double>& w_dot, const Vec3<double>& w) {
      return power(wrench_of_motion(I_G[load.link], groups_.X_GB[load.link].p, a, w_dot, w), S_G_[load.freedom]);
    };
    std::array<double, 12>& k = load.k;
    for (std::size_t c = 0; c < 3; ++c) {
      k[c] = carried(unit[c], none, none);
      k[3 + c] = carried(none, unit[c], none);
      k[6 + c] = carried(none, none, unit[c]);
    }
    std::size_t at = 9;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = c + 1; d < 3; ++d) k[at++] = carried(none, none, unit[c] + unit[d]) - k[6 + c] - k[6 + d];
  }
}

void ReducedFigure::place(std::span<const double> q, std::span<const double> v) {
  gather(q, v, {});
  if (placed_ && same_bits(q_, placed_q_) && same_bits(v_, placed_v_)) return;
  placed_q_.swap(q_), placed_v_.swap(v_);
  solver_.place(placed_q_, placed_v_, kinematics_);
  placed_ = true, fell_ = false;
}

// (4); what the held motions of general joints are in W is turned with them.
void ReducedFigure::place_links(Kinematics<double>& out) const {
  for (int i = 1; i < model_.nlink(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i), g = static_cast<std::size_t>(groups_.group[at]);
    const Transform<double>& X_WG = kinematics_.X_WB[g];
    const Twist<double>& V_WG = kinematics_.V_WB[g];
    const int general = model_.links[at].general;
    if (groups_.head[g] == i) {
      out.X_WB[at] = X_WG, out.V_WB[at] = V_WG;
      if (general >= 0)
        out.general[static_cast<std::size_t>(general)] =
            kinematics_.general[static_cast<std::size_t>(groups_.model.links[g].general)];
      continue;
    }
    const Vec3<double> p_GoBo_W = X_WG.R * groups_.X_GB[at].p;
    out.X_WB[at] = {X_WG.R * groups_.X_GB[at].R, X_WG.p + p_GoBo_W};
    out.V_WB[at] = {V_WG.w, V_WG.v + cross(V_WG.w, p_GoBo_W)};
    for (int k = 0; general >= 0 && k < freedom_count(model_.links[at]); ++k) {
      const Twist<double>& S_G = S_G_[static_cast<std::size_t>(model_.links[at].v + k)];
      out.general[static_cast<std::size_t>(general)][static_cast<std::size_t>(k)] = {X_WG.R * S_G.w, X_WG.R * S_G.v};
    }
  }
}

// What is held to the world has a potential alone.
Totals<double> ReducedFigure::totals() const {
  Totals<double> sum = marey::totals(groups_.model, groups_.model.params, kinematics_);
  const Inertia<double>& of_world = groups_.model.params.links[0].I;
  sum.mass += of_world.m;
  sum.first_moment += of_world.h;
  sum.gravity_potential -= dot(model_.params.gravity, of_world.h);
  return sum;
}

Vec3<double> ReducedFigure::first_moment() const {
  Vec3<double> sum = groups_.model.params.links[0].I.h;  // of what is held to the world
  for (std::size_t g = 1; g < groups_.model.links.size(); ++g) {
    const Inertia<double>& I = groups_.model.params.links[g].I;
    sum += kinematics_.X_WB[g].R * I.h + I.m * kinematics_.X_WB[g].p;
  }
  return sum;
}

// What the joints that move have of all velocities, or forces.
template <class X>
void ReducedFigure::gather_velocities(std::span<const X> of_figure, std::span<X> of_groups) const {
  for (int g = 1; g < groups_.model.nlink(); ++g) {
    const LinkTopology &to = groups_.model.links[g], &from = model_.links[groups_.head[g]];
    std::copy_n(of_figure.data() + from.v, freedom_count(from), of_groups.data() + to.v);
  }
}

void ReducedFigure::gather(std::span<const double> q, std::span<const double> v, std::span<const double> tau) {
  for (int g = 1; g < groups_.model.nlink(); ++g) {
    const LinkTopology &to = groups_.model.links[g], &from = model_.links[groups_.head[g]];
    std::copy_n(q.data() + from.q, coordinate_count(from), q_.data() + to.q);
  }
  gather_velocities<double>(v, v_);
  if (!tau.empty()) gather_velocities<double>(tau, tau_);
}

// Of held joints 0.
void ReducedFigure::scatter(std::span<const double> of_groups, std::span<double> of_figure) const {
  std::fill(of_figure.begin(), of_figure.end(), 0.0);
  for (int g = 1; g < groups_.model.nlink(); ++g) {
    const LinkTopology &from = groups_.model.links[g], &to = model_.links[groups_.head[g]];
    std::copy_n(of_groups.data() + from.v, freedom_count(from), of_figure.data() + to.v);
  }
}

// (1)
void ReducedFigure::sum_wrenches(const Kinematics<double>& kinematics, std::span<const Wrench<double>> F_Bo_W) {
  std::fill(F_Go_W_.begin(), F_Go_W_.end(), Wrench<double>{});
  for (int i = 1; i < model_.nlink(); ++i) {
    const int g = groups_.group[i];
    const Vec3<double> p_GoBo_W = kinematics.X_WB[i].p - kinematics.X_WB[groups_.head[g]].p;
    F_Go_W_[g] += shifted(F_Bo_W[i], p_GoBo_W);
  }
}

void ReducedFigure::solve(const Kinematics<double>& kinematics, std::span<const double> q, std::span<const double> v,
                          const Forces<double>& forces, std::span<double> vdot) {
  place(q, v);
  solve_placed(kinematics, forces, vdot);
}

void ReducedFigure::solve_placed(const Kinematics<double>& kinematics, const Forces<double>& forces,
                                 std::span<double> vdot) {
  if (forces.tau.empty() && forces.F_Bo_W.empty()) {
    if (!fell_) solver_.solve_placed(placed_q_, placed_v_, {}, falling_);
    fell_ = true;
    return scatter(falling_, vdot);
  }
  Forces<double> of_groups;
  if (!forces.tau.empty()) {
    gather_velocities<double>(forces.tau, tau_);
    of_groups.tau = tau_;
  }
  if (!forces.F_Bo_W.empty()) {
    sum_wrenches(kinematics, forces.F_Bo_W);
    of_groups.F_Bo_W = F_Go_W_;
  }
  solver_.solve_placed(placed_q_, placed_v_, of_groups, vdot_);
  scatter(vdot_, vdot);
}

// Coordinates of the groups are those of the joints that move, so that their part of p is all that does anything.
void ReducedFigure::respond(std::span<const double> q, std::span<const double> p, std::span<double> dv) {
  gather(q, zero_, p);
  if (groups_.model.nv > 0) {
    if (!factored_) aba<double>(groups_.model, weightless_, q_, v_, {}, aba_, vdot_);
    factored_ = true;
    response_.use(groups_.model, groups_.model.params, aba_);
    response_.respond(tau_, vdot_);
  }
  scatter(vdot_, dv);
}

// ---- what held joints carry
// Of (6): what other groups and forces from outside do to the members, inward from link to link.
void ReducedFigure::sum_beside_members(std::span<const Wrench<double>> F_Bo_W, const Kinematics<double>& kinematics) {
  std::fill(F_G_.begin(), F_G_.end(), Wrench<double>{});
  for (std::size_t i = model_.links.size() - 1; i > 0; --i) {
    const std::size_t g = static_cast<std::size_t>(groups_.group[i]);
    const std::size_t parent = static_cast<std::size_t>(model_.links[i].parent);
    Wrench<double>& F = F_G_[i];
    if (!F_Bo_W.empty()) {
      const Mat3<double>& R_WG = kinematics.X_WB[static_cast<std::size_t>(groups_.head[g])].R;
      F -= Wrench<double>{transpose_times(R_WG, F_Bo_W[i].n), transpose_times(R_WG, F_Bo_W[i].f)};
    }
    if (parent == 0) continue;
    const Vec3<double>& p_P = groups_.X_GB[parent].p;
    if (is_head(i)) {  // from one group to another, whose axes are others
      const RneaLink<double>& group = rnea_of_groups_.links[g];
      F_G_[parent] += shifted(Wrench<double>{group.R * group.F.n, group.R * group.F.f}, group.r - p_P);
    } else {
      F_G_[parent] += shifted(F, groups_.X_GB[i].p - p_P);
    }
  }
}

void ReducedFigure::weigh(std::span<const double> q, std::span<const double> v, std::span<const double> vdot,
                          std::span<const Wrench<double>> F_Bo_W, const Kinematics<double>& kinematics,
                          std::span<double> needed) {
  gather(q, v, {});
  gather_velocities<double>(vdot, vdot_);
  if (!F_Bo_W.empty()) sum_wrenches(kinematics, F_Bo_W);
  rnea<double>(groups_.model, groups_.model.params, q_, v_, vdot_,
               F_Bo_W.empty() ? F_Bo_W : std::span<const Wrench<double>>(F_Go_W_), rnea_of_groups_, tau_);
  for (std::size_t g = 0; g < x_.size(); ++g) {
    const RneaLink<double>& group = rnea_of_groups_.links[g];
    const Vec3<double>&a = group.a, &w_dot = group.w_dot, &w = group.w;
    x_[g] = {a.x,       a.y,       a.z,       w_dot.x,   w_dot.y,   w_dot.z,
             w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z};
  }
  const bool others = one_holds_another_ || !F_Bo_W.empty();
  if (others) sum_beside_members(F_Bo_W, kinematics);
  for (const Load& load : loads_) {  // (6)
    const std::array<double, 12>& x = x_[load.group];
    double sum = others ? power(F_G_[load.link], S_G_[load.freedom]) : 0;
    for (std::size_t c = 0; c < x.size(); ++c) sum += load.k[c] * x[c];
    needed[load.freedom] = sum;
  }
}

// ---- with freedoms held that move as they are told
HeldResponse* ReducedFigure::with_held(std::span<const double> q, std::span<const unsigned char> held) {
  if (!held_response_) held_response_ = std::make_unique<GroupsHeld>(*this);
  GroupsHeld& out = *held_response_;
  out.held.resize(v_.size());
  gather_velocities<unsigned char>(held, out.held);
  gather(q, zero_, {});
  out.of_groups.factor(groups_.model, groups_.model.params, q_, out.held);
  return &out;
}

// What acts in welded joints does nothing, and nothing is asked of them.
void ReducedFigure::GroupsHeld::respond_to_both(std::span<double> p, std::span<double> dv) {
  ReducedFigure& f = figure_;
  f.gather_velocities<double>(p, f.tau_);
  f.gather_velocities<double>(dv, f.vdot_);
  of_groups.respond_to_both(f.tau_, f.vdot_);
  f.scatter(f.vdot_, dv);
  f.scatter(f.tau_, p);
}

void ReducedFigure::GroupsHeld::respond(std::span<const double> p, std::span<double> dv) {
  ReducedFigure& f = figure_;
  f.gather_velocities<double>(p, f.tau_);
  of_groups.respond(f.tau_, f.vdot_);
  f.scatter(f.vdot_, dv);
}

bool ReducedFigure::GroupsHeld::half_respond_to(std::span<const double> p, std::span<double> u,
                                                std::span<double> D_inverse_u) {
  ReducedFigure& f = figure_;
  f.gather_velocities<double>(p, f.tau_);
  of_groups.half_respond_to(f.tau_, f.v_, f.vdot_);
  f.scatter(f.v_, u);
  f.scatter(f.vdot_, D_inverse_u);
  return true;
}

void ReducedFigure::hold(std::span<const double> q, std::span<double> v) {
  std::copy(v.begin(), v.end(), v_held_.begin());
  for (int g = 1; g < groups_.model.nlink(); ++g) {
    const LinkTopology& link = model_.links[groups_.head[g]];
    std::fill_n(v_held_.begin() + link.v, freedom_count(link), 0.0);
  }
  Params<double> still = model_.params;
  still.gravity = {};
  rnea<double>(model_, still, q, zero_, v_held_, {}, rnea_, p_);  // M (0, v_h)
  gather(q, zero_, p_);
  factored_ = false;
  if (groups_.model.nv > 0) aba<double>(groups_.model, weightless_, q_, v_, {tau_, {}}, aba_, vdot_);  // (3)
  scatter(vdot_, p_);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += p_[k];
  for (int i = 1; i < model_.nlink(); ++i)
    if (groups_.head[groups_.group[i]] != i)
      std::fill_n(v.begin() + model_.links[i].v, freedom_count(model_.links[i]), 0.0);
}

}  // namespace marey
