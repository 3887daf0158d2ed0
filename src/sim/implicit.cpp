#include "sim/implicit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/integrate.h"
#include "marey/scalar/pack.h"

namespace marey {

ImplicitJoints::ImplicitJoints(const Model& model, const Sources& sources)
    : model_(model),
      sources_(sources),
      dual_(model, sources.state_count()),
      mass_(model),
      direction_(static_cast<std::size_t>(model.nv)),
      M_(mass_.M),
      inverse_(direction_.size()),
      acts_(direction_.size()),
      slot_(direction_.size()),
      known_(model.links.size()),
      blocks_(model.links.size() * most_freedoms * most_freedoms) {
  find_runs();
  reached_.reserve(direction_.size());
  asked_.reserve(sources.size());
  for (const LinkTopology& link : model.links)
    if (link.joint != JointType::free) largest_joint_ = std::max(largest_joint_, freedom_count(link));
}

bool ImplicitJoints::find_blocks(const Instant<double>& now, double h) {
  std::ranges::fill(blocks_, 0.0);
  choose(now, h);
  for (int k = 0; k < most_freedoms_; ++k)
    if (!add_columns(now, k, true, 0.5 * h) || !add_columns(now, k, false, 0.25 * h * h)) {
      std::ranges::fill(blocks_, 0.0);
      return false;
    }
  bool any = false;
  for (std::size_t i = 1; i < model_.links.size(); ++i) any = mend(i) || any;
  return any;
}

void ImplicitJoints::factor(const Instant<double>& now) {
  mass_matrices(model_, model_.params, now.q, mass_);
  M_ = mass_.M;
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    const auto n = static_cast<std::size_t>(freedom_count(model_.links[i])),
               v = static_cast<std::size_t>(model_.links[i].v);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c <= r; ++c)
        mass_.M[mass_.row[v + r] + mass_.column[v + c]] += block(i)[r * most_freedoms + c];
  }
  for (const Tree& tree : mass_.trees) factor_rows(tree);
}

// Freedoms between one and the world are a few runs of neighbours: visit(from, to) of each, from the outermost on, without itself. Here and
// where single trees are meant, freedoms are those of the tree; `place`: in mass_.freedoms.
template <class Visit>
void ImplicitJoints::for_runs(std::size_t place, Visit visit) const {
  for (std::size_t r = first_run_[place]; r < first_run_[place + 1]; ++r) visit(runs_[r].from, runs_[r].to);
}

// Runs that are hardly apart are one: entries in between are 0, and cost less than to begin anew.
void ImplicitJoints::find_runs() {
  constexpr std::size_t hardly_apart = 12;
  for (const std::size_t k : mass_.freedoms) {
    first_run_.push_back(runs_.size());
    for (int j = mass_.parent_freedom[k]; j >= 0; j = mass_.parent_freedom[static_cast<std::size_t>(j)]) {
      const std::size_t at = mass_.column[static_cast<std::size_t>(j)];
      if (runs_.size() > first_run_.back() && runs_.back().from <= at + 1 + hardly_apart)
        runs_.back().from = at;
      else
        runs_.push_back({at, at + 1});
    }
  }
  first_run_.push_back(runs_.size());
}

// M̂ = Lᵀ D L in place (Featherstone 2008, §6.5), run by run.
void ImplicitJoints::factor_rows(const Tree& tree) {
  double* M = mass_.M.data() + tree.M;
  for (std::size_t k = tree.count; k-- > 0;) {
    double* row_k = M + k * tree.count;
    const std::size_t freedom = mass_.freedoms[tree.first + k];
    const double d = inverse_[freedom] = 1 / row_k[k];
    for (int up = mass_.parent_freedom[freedom]; up >= 0; up = mass_.parent_freedom[static_cast<std::size_t>(up)]) {
      const std::size_t i = mass_.column[static_cast<std::size_t>(up)];
      const double a = row_k[i] * d;
      double* __restrict row_i = M + i * tree.count;
      row_i[i] -= a * row_k[i];
      for_runs(tree.first + i, [&](std::size_t from, std::size_t to) {
        const double* __restrict x = row_k;
        for (std::size_t j = from; j < to; ++j) row_i[j] -= a * x[j];
      });
      row_k[i] = a;
    }
  }
}

