// Bodies that touch each other and the world, as contact problems in plain numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "marey/contact/cone_problem.h"
#include "support/random_figure.h"

namespace islands {

using figures::Random;
using marey::ConeProblem;
using marey::RowBlock;
using Vec = marey::Vec3<double>;

// The numbers of a contact problem, which only refers to them.
struct Numbers {
  std::vector<double> A, compliance, u_free;
  std::vector<RowBlock> blocks;
  double scale = 1;

  ConeProblem problem() const { return {A, compliance, u_free, blocks, scale}; }
  std::size_t size() const { return u_free.size(); }
  void set_scale() {
    scale = 0;
    for (const double u : u_free) scale = std::max(scale, std::abs(u));
    if (scale == 0) scale = 1;
  }
  std::vector<double> velocities(const std::vector<double>& P) const {
    std::vector<double> u = u_free;
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) u[i] += A[i * size() + j] * P[j];
      if (!compliance.empty()) u[i] += compliance[i] * P[i];
    }
    return u;
  }
};

struct Body {
  double mass = 1;
  Vec inertia{1, 1, 1};  // about its centre, in W
  Vec center;
};
inline Body box(double mass, Vec size, Vec center) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
  return {mass, {mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y)}, center};
}

constexpr int world = -1;

// Loose bodies; rows are the velocity of a relative to b.
struct Island {
  std::vector<Body> bodies;
  std::vector<std::vector<double>> J;  // rows, [6 bodies]: velocity of the centre and angular velocity, in W
  std::vector<RowBlock> blocks;

  // n points from b to a; t₁ is turned about n by `turn`.
  RowBlock& add_contact(int a, int b, Vec point, Vec n, double friction, double torsion = 0, double rolling = 0,
                        double turn = 0) {
    const Vec across = std::abs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0}, s = marey::cross(n, across),
              e = (1 / norm(s)) * s;
    const Vec f = marey::cross(n, e), t1 = std::cos(turn) * e + std::sin(turn) * f, t2 = marey::cross(n, t1);
    RowBlock& block = blocks.emplace_back();
    block.first = rows(), block.friction = friction, block.torsion = torsion, block.rolling = rolling;
    for (const Vec& d : {n, t1, t2}) add_row(a, b, point, d, false);
    if (torsion > 0) add_row(a, b, point, n, true);
    if (rolling > 0) add_row(a, b, point, t1, true), add_row(a, b, point, t2, true);
    return block;
  }
  RowBlock& add_single(RowBlock::Kind kind, int a, int b, Vec point, Vec direction, bool turning = false) {
    RowBlock& block = blocks.emplace_back();
    block.kind = kind, block.first = rows();
    add_row(a, b, point, direction, turning);
    return block;
  }
  int rows() const { return static_cast<int>(J.size()); }

  // u_free = J v
  Numbers moving(const std::vector<double>& v) const {
    Numbers out;
    out.blocks = blocks;
    const std::size_t n = J.size();
    out.A.assign(n * n, 0), out.u_free.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t b = 0; b < bodies.size(); ++b) out.A[i * n + j] += product(b, J[i], J[j]);
      for (std::size_t k = 0; k < v.size(); ++k) out.u_free[i] += J[i][k] * v[k];
    }
    out.set_scale();
    return out;
  }
  // All bodies with one velocity: what gravity gives them within a step.
  Numbers falling(Vec v) const {
    std::vector<double> all;
    for (std::size_t b = 0; b < bodies.size(); ++b) all.insert(all.end(), {v.x, v.y, v.z, 0, 0, 0});
    return moving(all);
  }

 private:
  void add_row(int a, int b, Vec point, Vec d, bool turning) {
    std::vector<double>& row = J.emplace_back(6 * bodies.size(), 0.0);
    for (const auto& [body, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
      if (body == world) continue;
      const std::size_t at = 6 * static_cast<std::size_t>(body);
      const Vec moment = turning ? d : marey::cross(point - bodies[static_cast<std::size_t>(body)].center, d);
      if (!turning) row[at] += sign * d.x, row[at + 1] += sign * d.y, row[at + 2] += sign * d.z;
      row[at + 3] += sign * moment.x, row[at + 4] += sign * moment.y, row[at + 5] += sign * moment.z;
    }
  }
  double product(std::size_t body, const std::vector<double>& a, const std::vector<double>& b) const {
    const double *x = a.data() + 6 * body, *y = b.data() + 6 * body;
    const Body& own = bodies[body];
    return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / own.mass + x[3] * y[3] / own.inertia.x +
           x[4] * y[4] / own.inertia.y + x[5] * y[5] / own.inertia.z;
  }
};

// Cubes of side 1 on each other, four contacts between two; the heaviest is `ratio` times the lightest.
inline Island stack(int count, double friction, double ratio = 1, double turn = 0) {
  Island out;
  for (int i = 0; i < count; ++i) {
    const double mass = std::pow(ratio, count > 1 ? static_cast<double>(i) / (count - 1) : 0);
    out.bodies.push_back(box(mass, {1, 1, 1}, {0, 0, i + 0.5}));
  }
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 4; ++c)
      out.add_contact(i, i - 1, {c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, static_cast<double>(i)}, {0, 0, 1}, friction,
                      0, 0, turn * (c + 1));
  return out;
}

