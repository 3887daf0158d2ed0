#include "sim/tumbling.h"

#include <algorithm>
#include <cmath>

#include "marey/integrate.h"
#include "marey/integrate/turn.h"
#include "marey/plant/particle_plant.h"
#include "marey/shape.h"

namespace marey {

namespace {

constexpr double fast_turn =
    0.05;  // rad: by which ω of a body may turn in its axes within a step, and be left to rounds
constexpr double fast_links = 0.05;    // rad: by which a link of a figure may turn within a step, likewise
constexpr double well_below = 0.999;   // of a bound, so that rounding of sums decides nothing
constexpr double longest_part = 0.05;  // rad: of a turn, in one go of (1)
constexpr double longest_of_links = 0.025;
constexpr double most_parts = 400;  // of half a step
constexpr double widest_half = 1;   // rad: of half a turn, which is without error in one go; more is not told anyway
constexpr std::size_t bodies_at_once = 64;  // that a thread takes
constexpr int most_rounds = 12;
constexpr double round = 1e-12;    // unlikeness of a body that turns steadily
constexpr double thinnest = 1e-9;  // of its moments: with less it cannot be turned about its axis

using Vec = Vec3<double>;
Vec part(std::span<const double> x, std::size_t i) { return {x[i], x[i + 1], x[i + 2]}; }
void put(std::span<double> x, std::size_t i, const Vec& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }
Quaternion<double> attitude(std::span<const double> q, std::size_t i) { return {q[i], q[i + 1], q[i + 2], q[i + 3]}; }

// By Cramer's rule; what is solved is near the identity, times inertia.
Vec solve(const Mat3<double>& a, const Vec& b) {
  const Vec x{a.xx, a.yx, a.zx}, y{a.xy, a.yy, a.zy}, z{a.xz, a.yz, a.zz};
  const double d = 1 / dot(x, cross(y, z));
  return {d * dot(b, cross(y, z)), d * dot(x, cross(b, z)), d * dot(x, cross(y, b))};
}

// (1), (2): ω⁺ for ω⁻, and the turn about the mean of both.
Vec turn_on(const Sym3<double>& J, const Vec& before, double tau, Quaternion<double>& R) {
  Vec after = before, mean = before;
  double by = tau;  // τ′
  for (int k = 0; k < most_rounds; ++k) {
    const double x = 0.5 * tau * norm(mean);
    by = x < 1e-4 ? tau * (1 + x * x / 3) : x < widest_half ? tau * std::tan(x) / x : tau;
    const Vec momentum = J * mean;
    const Vec off = J * (after - before) + by * cross(mean, momentum);
    const Mat3<double> slope = to_mat3(J) + (0.5 * by) * (tilde_times(mean, J) - tilde(momentum));
    const Vec change = solve(slope, off);
    after = after - change, mean = 0.5 * (before + after);
    if (!(norm_squared(change) > 1e-32 * norm_squared(after))) break;
  }
  R = turned_first_order(R, by * mean);  // a turn by 2 atan(½τ′ |ω|)
  return after;
}

// Those that a constraint acts on.
std::vector<bool> held_links(const Model& figure, std::span<const Constraint> constraints) {
  std::vector<bool> held(figure.links.size());
  for (const Constraint& c : constraints) {
    held[static_cast<std::size_t>(c.a.link)] = held[static_cast<std::size_t>(c.b.link)] = true;
    for (const int link : joints_of(c)) held[static_cast<std::size_t>(link)] = true;
  }
  return held;
}

double parts_of(double turn, double longest) { return std::clamp(std::ceil(turn / longest), 1.0, most_parts); }

// How fast a link may turn against its parent.
double largest_turning(const LinkTopology& link, const double* v) {
  const int first = link.joint == JointType::slider || link.joint == JointType::point ? freedom_count(link) : 0;
  const int last = link.joint == JointType::free ? 3 : freedom_count(link);
  double sum = 0;
  for (int k = first; k < last; ++k) sum += std::abs(v[k]);
  return sum;
}

}  // namespace

// ---- figures of several links
struct Tumbling::Figure {
  int root;                             // among all links
  Model model;                          // alone, without gravity
  std::vector<std::size_t> q_at, v_at;  // of its coordinates, among all
  AbaWorkspace<double> ws;
  Kinematics<double> kinematics;
  Stepper<double> stepper;
  std::vector<double> q, v, q_end, no_forces, own;
  std::vector<double> reach;  // [nlink] rad/s: how fast links may turn
  double turning = 0;         // rad/s: of the fastest link