namespace {

// In as many sums as a register holds.
double run_product(const double* x, const double* y, std::size_t n) {
  std::array<double, 8> wide{};
  std::array<double, 4> sums{};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l) wide[l] += x[k + l] * y[k + l];
  if (k + 4 <= n) {
    for (std::size_t l = 0; l < 4; ++l) sums[l] = x[k + l] * y[k + l];
    k += 4;
  }
  double rest = 0;
  for (; k < n; ++k) rest += x[k] * y[k];
  for (std::size_t l = 0; l < 4; ++l) sums[l] += wide[l] + wide[4 + l];
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + rest;
}

}  // namespace

// Whom to ask for derivatives. Friction is linear, and known.
void ImplicitJoints::choose(const Instant<double>& now, double h) {
  using Kind = JointSlope::Kind;
  asked_.clear(), most_freedoms_ = 0, asks_links_ = false;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto [link, slope] = sources_.slope_in_joint(i);
    if (slope.kind == Kind::none) continue;
    const LinkTopology& joint = model_.links[static_cast<std::size_t>(link)];
    const int n = link == 0 ? largest_joint_ : joint.joint == JointType::free ? 0 : freedom_count(joint);
    if (slope.kind == Kind::friction) {
      for (int k = 0; k < n; ++k)
        if (slope.freedom < 0 || slope.freedom == k)
          own_block(static_cast<std::size_t>(link))[k * most_freedoms + k] += 0.5 * h * slope.coefficient;
      continue;
    }
    if (slope.kind == Kind::of_coordinates && n > 0 && add_stiffness(now, i, static_cast<std::size_t>(link), h))
      continue;
    asked_.push_back({i, n, slope.kind == Kind::of_both});
    most_freedoms_ = std::max(most_freedoms_, n);
    asks_links_ = asks_links_ || link == 0;
  }
}

// ¼h² K of what knows its own.
bool ImplicitJoints::add_stiffness(const Instant<double>& now, std::size_t source, std::size_t link, double h) {
  JointStiffness k;
  if (!sources_.stiffness_in_joint(source, now, k)) return false;
  double* R = own_block(link);
  for (int r = 0; r < k.rows; ++r)
    for (int c = 0; c < k.rows; ++c)
      R[(k.first + r) * most_freedoms + k.first + c] += 0.25 * h * h * k.K[static_cast<std::size_t>(r * k.rows + c)];
  return true;
}

// One freedom of every joint at once: what acts in one joint does not feel the others.
bool ImplicitJoints::add_columns(const Instant<double>& now, int freedom, bool of_velocities, double times) {
  const auto counts = [&](const Asked& a) { return freedom < a.freedoms && (a.of_velocities || !of_velocities); };
  if (std::ranges::none_of(asked_, counts)) return true;
  DualFlow& d = dual_;
  for (std::size_t k = 0; k < direction_.size(); ++k) direction_[k] = Dual1(0), d.v[k] = Dual1(now.v[k]);
  for (std::size_t k = 0; k < now.q.size(); ++k) d.q[k] = Dual1(now.q[k]);
  for (std::size_t k = 0; k < now.z.size() && k < d.z.size(); ++k) d.z[k] = Dual1(now.z[k]);
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    const LinkTopology& link = model_.links[i];
    if (link.joint == JointType::free || freedom >= freedom_count(link)) continue;
    (of_velocities ? d.v : direction_)[static_cast<std::size_t>(link.v + freedom)].d[0] = 1;
  }
  if (!of_velocities) advance<Dual1>(model_, d.q, direction_, Turn::exponential, d.q);
  if (asks_links_) forward_kinematics<Dual1>(model_, d.params, d.q, d.v, d.kinematics);
  d.forces.clear();
  const Instant<Dual1> varied{model_, now.t, d.q, d.v, d.kinematics.X_WB, d.kinematics.V_WB, now.past, d.z};
  for (const Asked& a : asked_)
    if (counts(a) && !sources_.add_dual_forces(a.source, varied, d.forces, d.z_rate)) return false;
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    const LinkTopology& link = model_.links[i];
    if (link.joint == JointType::free || freedom >= freedom_count(link)) continue;
    for (int r = 0; r < freedom_count(link); ++r)
      own_block(i)[static_cast<std::size_t>(r * most_freedoms + freedom)] -=
          times * d.forces.tau[static_cast<std::size_t>(link.v + r)].d[0];
  }
  return true;
}

