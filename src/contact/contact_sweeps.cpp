#include "marey/contact/contact_sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/cone_measure.h"
#include "contact/friction_cone.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {

using Four = Pack<double, 4>;
using Eight = Pack<double, 8>;

bool is_any(const Four& x) {
  const auto bits = x.lanes != Four::Lanes{};
  return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}
std::size_t fours_of(int rows) { return (static_cast<std::size_t>(rows) + 3) / 4; }

}  // namespace

ContactSweeps::ContactSweeps(const Model& figure, const Model& coordinates, std::span<const int> trees)
    : figure_(figure),
      coordinates_(coordinates),
      tree_of_link_(trees),
      loose_(figure.links.size(), 0),
      slot_(figure.links.size(), -1),
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
  find_trees(rows, blocks);
  u_.clear(), G_.clear(), at_.clear(), points_.clear(), y_.clear();
  P_solved_.clear(), solved_.clear();
  for (Tree& tree : trees_here_) {
    gather_rows(tree, rows);
    if (loose_by_inertia && is_loose(tree.root))
      answer_by_inertia(k, tree.root);
    else
      answer_by(axes, response);
    tree.y = y_.size();
    y_.resize(tree.y + (half_.freedoms + width - 1) / width * width);
    std::size_t first_four = 0;
    for (const Use& use : std::span(uses_).subspan(tree.first_use, tree.uses)) {
      fill_side(blocks_[use.block], sides_[use.side], first_four);
      first_four += fours_of(blocks_[use.block].rows);
    }
  }
  y_.resize(y_.size() + width);  // so that there are some
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].kind == RowBlock::Kind::contact) find_steps(blocks_[i], blocks[i]);
}

// All rows of a block act on the same links. Who is used by whom comes in the order of the blocks.
void ContactSweeps::find_trees(std::span<const ConstraintRow> rows, std::span<const RowBlock> blocks) {
  for (const Tree& tree : trees_here_) slot_[static_cast<std::size_t>(tree.root)] = -1;
  blocks_.clear(), sides_.clear(), trees_here_.clear();
  std::size_t A = 0;
  for (const RowBlock& block : blocks) {
    Placed& own = blocks_.emplace_back();
    own.first = static_cast<std::size_t>(block.first), own.rows = block.rows(), own.first_side = sides_.size();
    own.A = A, A += static_cast<std::size_t>(own.rows * own.rows);
    const ConstraintRow& first = rows[own.first];
    for (int p = 0; p < first.part_count; ++p) {
      const int link = first.parts[static_cast<std::size_t>(p)].link;
      if (link == 0) continue;
      const int root = tree_of_link_[static_cast<std::size_t>(link)];
      int& slot = slot_[static_cast<std::size_t>(root)];
      if (slot < 0) slot = static_cast<int>(trees_here_.size()), trees_here_.emplace_back().root = root;
      if (std::ranges::any_of(sides_.begin() + static_cast<std::ptrdiff_t>(own.first_side), sides_.end(),
                              [&](const Side& side) { return side.tree == slot; }))
        continue;
      sides_.emplace_back().tree = slot;
      ++trees_here_[static_cast<std::size_t>(slot)].uses;
    }
    own.sides = sides_.size() - own.first_side;
  }
  A_.assign(A, 0.0);
  std::size_t uses = 0;
  for (Tree& tree : trees_here_) tree.first_use = uses, uses += std::exchange(tree.uses, 0);
  uses_.resize(uses);
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (std::size_t s = blocks_[b].first_side; s < blocks_[b].first_side + blocks_[b].sides; ++s) {
      Tree& tree = trees_here_[static_cast<std::size_t>(sides_[s].tree)];
      uses_[tree.first_use + tree.uses++] = {b, s};
    }
}

