#include "marey/contact/contact_sweeps.h"

#include <algorithm>
#include <cmath>

#include "contact/cone_measure.h"
#include "contact/friction_cone.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {

using Eight = Pack<double, 8>;

}  // namespace

ContactSweeps::ContactSweeps(const Model& figure, const Model& coordinates, std::span<const int> trees)
    : figure_(figure),
      coordinates_(coordinates),
      trees_(trees),
      loose_(figure.links.size(), 0),
      place_of_(figure.links.size(), -1),
      no_bias_(coordinates) {
  for (std::size_t i = 1; i < figure.links.size(); ++i) {
    const LinkTopology& link = figure.links[i];
    loose_[i] = link.parent == 0 && link.joint == JointType::free && link.leaf;
  }
}

// ---- where everything is
void ContactSweeps::place(const Kinematics<double>& k, std::span<const ConstraintRow> rows,
                          std::span<const RowBlock> blocks, const MotionAxes& axes, Response& response,
                          bool loose_by_inertia) {
  find_places(rows);
  find_responses(k, axes, response, loose_by_inertia);
  blocks_.clear(), F_.clear(), A_.clear(), loose_points_.clear();
  for (const RowBlock& block : blocks) {
    add_block(rows, block);
    if (block.kind == RowBlock::Kind::contact && block.rows() == 3) add_loose_point(blocks_.back());
  }
}

// Links in the order of their numbers, which keeps those of a tree together.
void ContactSweeps::find_places(std::span<const ConstraintRow> rows) {
  for (const int link : links_) place_of_[static_cast<std::size_t>(link)] = -1;
  links_.clear(), tree_of_.clear(), trees_here_.clear();
  for (const ConstraintRow& row : rows)
    for (int p = 0; p < row.part_count; ++p) {
      const int link = row.parts[static_cast<std::size_t>(p)].link;
      if (link == 0 || place_of_[static_cast<std::size_t>(link)] >= 0) continue;
      place_of_[static_cast<std::size_t>(link)] = 0;
      links_.push_back(link);
    }
  std::ranges::sort(links_, [&](int a, int b) {
    const int x = trees_[static_cast<std::size_t>(a)], y = trees_[static_cast<std::size_t>(b)];
    return x != y ? x < y : a < b;
  });
  std::size_t Lambda = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto link = static_cast<std::size_t>(links_[i]);
    place_of_[link] = static_cast<int>(i);
    if (i == 0 || trees_[link] != trees_[static_cast<std::size_t>(links_[i - 1])]) trees_here_.push_back({i, 0, 0});
    ++trees_here_.back().count;
    tree_of_.push_back(trees_here_.size() - 1);
  }
  for (Tree& tree : trees_here_) tree.Lambda = Lambda, Lambda += tree.count * tree.count * 6 * width;
  Lambda_.assign(Lambda, 0.0);
}

void ContactSweeps::find_responses(const Kinematics<double>& k, const MotionAxes& axes, Response& response,
                                   bool loose_by_inertia) {
  for (const Tree& tree : trees_here_) {
    const int link = links_[tree.first];
    if (loose_by_inertia && is_loose(link))
      put_inertia(k, link, Lambda_.data() + tree.Lambda);
    else
      put_response(tree, axes, response);
  }
}

// Of a loose body, c from Bo to its centre of mass: w = J_c⁻¹ (n − c × f), v_Bo = f/m + c × w.
void ContactSweeps::put_inertia(const Kinematics<double>& k, int link, double* Lambda) const {
  const auto i = static_cast<std::size_t>(link);
  const Inertia<double>& I = figure_.params.links[i].I;
  const Mat3<double>& R = k.X_WB[i].R;
  const Vec3<double> c_B = (1 / I.m) * I.h, c = R * c_B;
  const Sym3<double> inverse_J = congruence(R, inverse(I.J - point_inertia(I.m, c_B)));
  for (int s = 0; s < 6; ++s) {
    Vec3<double> n, f;
    (s < 3 ? n : f)[s % 3] = 1;
    const Vec3<double> w = inverse_J * (n - cross(c, f)), v = (1 / I.m) * f + cross(c, w);
    double* column = Lambda + static_cast<std::size_t>(s) * width;
    for (int r = 0; r < 3; ++r) column[r] = w[r], column[3 + r] = v[r];
  }
}

