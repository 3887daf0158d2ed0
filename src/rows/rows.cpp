// Rows, and the acceleration that velocities alone give.
//
// For v̇ = 0 the accelerations of the links are, outward (marey/dynamics/joint.h, here in the axes of W),
//   α_B = α_P + ω_P × w_J      a_B = a_P + α_P × r + ω_P × (ω_P × r) + 2 ω_P × v_J                                  (1)
// and on a general joint the biases of its own motion beside.
#include "marey/rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "marey/dynamics/joint.h"
#include "marey/dynamics/place.h"
#include "marey/rows/parts.h"
#include "marey/rows/row_sweep.h"

namespace marey {

using Vec = Vec3<double>;

RowSet::RowSet(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      J_(nv_ * static_cast<std::size_t>(capacity)),
      rows_(static_cast<std::size_t>(capacity)) {}

void RowSet::clear(std::size_t velocities) {
  assert(velocities * rows_.size() <= J_.size());
  size_ = 0, nv_ = velocities;
}

std::span<double> RowSet::add(const Row& row) {
  assert(size_ < capacity());
  const std::size_t i = static_cast<std::size_t>(size_++);
  const std::span<double> J(J_.data() + i * nv_, nv_);
  for (double& x : J) x = 0;
  rows_[i] = row;
  rows_[i].J = J;
  return J;
}

namespace {
std::vector<int> all_links(const Model& model) {
  std::vector<int> links(model.links.size() - 1);
  std::iota(links.begin(), links.end(), 1);
  return links;
}
}  // namespace

BiasMotion::BiasMotion(const Model& model) : A_WB(model.links.size()), links(all_links(model)) {}
MotionAxes::MotionAxes(const Model& model)
    : S_W(static_cast<std::size_t>(model.nv)), ways(model.links.size()), links(all_links(model)) {}

void bias_motion(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                 const Kinematics<double>& k, BiasMotion& bias) {
  bias.A_WB[0] = {};
  for (const int i : bias.links) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      GeneralMotion<double> g;
      const JointMotion<double> m = [&] {
        if constexpr (joint.general)
          return general_joint_motion(model, params, i, q.data(), v.data(), g);
        else
          return joint_motion(joint, link, params.links[i], q.data(), v.data());
      }();
      const Mat3<double>& R_WP = k.X_WB[link.parent].R;
      const Vec& w_P = k.V_WB[link.parent].w;
      const Twist<double>& A_P = bias.A_WB[link.parent];
      const Vec r = R_WP * m.r;
      bias.A_WB[i] = {A_P.w + cross(w_P, k.X_WB[i].R * m.w_J),
                      A_P.v + cross(A_P.w, r) + cross(w_P, cross(w_P, r) + 2.0 * (R_WP * m.v_J))};  // (1)
      if constexpr (joint.general)
        bias.A_WB[i] += Twist<double>{k.X_WB[i].R * g.w_bias, R_WP * in_parent(link, params.links[i], g.v_bias)};
    });
  }
}

// ---- rows in terms of links
namespace {
void measure_axes(MotionAxes& axes, MotionAxes::Way& way, int first, int n) {
  way.turns = way.shifts = 0;
  for (int k = first; k < first + n; ++k) {
    const Twist<double>& S = axes.S_W[static_cast<std::size_t>(k)];
    way.turns += norm_squared(S.w), way.shifts += norm_squared(S.v);
  }
}
}  // namespace

void motion_axes(const Model& model, const Params<double>& params, const Kinematics<double>& k, MotionAxes& axes) {
  for (const int i : axes.links) {
    const LinkTopology& link = model.links[i];
    MotionAxes::Way& way = axes.ways[static_cast<std::size_t>(i)];
    way.r = k.X_WB[static_cast<std::size_t>(i)].p - k.X_WB[static_cast<std::size_t>(link.parent)].p;
    way.length = norm(way.r);
    way.to_world = axes.ways[static_cast<std::size_t>(link.parent)].to_world + way.length;
    const int n = joint_motions(model, params, k, i, axes.S_W.data() + link.v);
    measure_axes(axes, way, link.v, n);
  }
}

void link_motions(const Model& model, const MotionAxes& axes, std::span<const double> x,
                  std::span<Twist<double>> V_WB) {
  V_WB[0] = {};
  for (const int i : axes.links) {
    const LinkTopology& link = model.links[i];
    const MotionAxes::Way& way = axes.ways[static_cast<std::size_t>(i)];
    Twist<double> V = V_WB[static_cast<std::size_t>(link.parent)];
    V.v += cross(V.w, way.r);
    for (int k = link.v; k < link.v + freedom_count(link); ++k) {
      const Twist<double>& S = axes.S_W[static_cast<std::size_t>(k)];
      const double x_k = x[static_cast<std::size_t>(k)];
      V.w += x_k * S.w;
      if (way.shifts != 0) V.v += x_k * S.v;
    }
    V_WB[static_cast<std::size_t>(i)] = V;
  }
}

namespace {
double on_top(double sum, const ConstraintRow& row, std::span<const Twist<double>> V_WB) {
  for (int p = 0; p < row.part_count; ++p) {
    const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
    if (part.link != 0) sum += power(part.F_Bo_W, V_WB[static_cast<std::size_t>(part.link)]);
  }
  return sum;
}
}  // namespace

double power_of(const ConstraintRow& row, std::span<const Twist<double>> V_WB) { return on_top(0, row, V_WB); }
double bias_of(const ConstraintRow& row, const BiasMotion& bias) { return on_top(row.bias, row, bias.A_WB); }