// Symmetric, and not negative: a block with a negative pivot keeps what is positive of its diagonal. True where any is left.
bool ImplicitJoints::mend(std::size_t link) {
  const int n = model_.links[link].joint == JointType::free ? 0 : freedom_count(model_.links[link]);
  double* R = own_block(link);
  const auto at = [&](int r, int c) -> double& { return R[r * most_freedoms + c]; };
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < r; ++c) at(r, c) = at(c, r) = 0.5 * (at(r, c) + at(c, r));
  double L[most_freedoms][most_freedoms] = {};
  double largest = 0;
  bool sound = true;
  for (int r = 0; r < n; ++r) largest = std::max(largest, std::abs(at(r, r)));
  for (int r = 0; r < n && sound; ++r)
    for (int c = 0; c <= r && sound; ++c) {
      double sum = at(r, c);
      for (int k = 0; k < c; ++k) sum -= L[r][k] * L[c][k];
      if (c < r)
        L[r][c] = L[c][c] > 0 ? sum / L[c][c] : 0;
      else
        sound = sum >= -1e-12 * largest, L[r][r] = std::sqrt(std::max(sum, 0.0));
    }
  bool any = false;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (!sound) at(r, c) = r == c ? std::max(at(r, c), 0.0) : 0;
      if (!std::isfinite(at(r, c))) at(r, c) = 0;
      any = any || at(r, c) != 0;
    }
  return any;
}

void ImplicitJoints::gather(const Tree& tree, std::span<const double> x, std::vector<double>& own) const {
  own.resize(tree.count);
  for (std::size_t k = 0; k < tree.count; ++k) own[k] = x[mass_.freedoms[tree.first + k]];
}

void ImplicitJoints::respond(std::span<const double> p, std::span<double> dv) {
  for (const Tree& tree : mass_.trees) {
    gather(tree, p, x_);
    double* __restrict x = x_.data();
    const double* M = mass_.M.data() + tree.M;
    for (std::size_t i = tree.count; i-- > 0;) {
      const double* __restrict row = M + i * tree.count;
      const double x_i = x[i];
      if (x_i == 0) continue;
      for_runs(tree.first + i, [&](std::size_t from, std::size_t to) {
        for (std::size_t j = from; j < to; ++j) x[j] -= row[j] * x_i;
      });
    }
    for (std::size_t i = 0; i < tree.count; ++i) {
      const double* row = M + i * tree.count;
      const std::size_t freedom = mass_.freedoms[tree.first + i];
      double sum = x[i] * inverse_[freedom];
      for_runs(tree.first + i,
               [&](std::size_t from, std::size_t to) { sum -= run_product(row + from, x + from, to - from); });
      dv[freedom] = x[i] = sum;
    }
  }
}

void ImplicitJoints::copy(std::size_t stride, AlignedDoubles& M_hat, std::vector<double>& blocks) const {
  M_hat.assign(static_cast<std::size_t>(model_.nv) * stride, 0.0);
  blocks = blocks_;
  for (const Tree& tree : mass_.trees)
    for (std::size_t k = 0; k < tree.count; ++k) {
      const std::size_t* freedoms = mass_.freedoms.data() + tree.first;
      const double* row = M_.data() + tree.M + k * tree.count;
      M_hat[freedoms[k] * stride + freedoms[k]] = row[k];
      for_runs(tree.first + k, [&](std::size_t from, std::size_t to) {
        for (std::size_t j = from; j < to; ++j)
          M_hat[freedoms[k] * stride + freedoms[j]] = M_hat[freedoms[j] * stride + freedoms[k]] = row[j];
      });
    }
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    const auto n = static_cast<std::size_t>(freedom_count(model_.links[i])),
               v = static_cast<std::size_t>(model_.links[i].v);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) M_hat[(v + r) * stride + v + c] += block(i)[r * most_freedoms + c];
  }
}

// L x = D⁻¹ u, all rows at once.
void ImplicitJoints::finish_halves(const HalfResponse& half, std::size_t rows, std::size_t stride,
                                   AlignedDoubles& X) const {
  const auto nv = static_cast<std::size_t>(model_.nv);
  const std::size_t half_stride = half.blocks * HalfResponse::lanes;
  X.assign(nv * stride, 0.0);
  const double* given = half.D_inverse_u.data();
  for (const int link : half.links) {
    const LinkTopology& reached = model_.links[static_cast<std::size_t>(link)];
    for (int k = 0; k < freedom_count(reached); ++k, given += half_stride)
      std::copy_n(given, rows, X.data() + static_cast<std::size_t>(reached.v + k) * stride);
  }
  for (const Tree& tree : mass_.trees)
    for (std::size_t i = 0; i < tree.count; ++i) {
      const std::size_t* freedoms = mass_.freedoms.data() + tree.first;
      double* __restrict own = X.data() + freedoms[i] * stride;
      const double* row = mass_.M.data() + tree.M + i * tree.count;
      for_runs(tree.first + i, [&](std::size_t from, std::size_t to) {
        for (std::size_t j = from; j < to; ++j) {
          const double *x = X.data() + freedoms[j] * stride, a = row[j];
          if (a == 0) continue;
          for (std::size_t k = 0; k < stride; ++k) own[k] -= a * x[k];
        }
      });
    }
}

