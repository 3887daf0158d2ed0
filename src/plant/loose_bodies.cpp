#include "plant/loose_bodies.h"

#include <algorithm>

#include "marey/dynamics/joint.h"

namespace marey {

namespace {

constexpr int least_number = 100;            // fewer are left to who knows trees
constexpr std::size_t bodies_at_once = 128;  // that a thread takes

using Vec = Vec3<double>;
Vec three_at(std::span<const double> x, std::size_t i) { return {x[i], x[i + 1], x[i + 2]}; }
void put_three(std::span<double> x, std::size_t i, const Vec& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }
Mat3<double> attitude_of(std::span<const double> q, const LinkTopology& link) {
  const double* x = q.data() + link.q;
  return rotation(Quaternion<double>{x[0], x[1], x[2], x[3]});
}

}  // namespace

bool LooseBodies::serve(const Model& model) {
  if (model.nlink() - 1 < least_number) return false;
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[static_cast<std::size_t>(i)];
    if (link.parent != 0 || link.joint != JointType::free || !link.leaf) return false;
    if (!(model.params.links[static_cast<std::size_t>(i)].I.m > 0)) return false;
  }
  return true;
}

LooseBodies::LooseBodies(const Model& model, Threads* threads)
    : model_(model), threads_(threads), bodies_(model.links.size()) {
  take_masses();
}

void LooseBodies::take_masses() {
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const Inertia<double>& I = model_.params.links[i].I;
    Body& b = bodies_[i];
    b.m = I.m, b.inverse_m = 1 / I.m, b.c = (1 / I.m) * I.h;
    b.is_centred = norm_squared(b.c) == 0;
    b.J = I.J - point_inertia(I.m, b.c), b.inverse_J = inverse(b.J);
  }
}

// f(body, its topology, number of the link).
template <class F>
void LooseBodies::for_bodies(const F& f) {
  const auto piece = [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = std::max<std::size_t>(from, 1); i < to; ++i) f(bodies_[i], model_.links[i], i);
  };
  if (threads_ != nullptr)
    threads_->in_pieces(bodies_.size(), bodies_at_once, piece);
  else
    piece(0, 0, bodies_.size(), 0);
}

// (1)
void LooseBodies::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  for_bodies([&](const Body& b, const LinkTopology& link, std::size_t) {
    const auto k = static_cast<std::size_t>(link.v);
    const Vec w = three_at(v, k), v_F = three_at(v, k + 3);
    if (b.is_centred) return put_three(p, k, b.J * w), put_three(p, k + 3, b.m * v_F);
    const Mat3<double> R = attitude_of(q, link);
    const Vec f_B = b.m * (transpose_times(R, v_F) + cross(w, b.c));
    put_three(p, k, b.J * w + cross(b.c, f_B)), put_three(p, k + 3, R * f_B);
  });
}

// (2)
void LooseBodies::respond(std::span<const double> q, std::span<const double> p, std::span<double> dv) {
  for_bodies([&](const Body& b, const LinkTopology& link, std::size_t) {
    const auto k = static_cast<std::size_t>(link.v);
    const Vec n = three_at(p, k), f = three_at(p, k + 3);
    if (b.is_centred) return put_three(dv, k, b.inverse_J * n), put_three(dv, k + 3, b.inverse_m * f);
    const Mat3<double> R = attitude_of(q, link);
    const Vec f_B = transpose_times(R, f), w = b.inverse_J * (n - cross(b.c, f_B));
    put_three(dv, k, w), put_three(dv, k + 3, R * (b.inverse_m * f_B - cross(w, b.c)));
  });
}

// (3), (2)
void LooseBodies::accelerate(std::span<const double> q, std::span<const double> v, const Forces<double>& forces,
                             std::span<double> vdot) {
  const Vec gravity = model_.params.gravity;
  for_bodies([&](const Body& b, const LinkTopology& link, std::size_t i) {
    const auto k = static_cast<std::size_t>(link.v);
    const Mat3<double>& R_WF = model_.params.links[i].R_PF;
    const Mat3<double> R = attitude_of(q, link);
    Vec n, f;  // of forces, as in (2)
    if (!forces.tau.empty()) n = three_at(forces.tau, k), f = three_at(forces.tau, k + 3);
    if (!forces.F_Bo_W.empty()) {
      const Vec f_F = transpose_times(R_WF, forces.F_Bo_W[i].f);
      n += transpose_times(R, transpose_times(R_WF, forces.F_Bo_W[i].n)), f += f_F;
    }
    const Vec w = three_at(v, k), f_B = transpose_times(R, f);
    const Vec alpha = b.inverse_J * (cross(b.J * w, w) + n - cross(b.c, f_B));
    const Vec a_B = b.inverse_m * f_B - cross(alpha, b.c) - cross(w, cross(w, b.c));
    put_three(vdot, k, alpha), put_three(vdot, k + 3, transpose_times(R_WF, gravity) + R * a_B);
  });
}

}  // namespace marey