  Figure(const Model& whole, const std::vector<int>& links)
      : root(links[1]),
        model(part_of(whole, links)),
        ws(model),
        kinematics(model),
        stepper(model, Integrator::rk4, 0),
        q(static_cast<std::size_t>(model.nq)),
        v(static_cast<std::size_t>(model.nv)),
        q_end(q),
        no_forces(v.size()),
        own(v),
        reach(links.size()) {
    model.params.gravity = {};
    for (const int i : links) {
      const LinkTopology& link = whole.links[static_cast<std::size_t>(i)];
      for (int k = 0; k < coordinate_count(link); ++k) q_at.push_back(static_cast<std::size_t>(link.q + k));
      for (int k = 0; k < freedom_count(link); ++k) v_at.push_back(static_cast<std::size_t>(link.v + k));
    }
  }
  // Σ|v|, in sums that do not wait for each other.
  double sum_of(std::span<const double> all) const {
    double sums[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= v_at.size(); k += 4)
      for (std::size_t l = 0; l < 4; ++l) sums[l] += std::abs(all[v_at[k + l]]);
    for (; k < v_at.size(); ++k) sums[0] += std::abs(all[v_at[k]]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  static void take(std::span<const double> all, const std::vector<std::size_t>& at, std::vector<double>& out) {
    for (std::size_t k = 0; k < at.size(); ++k) out[k] = all[at[k]];
  }
  static void give(const std::vector<double>& own, const std::vector<std::size_t>& at, std::span<double> all) {
    for (std::size_t k = 0; k < at.size(); ++k) all[at[k]] = own[k];
  }
  // By all velocities together, which no way through joints has more of; then by joints alone.
  bool is_fast(std::span<const double> all_q, std::span<const double> all_v, double h) {
    if (!(h * sum_of(all_v) > well_below * fast_links)) return false;
    take(all_v, v_at, v);
    double most = 0;
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      const LinkTopology& link = model.links[i];
      reach[i] = reach[static_cast<std::size_t>(link.parent)] + largest_turning(link, v.data() + link.v);
      most = std::max(most, reach[i]);
    }
    if (!(h * most > fast_links)) return false;
    take(all_q, q_at, q);
    forward_kinematics<double>(model, model.params, q, v, kinematics);
    turning = 0;
    for (const Twist<double>& V : kinematics.V_WB) turning = std::max(turning, norm(V.w));
    return h * turning > fast_links;
  }
  void go_on(double s) {
    const double parts = parts_of(s * turning, longest_of_links);
    const auto by_itself = [&](double, std::span<const double> q_s, std::span<const double> v_s, std::span<double> vdot,
                               std::span<double>) { accelerate(q_s, v_s, vdot); };
    for (int k = 0; k < static_cast<int>(parts); ++k) stepper.step(0, s / parts, q, v, {}, by_itself);
  }
  void accelerate(std::span<const double> q_s, std::span<const double> v_s, std::span<double> vdot) {
    aba<double>(model, model.params, q_s, v_s, {no_forces, {}}, ws, vdot);
  }
};

Tumbling::~Tumbling() = default;
Tumbling::Tumbling(Tumbling&&) noexcept = default;
Tumbling& Tumbling::operator=(Tumbling&&) noexcept = default;

// ---- all
Tumbling::Tumbling(const Model& figure, const Model& coordinates, std::span<const Constraint> constraints) {
  const std::vector<bool> held = held_links(figure, constraints);
  goes_alone_.resize(figure.links.size());
  std::vector<std::vector<int>> trees(figure.links.size());
  std::vector<int> root(figure.links.size());
  for (int i = 1; i < figure.nlink(); ++i) {
    const int parent = figure.links[static_cast<std::size_t>(i)].parent;
    root[static_cast<std::size_t>(i)] = parent == 0 ? i : root[static_cast<std::size_t>(parent)];
    std::vector<int>& tree = trees[static_cast<std::size_t>(root[static_cast<std::size_t>(i)])];
    if (tree.empty()) tree.push_back(0);
    tree.push_back(i);
  }
  for (const std::vector<int>& tree : trees) {
    if (tree.empty() || std::ranges::any_of(tree, [&](int i) { return i > 0 && held[static_cast<std::size_t>(i)]; }))
      continue;
    const auto first = static_cast<std::size_t>(tree[1]);
    if (figure.links[first].joint != JointType::free) continue;
    if (tree.size() > 2 && &figure != &coordinates) continue;
    for (const int i : tree) goes_alone_[static_cast<std::size_t>(i)] = 1;
    if (tree.size() == 2)
      add_body(figure, first, coordinates.links[first]);
    else
      figures_.push_back(std::make_unique<Figure>(figure, tree));
  }
  fast_.reserve(bodies_.size()), whirled_.reserve(figures_.size());
}

void Tumbling::add_body(const Model& figure, std::size_t link, const LinkTopology& own) {
  const Inertia<double>& I = figure.params.links[link].I;
  const Vec moments = principal_axes(I).moments;
  const auto& [A, B, C] = moments;
  if (!(std::min({A, B, C}) > thinnest * std::max({A, B, C}))) return;
  Body body{static_cast<int>(link), static_cast<std::size_t>(own.q), static_cast<std::size_t>(own.v)};
  body.c = (1 / I.m) * I.h;
  body.J = central_inertia(I), body.J_inverse = inverse(body.J);
  body.unlikeness = std::max({std::abs(B - C) / A, std::abs(C - A) / B, std::abs(A - B) / C});
  bodies_.push_back(body);
}

bool Tumbling::choose_always() {
  always_ = true;
  return figures_.empty() && bodies_.size() + 1 == goes_alone_.size();
}

bool Tumbling::choose(std::span<const double> q, std::span<const double> v, double h) {
  fast_.clear(), whirled_.clear();
  return choose_more(q, v, h);
}

bool Tumbling::choose_more(std::span<const double> q, std::span<const double> v, double h) {
  const std::size_t before = fast_.size() + whirled_.size();
  for (const Body& b : bodies_) {
    if (always_) {
      if (before == 0 && (b.unlikeness > round || norm_squared(b.c) > 0)) fast_.push_back(&b);
      continue;
    }
    const double turn = h * b.unlikeness;
    if (!(turn * turn * norm_squared(part(v, b.v)) > fast_turn * fast_turn)) continue;
    if (before == 0 || std::ranges::find(fast_, &b) == fast_.end()) fast_.push_back(&b);
  }
  for (const std::unique_ptr<Figure>& f : figures_)
    if (f->is_fast(q, v, h) && std::ranges::find(whirled_, f.get()) == whirled_.end()) whirled_.push_back(f.get());
  return fast_.size() + whirled_.size() > before;
}

void Tumbling::drift(const Body& b, double s, std::span<const double> q, std::span<const double> v,
                     std::span<double> q_out, std::span<double> v_out) {
  Quaternion<double> R = attitude(q, b.q);
  Vec w = part(v, b.v);
  const Vec v_C = part(v, b.v + 3) + rotation(R) * cross(w, b.c);
  const Vec p_C = part(q, b.q + 4) + rotation(R) * b.c + s * v_C;  // (3)
  const double parts = parts_of(s * norm(w), longest_part);
  for (int k = 0; k < static_cast<int>(parts); ++k) w = turn_on(b.J, w, s / parts, R);
  q_out[b.q] = R.w, q_out[b.q + 1] = R.x, q_out[b.q + 2] = R.y, q_out[b.q + 3] = R.z;
  put(q_out, b.q + 4, p_C - rotation(R) * b.c);
  put(v_out, b.v, w), put(v_out, b.v + 3, v_C - rotation(R) * cross(w, b.c));
}

void Tumbling::drift(double s, std::span<const double> q, std::span<const double> v, std::span<double> q_out,
                     std::span<double> v_out) {
  const auto piece = [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = from; i < to; ++i) drift(*fast_[i], s, q, v, q_out, v_out);
  };
  if (threads_ != nullptr)
    threads_->in_pieces(fast_.size(), bodies_at_once, piece);
  else
    piece(0, 0, fast_.size(), 0);
  for (Figure* f : whirled_) {
    Figure::take(q, f->q_at, f->q), Figure::take(v, f->v_at, f->v);
    f->go_on(s);
    Figure::give(f->q, f->q_at, q_out), Figure::give(f->v, f->v_at, v_out);
  }
}

void Tumbling::take_own(std::span<const double> q, std::span<const double> v, std::span<double> vdot) {
  for (const Body* b : fast_) {
    const Vec w = part(v, b->v), own = b->J_inverse * cross(b->J * w, w);
    const Vec of_C = cross(own, b->c) + cross(w, cross(w, b->c));  // of C against Bo, which stays behind
    put(vdot, b->v, part(vdot, b->v) - own);
    put(vdot, b->v + 3, part(vdot, b->v + 3) + rotation(attitude(q, b->q)) * of_C);
  }
  for (Figure* f : whirled_) {
    Figure::take(q, f->q_at, f->q), Figure::take(v, f->v_at, f->v);
    f->accelerate(f->q, f->v, f->own);
    for (std::size_t k = 0; k < f->own.size(); ++k) vdot[f->v_at[k]] -= f->own[k];
  }
}

Tumbling::Fastest Tumbling::fastest(std::span<const double> v) const {
  Fastest most;
  const auto look = [&](int link, double turning) {
    if (turning > most.turning) most = {link, turning};
  };
  for (const Body* b : fast_) look(b->link, norm(part(v, b->v)));
  for (const Figure* f : whirled_) look(f->root, f->turning);
  return most;
}

void Tumbling::keep_centers(std::span<const double> q_before, std::span<const double> q, std::span<double> v) const {
  for (const Body* b : fast_) {
    const Vec of_C = cross(part(v, b->v), b->c);
    const Vec change = rotation(attitude(q_before, b->q)) * of_C - rotation(attitude(q, b->q)) * of_C;
    put(v, b->v + 3, part(v, b->v + 3) + change);
  }
}

void Tumbling::mean_velocities(double s, std::span<const double> q, std::span<const double> q_out,
                               std::span<double> v) {
  for (const Body* b : fast_) {
    put(v, b->v, (1 / s) * rotation_of_quaternion(conjugate(attitude(q, b->q)) * attitude(q_out, b->q)));
    put(v, b->v + 3, (1 / s) * (part(q_out, b->q + 4) - part(q, b->q + 4)));
  }
  for (Figure* f : whirled_) {
    Figure::take(q, f->q_at, f->q), Figure::take(q_out, f->q_at, f->q_end);
    difference<double>(f->model, f->q, f->q_end, f->v);
    for (double& x : f->v) x /= s;
    Figure::give(f->v, f->v_at, v);
  }
}

}  // namespace marey
