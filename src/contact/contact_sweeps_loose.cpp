// Contacts of loose bodies, which most of a heap are: (2) and (3) of marey/contact/contact_sweeps.h in packs.
#include <algorithm>
#include <cmath>

#include "marey/contact/contact_sweeps.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {

using Four = Pack<double, 4>;
using Eight = Pack<double, 8>;

}  // namespace

// Where it is one: the others stay with the general way.
void ContactSweeps::add_loose_point(Placed& b) {
  for (int p = 0; p < b.parts; ++p)
    if (trees_here_[tree_of_[b.place[static_cast<std::size_t>(p)]]].count != 1) return;
  if (b.parts == 2 && b.place[0] == b.place[1]) return;
  b.loose = static_cast<int>(loose_points_.size());
  LoosePoint& point = loose_points_.emplace_back();
  const std::size_t world = links_.size();
  for (std::size_t p = 0; p < 2; ++p) {
    const bool is_there = static_cast<int>(p) < b.parts;
    point.place[p] = is_there ? b.place[p] : world;
    if (!is_there) continue;
    const double* columns = Lambda_.data() + trees_here_[tree_of_[b.place[p]]].Lambda;
    for (std::size_t r = 0; r < 3; ++r) {
      const double* F = F_.data() + b.F + (r * static_cast<std::size_t>(b.parts) + p) * width;
      for (std::size_t k = 0; k < 6; ++k) {
        point.F[p][k][r] = F[k];
        for (std::size_t l = 0; l < width; ++l) point.G[p][r][l] += F[k] * columns[k * width + l];
      }
    }
  }
  const double* A = A_.data() + b.A;
  point.own_normal = A[0];
  point.A_tn[0] = A[3], point.A_tn[1] = A[6];
  point.step = b.step[0], point.size = b.step[0] > 0 ? 1 / b.step[0] : 0;
}

void ContactSweeps::load_loose_points(const ConeProblem& problem, std::span<const double> P) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Placed& b = blocks_[i];
    if (b.loose < 0) continue;
    LoosePoint& point = loose_points_[static_cast<std::size_t>(b.loose)];
    std::copy_n(P.data() + b.first, 3, point.P), std::copy_n(problem.u_free.data() + b.first, 3, point.u_free);
    point.compliance = problem.compliance.empty() ? 0 : problem.compliance[b.first];
    point.own = A_[b.A] + point.compliance, point.inverse_own = point.own > 0 ? 1 / point.own : 0;
    point.friction = problem.blocks[i].friction;
  }
}

// The normal alone, without compliance; returns the change of λ.
double ContactSweeps::relax_loose_normal(LoosePoint& point, double rhs, double& lambda) {
  double *V_a = V_.data() + point.place[0] * width, *V_b = V_.data() + point.place[1] * width;
  double at_a = rhs, at_b = 0;
  for (int k = 0; k < 6; ++k) at_a += point.F[0][k][0] * V_a[k], at_b += point.F[1][k][0] * V_b[k];
  const double next = std::max(0.0, lambda - (at_a + at_b) / point.own_normal), d = next - lambda;
  lambda = next;
  if (d == 0) return 0;
  (Eight::load(V_a) + Eight(d) * Eight::load(point.G[0][0])).store(V_a);
  (Eight::load(V_b) + Eight(d) * Eight::load(point.G[1][0])).store(V_b);
  return std::abs(d);
}

double ContactSweeps::relax_loose(LoosePoint& point) {
  double *V_a = V_.data() + point.place[0] * width, *V_b = V_.data() + point.place[1] * width;
  Four at_a = Four::load(point.u_free), at_b{};
  for (int k = 0; k < 6; ++k) {
    at_a += Four::load(point.F[0][k]) * Four(V_a[k]);
    at_b += Four::load(point.F[1][k]) * Four(V_b[k]);
  }
  const Four u = at_a + at_b;
  double* P = point.P;
  const double normal =
      point.inverse_own > 0 ? std::max(0.0, P[0] - (u[0] + point.compliance * P[0]) * point.inverse_own) : 0;
  const double d_n = normal - P[0];
  if (normal == 0 && d_n == 0 && P[1] == 0 && P[2] == 0) return 0;  // apart, and stays so
  const double x = P[1] - point.step * (u[1] + point.A_tn[0] * d_n),
               y = P[2] - point.step * (u[2] + point.A_tn[1] * d_n);
  const double most = point.friction * normal, length2 = x * x + y * y;
  const double part = length2 > most * most ? most / std::sqrt(length2) : 1;
  const double d_x = part * x - P[1], d_y = part * y - P[2];
  P[0] = normal, P[1] = part * x, P[2] = part * y;
  const auto push_one = [&](double* V, const double(&G)[3][8]) {
    const Eight sum = Eight::load(V) + Eight(d_n) * Eight::load(G[0]) +
                      (Eight(d_x) * Eight::load(G[1]) + Eight(d_y) * Eight::load(G[2]));
    sum.store(V);
  };
  push_one(V_a, point.G[0]);
  push_one(V_b, point.G[1]);
  return std::max(std::abs(d_n) * point.own, std::max(std::abs(d_x), std::abs(d_y)) * point.size);
}

}  // namespace marey
