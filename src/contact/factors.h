// Dense matrices that change at every step of a search, factored in memory that is kept.
//
// By rows, each filled up with zeros to a multiple of eight, four rows subtracted at a time: one number of a row that is
// changed is read and written once for four products. A row that a pivot does not concern is passed over, and none is
// followed beyond its last entry: the matrix of a stack, in which few contacts meet, costs what its band does.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "marey/core/aligned.h"

namespace marey {

inline void reserve_all(std::size_t n, std::initializer_list<std::vector<double>*> all) {
  for (std::vector<double>* x : all) x->reserve(n);
}

class SquareRows {
 public:
  // An n × n matrix whose entries are not known yet; the filling is zero.
  void resize(int n);
  // Room for that.
  void expect(std::size_t n);
  int size() const { return n_; }
  std::size_t stride() const { return stride_; }
  double* row(int i) { return numbers_.data() + static_cast<std::size_t>(i) * stride_; }
  const double* row(int i) const { return numbers_.data() + static_cast<std::size_t>(i) * stride_; }
  // y += M x of a symmetric M, by multiples of its rows: no sum waits for another.
  void add_symmetric_product(const double* x, double* y) const;

 private:
  int n_ = 0;
  std::size_t stride_ = 0;
  AlignedDoubles numbers_;
};

// The upper triangle of Xᵀ Y, which is symmetric: so many rows of both, so far apart.
void set_products(const double* X, const double* Y, std::size_t apart, std::size_t count, SquareRows& out);

// M = Uᵀ D⁻¹ U, D the diagonal of U, of the upper triangle of M, in place. Without pivoting: for positive definite M.
class CholeskyRows {
 public:
  // False where a pivot is not positive.
  bool factor(SquareRows& M);
  void solve(const SquareRows& U, double* x) const;
  void expect(std::size_t n) { last_.reserve(n), inverse_.reserve(n); }

 private:
  std::vector<int> last_;  // one beyond the last entry of a row that is not zero
  std::vector<double> inverse_;
};

// P M = L U, partial pivoting, in place.
class LuRows {
 public:
  bool factor(SquareRows& M);
  void solve(const SquareRows& M, double* x);
  void expect(std::size_t n) { pivot_.reserve(n), inverse_.reserve(n); }

 private:
  void factor_panel(SquareRows& M, int from, int to);

  std::vector<int> pivot_;
  std::vector<double> inverse_;  // of pivots
  bool singular_ = false;
};

// M ≈ L Lᵀ of rank r, with pivots in falling order, until they are below tolerance × the largest; by the columns of L.
class PivotedCholesky {
 public:
  int factor(const SquareRows& M, double tolerance);
  int rank() const { return rank_; }
  int pivot(int k) const { return pivot_[static_cast<std::size_t>(k)]; }
  const double* column(int k) const { return columns_.data() + static_cast<std::size_t>(k) * stride_; }
  // c with L c = b, b [n] being in the range of M; only its entries at the pivots are looked at.
  void solve_lower(const double* b, double* c) const;
  void expect(std::size_t n);

 private:
  int n_ = 0, rank_ = 0;
  std::size_t stride_ = 0;
  AlignedDoubles columns_;
  std::vector<double> left_;
  std::vector<int> pivot_;
};

}  // namespace marey