// What rows do to one tree; those of a block begin with a four of their own.
void ContactSweeps::gather_rows(const Tree& tree, std::span<const ConstraintRow> rows) {
  rows_of_tree_.clear();
  for (const Use& use : std::span(uses_).subspan(tree.first_use, tree.uses)) {
    const Placed& b = blocks_[use.block];
    for (std::size_t r = 0; r < four * fours_of(b.rows); ++r) {
      ConstraintRow& own = rows_of_tree_.emplace_back();
      own.holonomic = false;
      if (r >= static_cast<std::size_t>(b.rows)) continue;
      const ConstraintRow& row = rows[b.first + r];
      for (int p = 0; p < row.part_count; ++p) {
        const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
        if (part.link != 0 && tree_of_link_[static_cast<std::size_t>(part.link)] == tree.root)
          own.parts[static_cast<std::size_t>(own.part_count++)] = part;
      }
    }
  }
}

// Of a loose body, c from Bo to its centre of mass: w = J_c⁻¹ (n − c × f), v_Bo = f/m + c × w.
void ContactSweeps::answer_by_inertia(const Kinematics<double>& k, int link) {
  const auto i = static_cast<std::size_t>(link);
  const Inertia<double>& I = figure_.params.links[i].I;
  const Mat3<double>& R = k.X_WB[i].R;
  const Vec3<double> c_B = (1 / I.m) * I.h, c = R * c_B;
  const Sym3<double> inverse_J = congruence(R, inverse(I.J - point_inertia(I.m, c_B)));
  begin_half(6);
  for (std::size_t r = 0; r < rows_of_tree_.size(); ++r) {
    const ConstraintRow& row = rows_of_tree_[r];
    Wrench<double> F;
    for (int p = 0; p < row.part_count; ++p) F += row.parts[static_cast<std::size_t>(p)].F_Bo_W;
    const Vec3<double> w = inverse_J * (F.n - cross(c, F.f)), v = (1 / I.m) * F.f + cross(c, w);
    for (std::size_t s = 0; s < 3; ++s) {
      const int d = static_cast<int>(s);
      half_.u[s * rows_of_tree_.size() + r] = F.n[d], half_.u[(3 + s) * rows_of_tree_.size() + r] = F.f[d];
      half_.D_inverse_u[s * rows_of_tree_.size() + r] = w[d];
      half_.D_inverse_u[(3 + s) * rows_of_tree_.size() + r] = v[d];
    }
  }
}

void ContactSweeps::begin_half(std::size_t freedoms) {
  half_.freedoms = freedoms, half_.blocks = rows_of_tree_.size() / four;
  const std::size_t numbers = freedoms * rows_of_tree_.size();
  if (half_.u.size() < numbers) half_.u.resize(numbers), half_.D_inverse_u.resize(numbers);
}

// By halves; who knows none answers J by M⁻¹ Jᵀ, whose product is the same.
void ContactSweeps::answer_by(const MotionAxes& axes, Response& response) {
  if (response.half_respond_to_links(rows_of_tree_, half_)) return;
  if (rows_of_tree_.size() > capacity_) {
    capacity_ = 2 * rows_of_tree_.size();
    row_set_.emplace(coordinates_, static_cast<int>(capacity_));
  }
  const auto nv = static_cast<std::size_t>(coordinates_.nv);
  row_set_->clear(nv);
  add_rows(coordinates_, rows_of_tree_, axes, no_bias_, *row_set_);
  if (response.half_respond(*row_set_, half_)) return;
  begin_half(nv);
  std::vector<double>& answer = half_.of_one;
  answer.resize(nv);
  for (std::size_t r = 0; r < rows_of_tree_.size(); ++r) {
    const std::span<const double> J = (*row_set_)[static_cast<int>(r)].J;
    response.respond(J, std::span(answer).first(nv));
    for (std::size_t k = 0; k < nv; ++k) {
      half_.u[k * rows_of_tree_.size() + r] = J[k];
      half_.D_inverse_u[k * rows_of_tree_.size() + r] = answer[k];
    }
  }
}