// ---- half of the response
namespace {

using Lanes = Pack<double, HalfResponse::lanes>;

}  // namespace

void ImplicitJoints::begin_half(std::size_t rows, HalfResponse& out) const {
  constexpr std::size_t lanes = HalfResponse::lanes;
  out.blocks = (rows + lanes - 1) / lanes;
  const std::size_t numbers = out.freedoms * out.blocks * lanes;
  out.begin.assign(out.blocks, 0), out.end.assign(out.blocks, 0);
  if (out.u.size() < numbers) out.u.resize(numbers), out.D_inverse_u.resize(numbers);
}

// Rows four at a time. Those of a block are 0 but on the ways from its links to the world, which elimination does not leave.
bool ImplicitJoints::half_respond(const RowSet& rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const auto n = static_cast<std::size_t>(rows.size());
  find_reached(rows, out);
  begin_half(n, out);
  for (std::size_t b = 0; b < out.blocks; ++b) {
    const auto row = [&](std::size_t l) { return rows[static_cast<int>(std::min(b * lanes + l, n - 1))].J.data(); };
    const std::array<const double*, lanes> J{row(0), row(1), row(2), row(3)};
    double* u = out.u.data() + b * lanes;
    for (std::size_t s = 0; s < out.freedoms; ++s) {
      const std::size_t k = reached_[s];
      acts_[k] = J[0][k] != 0 || J[1][k] != 0 || J[2][k] != 0 || J[3][k] != 0;
      const Lanes x(Lanes::Lanes{J[0][k], J[1][k], J[2][k], J[3][k]});
      x.store(u + s * out.blocks * lanes);
    }
    eliminate_block(b, out);
  }
  return true;
}

// u of a block, in whose place J is; acts_: where any of its rows is not 0.
void ImplicitJoints::eliminate_block(std::size_t b, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t stride = out.blocks * lanes;
  double *u = out.u.data() + b * lanes, *D_inverse_u = out.D_inverse_u.data() + b * lanes;
  for (std::size_t s = out.freedoms; s-- > 0;) {
    const std::size_t k = reached_[s];
    const Lanes x = Lanes::load(u + s * stride);
    (x * Lanes(inverse_[k])).store(D_inverse_u + s * stride);
    if (!acts_[k]) continue;
    if (out.end[b] == 0) out.end[b] = s + 1;
    const double* L = mass_.M.data() + mass_.row[k];
    for (int up = mass_.parent_freedom[k]; up >= 0; up = mass_.parent_freedom[static_cast<std::size_t>(up)]) {
      const auto j = static_cast<std::size_t>(up);
      double* at = u + slot_[j] * stride;
      (Lanes::load(at) - Lanes(L[mass_.column[j]]) * x).store(at), acts_[j] = 1;
    }
  }
}

// The links on the ways from the rows' to the world, whose freedoms alone have a place in `out`: of a crowd, those of one figure.
void ImplicitJoints::find_reached(const RowSet& rows, HalfResponse& out) {
  std::ranges::fill(acts_, static_cast<unsigned char>(0));
  for (int r = 0; r < rows.size(); ++r) {
    const double* J = rows[r].J.data();
    for (std::size_t k = 0; k < acts_.size(); ++k) acts_[k] |= static_cast<unsigned char>(J[k] != 0);
  }
  for (std::size_t k = acts_.size(); k-- > 0;)
    if (const int up = mass_.parent_freedom[k]; acts_[k] != 0 && up >= 0) acts_[static_cast<std::size_t>(up)] = 1;
  out.links.clear();
  for (std::size_t i = 1; i < model_.links.size(); ++i)
    if (freedom_count(model_.links[i]) > 0 && acts_[static_cast<std::size_t>(model_.links[i].v)] != 0)
      out.links.push_back(static_cast<int>(i));
  list_reached(out);
}