// ---- at random
// Normals point about from centre to centre (the world's being far below), within 26° of it. So bodies that all move away from
// the world's centre, each as fast as it is far, part at all contacts, within the dual of every cone with μ ≤ 2: then a solution
// exists whatever u_free is (Acary and Cadoux 2013).
struct RandomOptions {
  double decades = 6;        // of masses
  double most_friction = 2;  // every fifth island is without
  bool moments = true;       // torsion and rolling at some of the contacts
};
inline Island random_island(Random& random, const RandomOptions& options) {
  Island out;
  const int bodies = 1 + random.below(6), contacts = 1 + random.below(4 * bodies + 2);
  for (int i = 0; i < bodies; ++i) {
    const double m = std::pow(10, random.between(-0.5, 0.5) * options.decades), r = random.between(0.1, 1);
    const auto part = [&] { return m * r * r * random.between(0.2, 1); };
    const double x = part(), y = part(), z = part();
    out.bodies.push_back({m, {x, y, z}, {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)}});
  }
  const bool smooth = random.below(5) == 0;
  const auto friction = [&] { return smooth ? 0 : random.between(0, options.most_friction); };
  const auto moment = [&] { return options.moments && random.below(8) == 0 ? random.between(0.001, 0.1) : 0; };
  for (int i = 0; i < contacts; ++i) {
    const int a = random.below(bodies);
    int b = random.below(bodies + 1) - 1;
    if (a == b) b = world;
    const Vec p{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    const Vec apart = out.bodies[static_cast<std::size_t>(a)].center -
                      (b == world ? Vec{0, 0, -3} : out.bodies[static_cast<std::size_t>(b)].center);
    const Vec bent{random.between(-0.25, 0.25), random.between(-0.25, 0.25), random.between(-0.25, 0.25)};
    const Vec d = (1 / norm(apart)) * apart + bent, n = (1 / norm(d)) * d;
    const double torsion = moment(), rolling = moment();
    out.add_contact(a, b, p, n, friction(), torsion, rolling);
    if (b != world || random.below(4) != 0) continue;
    const Vec beside = p + Vec{random.between(-0.1, 0.1), 0, 0};  // redundant
    out.add_contact(a, b, beside, n, friction());
  }
  return out;
}
// Bodies that move at random: u = 0 is always possible.
inline Numbers random_motion(Random& random, const RandomOptions& options) {
  const Island island = random_island(random, options);
  std::vector<double> v(6 * island.bodies.size());
  for (double& x : v) x = random.between(-1, 1);
  return island.moving(v);
}
// A solution is planted: each contact is open, sticks or slides, at random, and u_free = u − A P.
inline Numbers random_planted(Random& random, const RandomOptions& options) {
  const Island island = random_island(random, options);
  Numbers out = island.moving({});
  const std::size_t n = out.size();
  std::vector<double> P(n), u(n);
  for (const RowBlock& block : out.blocks) {
    const auto first = static_cast<std::size_t>(block.first);
    const int mode = random.below(3);
    if (mode == 0) {
      u[first] = random.between(0, 1);
      for (int r = 1; r < block.rows(); ++r) u[first + static_cast<std::size_t>(r)] = random.between(-1, 1);
      continue;
    }
    P[first] = std::pow(10, random.between(-1, 1)) / out.A[first * n + first];
    std::size_t row = first + 1;
    const auto plant = [&](int rows, double coefficient) {
      double x = random.between(-1, 1), y = rows == 2 ? random.between(-1, 1) : 0;
      const double length = std::hypot(x, y), part = mode == 1 ? random.between(0, 1) : 1;
      const double speed = mode == 2 ? random.between(0, 1) : 0;
      x /= length, y /= length;
      for (int r = 0; r < rows; ++r, ++row)
        P[row] = -coefficient * P[first] * part * (r ? y : x), u[row] = speed * (r ? y : x);
    };
    plant(2, block.friction);
    if (block.torsion > 0) plant(1, block.torsion);
    if (block.rolling > 0) plant(2, block.rolling);
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.u_free[i] = u[i];
    for (std::size_t j = 0; j < n; ++j) out.u_free[i] -= out.A[i * n + j] * P[j];
  }
  out.set_scale();
  return out;
}

// The same problem with its blocks in another order; order[k] is which one comes k-th. Rows[i] tells where row i was.
inline Numbers permuted(const Numbers& from, const std::vector<int>& order, std::vector<std::size_t>& rows) {
  Numbers out;
  rows.clear();
  for (const int b : order) {
    RowBlock& block = out.blocks.emplace_back(from.blocks[static_cast<std::size_t>(b)]);
    const auto old = static_cast<std::size_t>(block.first);
    block.first = static_cast<int>(rows.size());
    for (int r = 0; r < block.rows(); ++r) rows.push_back(old + static_cast<std::size_t>(r));
  }
  const std::size_t n = from.size();
  for (const std::size_t i : rows) {
    out.u_free.push_back(from.u_free[i]);
    if (!from.compliance.empty()) out.compliance.push_back(from.compliance[i]);
    for (const std::size_t j : rows) out.A.push_back(from.A[i * n + j]);
  }
  out.scale = from.scale;
  return out;
}

}  // namespace islands
