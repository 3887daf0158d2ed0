// Contacts of three rows, which most are: (2) and (3) of marey/contact/contact_sweeps.h in packs.
#include <algorithm>
#include <cmath>

#include "marey/contact/contact_sweeps.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {

using Four = Pack<double, 4>;
using Eight = Pack<double, 8>;

}  // namespace

void ContactSweeps::load_points(const ConeProblem& problem, std::span<const double> P) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Placed& b = blocks_[i];
    if (b.point < 0) continue;
    Point& point = points_[static_cast<std::size_t>(b.point)];
    std::copy_n(P.data() + b.first, 3, point.P), std::copy_n(problem.u_free.data() + b.first, 3, point.u_free);
    point.compliance = problem.compliance.empty() ? 0 : problem.compliance[b.first];
    point.own = A_[b.A] + point.compliance, point.inverse_own = point.own > 0 ? 1 / point.own : 0;
    point.friction = problem.blocks[i].friction;
  }
}

double ContactSweeps::relax_point(Point& point) {
  double* y = y_.data();
  const Side *first = sides_.data() + point.first_side, *end = first + point.sides;
  Four even = Four::load(point.u_free), odd{};
  for (const Side* side = first; side != end; ++side) {
    const std::uint32_t* at = at_.data() + side->at;
    const double* u = u_.data() + side->u;
    std::size_t k = 0;
    for (; k + 2 <= side->numbers; k += 2) {
      even += Four::load(u + four * k) * Four(y[at[k]]);
      odd += Four::load(u + four * k + four) * Four(y[at[k + 1]]);
    }
    if (k < side->numbers) even += Four::load(u + four * k) * Four(y[at[k]]);
  }
  const Four u = even + odd;
  double* P = point.P;
  const double normal =
      point.inverse_own > 0 ? std::max(0.0, P[0] - (u[0] + point.compliance * P[0]) * point.inverse_own) : 0;
  const double d_n = normal - P[0];
  if (normal == 0 && d_n == 0 && P[1] == 0 && P[2] == 0) return 0;  // apart, and stays so
  const double x_1 = P[1] - point.step * (u[1] + point.A_tn[0] * d_n),
               x_2 = P[2] - point.step * (u[2] + point.A_tn[1] * d_n);
  const double most = point.friction * normal, length2 = x_1 * x_1 + x_2 * x_2;
  const double part = length2 > most * most ? most / std::sqrt(length2) : 1;
  const double d_1 = part * x_1 - P[1], d_2 = part * x_2 - P[2];
  P[0] = normal, P[1] = part * x_1, P[2] = part * x_2;
  for (const Side* side = first; side != end; ++side) {
    const std::uint32_t* at = at_.data() + side->pack_at;
    const double* G = G_.data() + side->G;
    for (std::size_t p = 0; p < side->packs; ++p, G += 3 * width) {
      double* of_pack = y + at[p];
      const Eight sum = Eight::load(of_pack) + Eight(d_n) * Eight::load(G) +
                        (Eight(d_1) * Eight::load(G + width) + Eight(d_2) * Eight::load(G + 2 * width));
      sum.store(of_pack);
    }
  }
  return std::max(std::abs(d_n) * point.own, std::max(std::abs(d_1), std::abs(d_2)) * point.size);
}

}  // namespace marey