// Of a tree, by its answers to unit wrenches.
void ContactSweeps::put_response(const Tree& tree, const MotionAxes& axes, Response& response) {
  units_.clear();
  for (std::size_t i = tree.first; i < tree.first + tree.count; ++i)
    for (int s = 0; s < 6; ++s) {
      ConstraintRow& row = units_.emplace_back();
      row.holonomic = false, row.part_count = 1;
      row.parts[0].link = links_[i];
      Wrench<double>& F = row.parts[0].F_Bo_W;
      (s < 3 ? F.n : F.f)[s % 3] = 1;
    }
  if (units_.size() > capacity_) {
    capacity_ = 2 * units_.size();
    delassus_.emplace(coordinates_, static_cast<int>(capacity_)),
        row_set_.emplace(coordinates_, static_cast<int>(capacity_));
  }
  if (!delassus_->compute_matrix(units_, response)) {
    row_set_->clear(static_cast<std::size_t>(coordinates_.nv));
    add_rows(coordinates_, units_, axes, no_bias_, *row_set_);
    delassus_->compute_matrix(*row_set_, response);
  }
  const std::span<const double> A = delassus_->A();
  for (std::size_t i = 0; i < tree.count; ++i)
    for (std::size_t j = 0; j < tree.count; ++j)
      for (std::size_t s = 0; s < 6; ++s)
        for (std::size_t r = 0; r < 6; ++r)
          Lambda_[tree.Lambda + ((i * tree.count + j) * 6 + s) * width + r] =
              A[(6 * i + r) * units_.size() + 6 * j + s];
}

void ContactSweeps::add_block(std::span<const ConstraintRow> rows, const RowBlock& block) {
  Placed& own = blocks_.emplace_back();
  own.first = static_cast<std::size_t>(block.first), own.rows = block.rows();
  own.F = F_.size(), own.A = A_.size();
  const ConstraintRow& first = rows[own.first];
  for (int p = 0; p < first.part_count; ++p)
    if (first.parts[static_cast<std::size_t>(p)].link != 0)
      own.place[static_cast<std::size_t>(own.parts++)] =
          static_cast<std::size_t>(place_of_[static_cast<std::size_t>(first.parts[static_cast<std::size_t>(p)].link)]);
  for (int r = 0; r < own.rows; ++r) {
    const ConstraintRow& row = rows[own.first + static_cast<std::size_t>(r)];
    for (int p = 0; p < row.part_count; ++p) {
      const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
      if (part.link == 0) continue;
      const Wrench<double>& F = part.F_Bo_W;
      for (const double x : {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z, 0.0, 0.0}) F_.push_back(x);
    }
  }
  A_.resize(own.A + static_cast<std::size_t>(own.rows * own.rows));
  for (int r = 0; r < own.rows; ++r)
    for (int s = 0; s < own.rows; ++s) A_[own.A + static_cast<std::size_t>(r * own.rows + s)] = entry(own, r, own, s);
  if (block.kind != RowBlock::Kind::contact) return;
  const FrictionCone cone = cone_of(block);
  for (std::size_t g = 0; g < static_cast<std::size_t>(cone.count); ++g) {
    const auto at = [&](int r, int s) {
      return A_[own.A + static_cast<std::size_t>((cone.groups[g].first + r) * own.rows + cone.groups[g].first + s)];
    };
    double most = at(0, 0);
    if (cone.groups[g].rows == 2)
      most = 0.5 * (at(0, 0) + at(1, 1)) + std::hypot(0.5 * (at(0, 0) - at(1, 1)), at(0, 1));
    own.step[g] = most > 0 ? 1 / most : 0;
  }
}