void add_row(const Model& model, const ConstraintRow& row, const MotionAxes& axes, const BiasMotion& bias,
             RowSet& rows) {
  Row reduced;
  reduced.bias = bias_of(row, bias);
  reduced.compliance = row.compliance;
  const int index = rows.size();
  const std::span<double> J = rows.add(reduced);
  sweep_row(model, row, KnownWays{model, axes}, J, rows[index]);
}

namespace {

constexpr std::size_t lanes = HalfResponse::lanes;
using Lanes = Pack<double, static_cast<int>(lanes)>;

bool on_the_same_links(const ConstraintRow& a, const ConstraintRow& b) {
  return a.part_count == b.part_count &&
         std::equal(a.parts.begin(), a.parts.begin() + a.part_count, b.parts.begin(),
                    [](const LinkWrench& x, const LinkWrench& y) { return x.link == y.link; });
}

// The same part of each row, in lanes; 0 where there are fewer rows than lanes. Lanes are put together in registers: one by
// one in memory, whoever reads them would have to wait.
CarriedWrench<Lanes> carried_part(std::span<const ConstraintRow> rows, std::size_t p) {
  static const LinkWrench none{};
  std::array<const LinkWrench*, lanes> parts{};
  for (std::size_t l = 0; l < lanes; ++l) parts[l] = l < rows.size() ? &rows[l].parts[p] : &none;
  const auto each = [&](auto number) {
    return Lanes(Lanes::Lanes{number(*parts[0]), number(*parts[1]), number(*parts[2]), number(*parts[3])});
  };
  const Vec3<Lanes> n{each([](const LinkWrench& x) { return x.F_Bo_W.n.x; }),
                      each([](const LinkWrench& x) { return x.F_Bo_W.n.y; }),
                      each([](const LinkWrench& x) { return x.F_Bo_W.n.z; })};
  const Vec3<Lanes> f{each([](const LinkWrench& x) { return x.F_Bo_W.f.x; }),
                      each([](const LinkWrench& x) { return x.F_Bo_W.f.y; }),
                      each([](const LinkWrench& x) { return x.F_Bo_W.f.z; })};
  return carried(parts[0]->link, {n, f}, each([](const LinkWrench& x) { return x.moment; }));
}
static_assert(lanes == 4);

template <class Visit>
Lengths<Lanes> sweep_in_lanes(std::span<const ConstraintRow> given, const KnownWays& ways, const Visit& visit) {
  std::array<CarriedWrench<Lanes>, most_parts> parts;
  const std::size_t count = static_cast<std::size_t>(given[0].part_count);
  for (std::size_t p = 0; p < count; ++p) parts[p] = carried_part(given, p);
  return sweep(ways.model, std::span(parts).first(count), ways, visit);
}

// Neighbours that act on the same links, as many as there are lanes at most.
std::span<const ConstraintRow> first_together(std::span<const ConstraintRow> given) {
  std::size_t n = 1;
  while (n < std::min(lanes, given.size()) && on_the_same_links(given[0], given[n])) ++n;
  return given.first(n);
}

void add_rows_in_lanes(const Model& model, std::span<const ConstraintRow> given, const MotionAxes& axes,
                       const BiasMotion& bias, RowSet& rows) {
  const int first = rows.size();
  std::array<double*, lanes> J{};
  for (std::size_t l = 0; l < given.size(); ++l) {
    Row reduced;
    reduced.bias = bias_of(given[l], bias), reduced.compliance = given[l].compliance;
    J[l] = rows.add(reduced).data();
  }
  const KnownWays ways{model, axes};
  const Lengths<Lanes> lengths = sweep_in_lanes(given, ways, [&](int i, const Wrench<Lanes>& F) {
    put_entries(model, ways, i, F, [&](std::size_t k, const Lanes& entry) {
      for (std::size_t l = 0; l < given.size(); ++l) J[l][k] = entry[static_cast<int>(l)];
    });
  });
  for (std::size_t l = 0; l < given.size(); ++l) {
    const int lane = static_cast<int>(l);
    rows[first + lane].whole = lengths.whole[lane], rows[first + lane].reach = lengths.reach[lane];
  }
}

}  // namespace

void add_rows(const Model& model, std::span<const ConstraintRow> given, const MotionAxes& axes, const BiasMotion& bias,
              RowSet& rows) {
  while (!given.empty()) {
    const std::span<const ConstraintRow> some = first_together(given);
    if (some.size() == 1)
      add_row(model, given[0], axes, bias, rows);
    else
      add_rows_in_lanes(model, some, axes, bias, rows);
    given = given.subspan(some.size());
  }
}

void row_lengths(const Model& model, std::span<const ConstraintRow> given, const MotionAxes& axes,
                 std::span<RowLengths> out) {
  const KnownWays ways{model, axes};
  while (!given.empty()) {
    const std::span<const ConstraintRow> some = first_together(given);
    Lanes squared{};
    const Lengths<Lanes> lengths = sweep_in_lanes(
        some, ways, [&](int i, const Wrench<Lanes>& F) { squared += squared_entries(model, ways, i, F); });
    const Lanes own = sqrt(squared);
    for (std::size_t l = 0; l < some.size(); ++l) {
      const int lane = static_cast<int>(l);
      out[l] = {own[lane], lengths.whole[lane], lengths.reach[lane]};
    }
    given = given.subspan(some.size()), out = out.subspan(some.size());
  }
}

}  // namespace marey
