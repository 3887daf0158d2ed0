// A contact problem in the units its solver works with.
//
// Each block i has a scale d_i = 1/√λmax((A + C)_ii), the same for all of its rows, moments having been divided by ℓ:
//   z = P/d,   v = d u,   v = v_free + B z,   B = d (A + C) d
// The laws are the same for z and v: cones do not change when they are stretched in all directions. The blocks on the
// diagonal of B have λmax = 1, be the bodies as heavy as they may, so that ρ = 1 for all of them:
//   certificate of block i = |z − Proj(z − (v + φ n))| / (d_i s)
#pragma once

#include <span>
#include <vector>

#include "contact/cone_measure.h"
#include "contact/factors.h"
#include "contact/friction_cone.h"

namespace marey {

// Natural maps below this are not worth another factorisation.
inline constexpr double as_good_as_exact = 1e-13;

struct ScaledBlock {
  RowBlock::Kind kind = RowBlock::Kind::contact;
  int first = 0, rows = 0;
  FrictionCone cone;
  double d = 1;
  double lower = 0, upper = 0;
};

struct ScaledCones {
  void set(const ConeProblem&);
  // Of the same problem but for these.
  void set_free(std::span<const double> u_free, double scale);
  void expect(std::size_t rows, std::size_t block_count) {
    B.expect(rows);
    reserve_all(rows, {&centre, &v_free, &row_scale});
    blocks.reserve(block_count), measures.reserve(block_count);
  }
  int size() const { return B.size(); }
  void scale(std::span<const double> P, double* z) const;
  void unscale(const double* z, std::span<double> P) const;
  void find_velocities(const double* z, double* v) const;
  // The nearest impulses that the blocks allow.
  void project(const double* p, double* y) const;
  // The largest over the blocks, in units of the certificate; of each block, where `of_block` is given.
  double natural_map(const double* z, const double* v, double* of_block = nullptr) const;

  // What rounding of z and of its products may contribute to the natural map.
  double rounding(const double* z) const;

  double s = 1;
  double added = 0;            // to the diagonal of B, about `centre`: v = v_free + B z + added (z − centre)
  std::vector<double> centre;  // [n]
  SquareRows B;
  std::vector<double> v_free;     // [n]
  std::vector<double> row_scale;  // [n] P/z: d, and ℓ d for moments
  std::vector<ScaledBlock> blocks;
  std::vector<BlockMeasure> measures;  // of the blocks
};

// Σ_g μ_g |v_g|
double slip_term(const FrictionCone&, const double* v);

}  // namespace marey