void ImplicitJoints::list_reached(HalfResponse& out) {
  reached_.clear();
  for (const int link : out.links) {
    const LinkTopology& joint = model_.links[static_cast<std::size_t>(link)];
    for (int k = joint.v; k < joint.v + freedom_count(joint); ++k)
      slot_[static_cast<std::size_t>(k)] = reached_.size(), reached_.push_back(static_cast<std::size_t>(k));
  }
  out.freedoms = reached_.size();
}

// Links on the way from one to the world, those left out that are known or have no freedom.
void ImplicitJoints::reach(int link, std::vector<int>& links) {
  for (; link != 0; link = model_.links[static_cast<std::size_t>(link)].parent) {
    unsigned char& known = known_[static_cast<std::size_t>(link)];
    if (known != 0) return;
    known = 1;
    links.push_back(link);
  }
}

// J of a row, beside others.
void ImplicitJoints::add_forces(const ConstraintRow& row, const MotionAxes& axes, double* u, std::size_t stride) {
  for (int p = 0; p < row.part_count; ++p) {
    const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
    Wrench<double> F = part.F_Bo_W;
    for (int link = part.link; link != 0; link = model_.links[static_cast<std::size_t>(link)].parent) {
      const LinkTopology& joint = model_.links[static_cast<std::size_t>(link)];
      for (int k = joint.v; k < joint.v + freedom_count(joint); ++k) {
        const auto at = static_cast<std::size_t>(k);
        u[slot_[at] * stride] += power(F, axes.S_W[at]), acts_[at] = 1;
      }
      F = shifted(F, axes.ways[static_cast<std::size_t>(link)].r);
    }
  }
}

void ImplicitJoints::half_respond_along(std::span<const ConstraintRow> rows, const MotionAxes& axes,
                                        HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  out.links.clear();
  for (const ConstraintRow& row : rows)
    for (int p = 0; p < row.part_count; ++p) reach(row.parts[static_cast<std::size_t>(p)].link, out.links);
  for (const int link : out.links) known_[static_cast<std::size_t>(link)] = 0;
  std::ranges::sort(out.links);
  list_reached(out);
  begin_half(rows.size(), out);
  const std::size_t stride = out.blocks * lanes;
  std::fill_n(out.u.begin(), out.freedoms * stride, 0.0);
  for (std::size_t b = 0; b < out.blocks; ++b) {
    for (const std::size_t k : reached_) acts_[k] = 0;
    for (std::size_t r = b * lanes; r < std::min((b + 1) * lanes, rows.size()); ++r)
      add_forces(rows[r], axes, out.u.data() + r, stride);
    eliminate_block(b, out);
  }
}

// Entries beside the ways to the world are 0, and are not asked for.
void ImplicitJoints::momentum(std::span<const double> x, std::span<double> p) const {
  for (const Tree& tree : mass_.trees) {
    gather(tree, x, x_);
    y_.resize(tree.count);
    double* __restrict to = y_.data();
    for (std::size_t k = 0; k < tree.count; ++k) {
      const double *row = M_.data() + tree.M + k * tree.count, x_k = x_[k];
      double sum = row[k] * x_k;
      for_runs(tree.first + k, [&](std::size_t from, std::size_t end) {
        sum += run_product(row + from, x_.data() + from, end - from);
        for (std::size_t j = from; j < end; ++j) to[j] += row[j] * x_k;
      });
      to[k] = sum;  // nothing was added yet: those that add come after it
    }
    for (std::size_t k = 0; k < tree.count; ++k) p[mass_.freedoms[tree.first + k]] = y_[k];
  }
}

void ImplicitJoints::add_slopes(std::span<const double> blocks, std::span<const double> x, std::span<double> p) const {
  for (std::size_t i = 1; i < model_.links.size(); ++i) {
    const auto n = static_cast<std::size_t>(freedom_count(model_.links[i])),
               v = static_cast<std::size_t>(model_.links[i].v);
    const double* R = blocks.data() + i * most_freedoms * most_freedoms;
    if (n == 3) {  // most are balls
      for (std::size_t r = 0; r < 3; ++r, R += most_freedoms)
        p[v + r] += R[0] * x[v] + R[1] * x[v + 1] + R[2] * x[v + 2];
      continue;
    }
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) p[v + r] += R[r * most_freedoms + c] * x[v + c];
  }
}

}  // namespace marey