// From the halves of its tree, where it has the fours from first_four on; and its part of A. Room is made for all numbers and given back.
void ContactSweeps::fill_side(const Placed& b, Side& side, std::size_t first_four) {
  const std::size_t stride = rows_of_tree_.size(), fours = fours_of(b.rows), freedoms = half_.freedoms,
                    y = trees_here_[static_cast<std::size_t>(side.tree)].y;
  const auto rows = static_cast<std::size_t>(b.rows);
  side.at = at_.size(), side.u = u_.size(), side.G = G_.size();
  const std::size_t packs = (freedoms + width - 1) / width;
  at_.resize(side.at + freedoms), u_.resize(side.u + four * fours * freedoms),
      G_.resize(side.G + packs * rows * width, 0.0);
  pack_at_.clear();
  double *to_u = u_.data() + side.u, *to_G = G_.data() + side.G;
  std::array<std::array<Four, most_rows / four>, most_rows> A{};
  for (std::size_t first = 0; first < freedoms; first += width) {
    bool any_in_pack = false;
    for (std::size_t k = first; k < std::min(first + width, freedoms); ++k) {
      const double *u = half_.u.data() + k * stride + four * first_four,
                   *G = half_.D_inverse_u.data() + k * stride + four * first_four;
      bool any = false;
      for (std::size_t f = 0; f < fours; ++f) {
        const Four of_u = Four::load(u + f * four), of_G = Four::load(G + f * four);
        any = any || is_any(of_u), any_in_pack = any_in_pack || is_any(of_G);
        of_u.store(to_u + f * four);
        for (std::size_t r = 0; r < rows; ++r) A[r][f] += Four(u[r]) * of_G;
      }
      for (std::size_t r = 0; r < rows; ++r) to_G[r * width + k - first] = G[r];
      if (any) at_[side.at + side.numbers++] = static_cast<std::uint32_t>(y + k), to_u += four * fours;
    }
    if (any_in_pack) pack_at_.push_back(static_cast<std::uint32_t>(y + first)), to_G += rows * width;
  }
  side.packs = static_cast<std::uint32_t>(pack_at_.size()), side.pack_at = side.at + side.numbers;
  at_.resize(side.pack_at), u_.resize(side.u + four * fours * side.numbers),
      G_.resize(side.G + side.packs * rows * width);
  at_.insert(at_.end(), pack_at_.begin(), pack_at_.end());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t s = 0; s < rows; ++s) A_[b.A + r * rows + s] += A[r][s / four][static_cast<int>(s % four)];
}

void ContactSweeps::find_steps(Placed& own, const RowBlock& block) {
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
  if (own.rows != 3) return;
  own.point = static_cast<int>(points_.size());
  Point& point = points_.emplace_back();
  const double* A = A_.data() + own.A;
  point.A_tn[0] = A[3], point.A_tn[1] = A[6];
  point.step = own.step[0], point.size = own.step[0] > 0 ? 1 / own.step[0] : 0;
  point.first_side = own.first_side, point.sides = own.sides;
}