// ---- impulses and what they move
namespace {

double dot_of_six(const double* a, const double* b) {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

}  // namespace

// Over all pairs of their places in one tree.
double ContactSweeps::entry(const Placed& a, int r, const Placed& b, int s) const {
  double sum = 0;
  for (int p = 0; p < a.parts; ++p)
    for (int q = 0; q < b.parts; ++q) {
      const std::size_t i = a.place[static_cast<std::size_t>(p)], j = b.place[static_cast<std::size_t>(q)];
      if (tree_of_[i] != tree_of_[j]) continue;
      const Tree& tree = trees_here_[tree_of_[i]];
      const double* columns =
          Lambda_.data() + tree.Lambda + ((i - tree.first) * tree.count + (j - tree.first)) * 6 * width;
      const double* F_r = F_.data() + a.F + static_cast<std::size_t>(r * a.parts + p) * width;
      const double* F_s = F_.data() + b.F + static_cast<std::size_t>(s * b.parts + q) * width;
      for (std::size_t k = 0; k < 6; ++k) sum += F_s[k] * dot_of_six(F_r, columns + k * width);
    }
  return sum;
}

double ContactSweeps::response_between(std::size_t row, std::size_t column) const {
  const auto block_of = [&](std::size_t r) -> const Placed& {
    return *std::prev(std::ranges::upper_bound(blocks_, r, {}, &Placed::first));
  };
  const Placed &a = block_of(row), &b = block_of(column);
  return entry(a, static_cast<int>(row - a.first), b, static_cast<int>(column - b.first));
}

// (1)
void ContactSweeps::push(const Placed& b, const double* dP) {
  if (std::all_of(dP, dP + b.rows, [](double x) { return x == 0; })) return;  // most of what is near does not touch
  for (int p = 0; p < b.parts; ++p) {
    alignas(64) double W[width] = {};
    for (int r = 0; r < b.rows; ++r) {
      const double* F = F_.data() + b.F + static_cast<std::size_t>(r * b.parts + p) * width;
      for (std::size_t k = 0; k < width; ++k) W[k] += dP[r] * F[k];
    }
    const std::size_t j = b.place[static_cast<std::size_t>(p)];
    const Tree& tree = trees_here_[tree_of_[j]];
    for (std::size_t i = 0; i < tree.count; ++i) {
      const double* columns = Lambda_.data() + tree.Lambda + (i * tree.count + (j - tree.first)) * 6 * width;
      double* V = V_.data() + (tree.first + i) * width;
      Eight sum = Eight::load(V);  // V and Λ may be one to the compiler: it would go number by number
      for (std::size_t k = 0; k < 6; ++k) sum += Eight(W[k]) * Eight::load(columns + k * width);
      sum.store(V);
    }
  }
}

// Σ F·ΔV
double ContactSweeps::velocity(const Placed& b, int row) const {
  double sum = 0;
  for (int p = 0; p < b.parts; ++p)
    sum += dot_of_six(F_.data() + b.F + static_cast<std::size_t>(row * b.parts + p) * width,
                      V_.data() + b.place[static_cast<std::size_t>(p)] * width);
  return sum;
}

void ContactSweeps::start(std::span<const double> P) {
  V_.assign((links_.size() + 1) * width, 0.0);  // the last one stands for the world
  for (const Placed& b : blocks_) push(b, P.data() + b.first);
}

// ---- sweeps
// (2), (3); returns the largest change of a velocity.
double ContactSweeps::relax_contact(const Placed& b, const ConeProblem& problem, const RowBlock& block, double* P) {
  std::array<double, 6> u{}, dP{};
  const auto rows = static_cast<std::size_t>(b.rows);
  const double* A = A_.data() + b.A;
  const auto compliance = [&](std::size_t r) {
    return problem.compliance.empty() ? 0 : problem.compliance[b.first + r];
  };
  for (std::size_t r = 0; r < rows; ++r)
    u[r] = problem.u_free[b.first + r] + compliance(r) * P[r] + velocity(b, static_cast<int>(r));
  const double own = A[0] + compliance(0);
  const double normal = own > 0 ? std::max(0.0, P[0] - u[0] / own) : 0;
  dP[0] = normal - P[0], P[0] = normal;
  double change = std::abs(dP[0]) * own;
  for (std::size_t r = 1; r < rows; ++r) u[r] += A[r * rows] * dP[0];
  const FrictionCone cone = cone_of(block);
  for (std::size_t g = 0; g < static_cast<std::size_t>(cone.count); ++g) {
    const auto first = static_cast<std::size_t>(cone.groups[g].first),
               count = static_cast<std::size_t>(cone.groups[g].rows);
    double length2 = 0;
    std::array<double, 2> x{};
    for (std::size_t r = 0; r < count; ++r) x[r] = P[first + r] - b.step[g] * u[first + r], length2 += x[r] * x[r];
    const double most = cone.groups[g].coefficient * normal;
    const double part = length2 > most * most ? most / std::sqrt(length2) : 1;
    for (std::size_t r = 0; r < count; ++r) {
      dP[first + r] = part * x[r] - P[first + r], P[first + r] = part * x[r];
      if (b.step[g] > 0) change = std::max(change, std::abs(dP[first + r]) / b.step[g]);
    }
    for (std::size_t s = first + count; s < rows; ++s)
      for (std::size_t r = first; r < first + count; ++r) u[s] += A[s * rows + r] * dP[r];
  }
  push(b, dP.data());
  return change;
}

// (4) for single rows.
double ContactSweeps::relax(const Placed& b, const ConeProblem& problem, const RowBlock& block, double* P) {
  if (block.kind == RowBlock::Kind::contact) return relax_contact(b, problem, block, P);
  const double compliance = problem.compliance.empty() ? 0 : problem.compliance[b.first], own = A_[b.A] + compliance;
  if (!(own > 0)) return 0;
  const double u = problem.u_free[b.first] + compliance * P[0] + velocity(b, 0);
  double next = P[0] - u / own;
  if (block.kind == RowBlock::Kind::bounds) next = std::clamp(next, block.lower, block.upper);
  const double dP = next - P[0];
  P[0] = next;
  push(b, &dP);
  return std::abs(dP) * own;
}

// There and back; returns the largest change of a velocity by a block.
double ContactSweeps::sweep(const ConeProblem& problem, std::span<double> P) {
  const std::size_t m = blocks_.size();
  double change = 0;
  const auto visit = [&](std::size_t i) {
    const Placed& b = blocks_[i];
    return b.loose >= 0 ? relax_loose(loose_points_[static_cast<std::size_t>(b.loose)])
                        : relax(b, problem, problem.blocks[i], P.data() + b.first);
  };
  for (std::size_t i = 0; i < m; ++i) change = std::max(change, visit(i));
  for (std::size_t i = m; i-- > 0;) change = std::max(change, visit(i));
  return change;
}

// Σ λ (y − P_k)(P_k − P_{k−1}) > 0, λ being A_nn for all rows of a block.
bool ContactSweeps::turns_back(std::span<double> P) {
  double sum = 0;
  for (const Placed& b : blocks_) {
    const double* own = impulses(b, P);
    for (std::size_t r = 0; r < static_cast<std::size_t>(b.rows); ++r)
      sum += A_[b.A] * (y_[b.first + r] - own[r]) * (own[r] - P_last_[b.first + r]);
  }
  return sum > 0;
}

// (5); P_{k−1} is P_k from now on.
void ContactSweeps::go_beyond(double beta, std::span<double> P) {
  for (const Placed& b : blocks_) {
    double* own = impulses(b, P);
    for (std::size_t r = 0; r < static_cast<std::size_t>(b.rows); ++r) {
      const double now = own[r];
      own[r] = y_[b.first + r] = now + beta * (now - P_last_[b.first + r]);
      P_last_[b.first + r] = now;
    }
  }
  for (std::size_t i = 0; i < V_.size(); ++i) {
    const double now = V_[i];
    V_[i] = now + beta * (now - V_last_[i]);
    V_last_[i] = now;
  }
}

ContactSweeps::Report ContactSweeps::solve(const ConeProblem& problem, const Options& options, std::span<double> P,
                                           std::span<double> u) {
  Report report;
  start(P);
  load_loose_points(problem, P);
  P_last_.assign(P.begin(), P.end()), y_ = P_last_, V_last_ = V_;
  double t = 1;
  while (true) {
    const double change = sweep(problem, P);
    report.sweeps += 2;
    if (report.sweeps >= options.most || !(change > options.tolerance * problem.scale)) break;
    if (turns_back(P)) t = 1;
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    go_beyond((t - 1) / next, P);
    t = next;
  }
  for (const Placed& b : blocks_)
    if (b.loose >= 0) std::copy_n(loose_points_[static_cast<std::size_t>(b.loose)].P, 3, P.data() + b.first);
  start(P);  // without what rounding has added up
  for (const Placed& b : blocks_)
    for (int r = 0; r < b.rows; ++r) {
      const std::size_t row = b.first + static_cast<std::size_t>(r);
      u[row] = problem.u_free[row] + velocity(b, r);
      if (!problem.compliance.empty()) u[row] += problem.compliance[row] * P[row];
    }
  report.certificate = certify_all(problem, P, u);
  return report;
}

int ContactSweeps::solve_normals(std::span<const double> rhs, std::span<const char> left_out, const Options& options,
                                 double scale, std::span<double> lambda) {
  const std::size_t m = blocks_.size();
  V_.assign((links_.size() + 1) * width, 0.0);
  std::ranges::fill(lambda, 0.0);
  int sweeps = 0;
  for (double change = unbounded; sweeps < options.most && change > options.tolerance * scale; ++sweeps) {
    change = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t i = sweeps % 2 == 0 ? k : m - 1 - k;
      const Placed& b = blocks_[i];
      const double own = A_[b.A];
      if (left_out[i] != 0 || !(own > 0)) continue;
      if (b.loose >= 0) {
        change = std::max(
            change, own * relax_loose_normal(loose_points_[static_cast<std::size_t>(b.loose)], rhs[i], lambda[i]));
        continue;
      }
      const double next = std::max(0.0, lambda[i] - (rhs[i] + velocity(b, 0)) / own);
      std::array<double, 6> dP{};
      dP[0] = next - lambda[i], lambda[i] = next;
      push(b, dP.data());
      change = std::max(change, std::abs(dP[0]) * own);
    }
  }
  return sweeps;
}

ConeCertificate ContactSweeps::certify_all(const ConeProblem& problem, std::span<const double> P,
                                           std::span<const double> u) const {
  ConeCertificate all;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Placed& b = blocks_[i];
    const auto rows = static_cast<std::size_t>(b.rows);
    RowBlock block = problem.blocks[i];
    block.first = 0;
    ConeProblem own{
        std::span(A_).subspan(b.A, rows * rows), {}, problem.u_free.subspan(b.first, rows), {&block, 1}, problem.scale};
    if (!problem.compliance.empty()) own.compliance = problem.compliance.subspan(b.first, rows);
    const BlockMeasure measure = measure_of(own, block);
    const ConeCertificate found = certify(own, {&measure, 1}, P.subspan(b.first, rows), u.subspan(b.first, rows));
    if (!(found.natural_map <= all.natural_map)) all.natural_map = found.natural_map, all.block = static_cast<int>(i);
    all.cone_excess = std::max(all.cone_excess, found.cone_excess);
  }
  return all;
}

}  // namespace marey