// ---- impulses and what they move
// Over trees that both act on.
double ContactSweeps::entry(const Placed& a, int r, const Placed& b, int s) const {
  double sum = 0;
  const auto rows = static_cast<std::size_t>(b.rows);
  for (const Side& x : sides_of(a))
    for (const Side& y : sides_of(b)) {
      if (x.tree != y.tree) continue;
      for (std::size_t k = 0, p = 0; k < x.numbers; ++k) {
        const std::size_t at = at_[x.at + k];
        while (p < y.packs && at_[y.pack_at + p] + width <= at) ++p;
        if (p == y.packs || at_[y.pack_at + p] > at) continue;
        sum += u_[x.u + k * four * fours_of(a.rows) + static_cast<std::size_t>(r)] *
               G_[y.G + (p * rows + static_cast<std::size_t>(s)) * width + at % width];
      }
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

// (1) of one row
void ContactSweeps::push(const Placed& b, int row, double P) {
  if (P == 0) return;  // most of what is near does not touch
  for (const Side& side : sides_of(b)) {
    const double* G = G_.data() + side.G + static_cast<std::size_t>(row) * width;
    for (std::size_t p = 0; p < side.packs; ++p, G += static_cast<std::size_t>(b.rows) * width) {
      double* y = y_.data() + at_[side.pack_at + p];
      (Eight::load(y) + Eight(P) * Eight::load(G)).store(y);
    }
  }
}

// Of all rows, by impulses alone; for the rows of whole fours.
void ContactSweeps::velocities(const Placed& b, double* v) const {
  const std::size_t fours = fours_of(b.rows);
  for (std::size_t f = 0; f < fours; ++f) {
    Four sum{};
    for (const Side& side : sides_of(b))
      for (std::size_t k = 0; k < side.numbers; ++k)
        sum += Four::load(u_.data() + side.u + (k * fours + f) * four) * Four(y_[at_[side.at + k]]);
    sum.store(v + f * four);
  }
}

double ContactSweeps::normal_velocity(const Placed& b) const {
  const std::size_t stride = four * fours_of(b.rows);
  double sum = 0;
  for (const Side& side : sides_of(b))
    for (std::size_t k = 0; k < side.numbers; ++k) sum += u_[side.u + k * stride] * y_[at_[side.at + k]];
  return sum;
}

void ContactSweeps::start(std::span<const double> P) {
  std::ranges::fill(y_, 0.0);
  for (const Placed& b : blocks_)
    for (int r = 0; r < b.rows; ++r) push(b, r, P[b.first + static_cast<std::size_t>(r)]);
}

// ---- sweeps
// (2), (3); returns the largest change of a velocity.
double ContactSweeps::relax_contact(const Placed& b, const ConeProblem& problem, const RowBlock& block, double* P) {
  std::array<double, most_rows> u{};
  std::array<double, 6> dP{};
  const auto rows = static_cast<std::size_t>(b.rows);
  const double* A = A_.data() + b.A;
  const auto compliance = [&](std::size_t r) {
    return problem.compliance.empty() ? 0 : problem.compliance[b.first + r];
  };
  velocities(b, u.data());
  for (std::size_t r = 0; r < rows; ++r) u[r] += problem.u_free[b.first + r] + compliance(r) * P[r];
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
  for (std::size_t r = 0; r < rows; ++r) push(b, static_cast<int>(r), dP[r]);
  return change;
}

// (4) for single rows.
double ContactSweeps::relax(const Placed& b, const ConeProblem& problem, const RowBlock& block, double* P) {
  if (block.kind == RowBlock::Kind::contact) return relax_contact(b, problem, block, P);
  const double compliance = problem.compliance.empty() ? 0 : problem.compliance[b.first], own = A_[b.A] + compliance;
  if (!(own > 0)) return 0;
  const double u = problem.u_free[b.first] + compliance * P[0] + normal_velocity(b);
  double next = P[0] - u / own;
  if (block.kind == RowBlock::Kind::bounds) next = std::clamp(next, block.lower, block.upper);
  const double dP = next - P[0];
  P[0] = next;
  push(b, 0, dP);
  return std::abs(dP) * own;
}

// There and back; returns the largest change of a velocity by a block.
double ContactSweeps::sweep(const ConeProblem& problem, std::span<double> P) {
  const std::size_t m = blocks_.size();
  double change = 0;
  const auto visit = [&](std::size_t i) {
    const Placed& b = blocks_[i];
    return b.point >= 0 ? relax_point(points_[static_cast<std::size_t>(b.point)])
                        : relax(b, problem, problem.blocks[i], P.data() + b.first);
  };
  for (std::size_t i = 0; i < m; ++i) change = std::max(change, visit(i));
  for (std::size_t i = m; i-- > 0;) change = std::max(change, visit(i));
  return change;
}

// Σ λ (P̃ − P_k)(P_k − P_{k−1}) > 0, λ being A_nn for all rows of a block.
bool ContactSweeps::turns_back(std::span<double> P) {
  double sum = 0;
  for (const Placed& b : blocks_) {
    const double* own = impulses(b, P);
    for (std::size_t r = 0; r < static_cast<std::size_t>(b.rows); ++r)
      sum += A_[b.A] * (P_begun_[b.first + r] - own[r]) * (own[r] - P_last_[b.first + r]);
  }
  return sum > 0;
}

// (5); P_{k−1} is P_k from now on.
void ContactSweeps::go_beyond(double beta, std::span<double> P) {
  for (const Placed& b : blocks_) {
    double* own = impulses(b, P);
    for (std::size_t r = 0; r < static_cast<std::size_t>(b.rows); ++r) {
      const double now = own[r];
      own[r] = P_begun_[b.first + r] = now + beta * (now - P_last_[b.first + r]);
      P_last_[b.first + r] = now;
    }
  }
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double now = y_[i];
    y_[i] = now + beta * (now - y_last_[i]);
    y_last_[i] = now;
  }
}

ContactSweeps::Report ContactSweeps::solve(const ConeProblem& problem, const Options& options, std::span<double> P,
                                           std::span<double> u) {
  Report report;
  if (!P_solved_.empty()) std::ranges::copy(P_solved_, P.begin());  // nearer than what the step before has left
  start(P);
  const bool is_as_solved = is_nearly_solved(problem, options.tolerance * problem.scale);
  load_points(problem, P);
  P_last_.assign(P.begin(), P.end()), P_begun_ = P_last_, y_last_ = y_;
  double t = 1;
  while (!is_as_solved) {
    const double change = sweep(problem, P);
    report.sweeps += 2;
    if (report.sweeps >= options.most || !(change > options.tolerance * problem.scale)) break;
    if (turns_back(P)) t = 1;
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    go_beyond((t - 1) / next, P);
    t = next;
  }
  for (const Placed& b : blocks_)
    if (b.point >= 0) std::copy_n(points_[static_cast<std::size_t>(b.point)].P, 3, P.data() + b.first);
  if (!is_as_solved) remember(problem, P, report.sweeps < options.most);
  start(P);  // without what rounding has added up
  std::array<double, most_rows> v{};
  for (const Placed& b : blocks_) {
    velocities(b, v.data());
    for (int r = 0; r < b.rows; ++r) {
      const std::size_t row = b.first + static_cast<std::size_t>(r);
      u[row] = problem.u_free[row] + v[static_cast<std::size_t>(r)];
      if (!problem.compliance.empty()) u[row] += problem.compliance[row] * P[row];
    }
  }
  report.certificate = certify_all(problem, P, u);
  return report;
}

// Of the problem that was solved last where things are placed so.
void ContactSweeps::remember(const ConeProblem& problem, std::span<const double> P, bool to_the_end) {
  P_solved_.assign(P.begin(), P.end());
  solved_.clear();
  if (!to_the_end) return;  // there is more to be done
  solved_.reserve(problem.u_free.size() + 3 * blocks_.size());
  solved_.assign(problem.u_free.begin(), problem.u_free.end());
  for (const RowBlock& block : problem.blocks)
    for (const double x : {block.friction, block.lower, block.upper}) solved_.push_back(x);
}

// Whether it differs from that one by velocities that sweeps do not see.
bool ContactSweeps::is_nearly_solved(const ConeProblem& problem, double unseen) const {
  if (solved_.empty()) return false;
  const std::size_t n = problem.u_free.size();
  for (std::size_t r = 0; r < n; ++r)
    if (!(std::abs(problem.u_free[r] - solved_[r]) <= unseen)) return false;
  std::size_t k = n;
  for (const RowBlock& block : problem.blocks)
    for (const double x : {block.friction, block.lower, block.upper})
      if (solved_[k++] != x) return false;
  return true;
}

int ContactSweeps::solve_normals(std::span<const double> rhs, std::span<const char> left_out, const Options& options,
                                 double scale, std::span<double> lambda) {
  const std::size_t m = blocks_.size();
  std::ranges::fill(y_, 0.0);
  std::ranges::fill(lambda, 0.0);
  int sweeps = 0;
  for (double change = unbounded; sweeps < options.most && change > options.tolerance * scale; ++sweeps) {
    change = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t i = sweeps % 2 == 0 ? k : m - 1 - k;
      const Placed& b = blocks_[i];
      const double own = A_[b.A];
      if (left_out[i] != 0 || !(own > 0)) continue;
      const double next = std::max(0.0, lambda[i] - (rhs[i] + normal_velocity(b)) / own), d = next - lambda[i];
      lambda[i] = next;
      push(b, 0, d);
      change = std::max(change, std::abs(d) * own);
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
