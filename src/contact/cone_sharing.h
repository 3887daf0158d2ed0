// Of all impulses that belong to the velocities of a solution, the shortest.
//
// With u fixed the laws are linear and convex. In the units of cone_scaled.h, x = d z being in N s:
//   moving apart      x = 0                           at rest   x in K
//   a group slides    x_g = −μ_g x_n v_g/|v_g|         a bound   x as it is, if v ≠ 0; else between the bounds
// so that x = x_fixed + D t with t in a convex C: a product of rays, cones (of what does not slide) and intervals, the columns
// of D being of unit length and at right angles. Wanted is the least |t|² with Dᵀ B D t as it is. With DᵀBD = L Lᵀ (pivoted,
// of rank r, in units of x) that is Lᵀ t = c, and its solution is
//   t = Proj_C(L ζ),   Lᵀ Proj_C(L ζ) = c                                                                          (1)
// ζ in r dimensions being the multipliers. (1) says that the gradient of a convex function, ½|Proj_C(L ζ)|² − c·ζ, is zero:
// Newton's method with a search along the line (Qi and Sun 2006, for nearest matrices). Where all t stay inside C its first step
// is the last one. Few redundant impulses are found the other way round: with the null space N of DᵀBD, in units of x, the least
// |t + N y|² is at NᵀN y = −Nᵀ t                                                                                  (2)
// and where that is inside C it is the solution. Where there is one column of N only, and it is not inside, the solution lies on the way
// there, as far as C goes.
//
// Where something slides redundant loads change friction, and with it the velocities: solutions are many, with u of their own. Of these,
// too, the shortest is taken:
//   least |d z|² of all z that obey the laws as what is open, rests and slides does                                  (3)
// (cone_sharing_sliding.cpp).
#pragma once

#include <array>
#include <vector>

#include "contact/cone_scaled.h"

namespace marey {

class ConeSharing {
 public:
  // z: a solution, v its velocities. Velocities below `still` (in units of the certificate) count as zero. True where z is now the shortest;
  // false where it was not found, and z is left as it was.
  // `natural_map`: of z, in and out.
  bool share(const ScaledCones&, double still, double* z, double* v, double& natural_map);
  // The same from a guess, where nothing slides: finds the shortest impulses for which what rests goes on resting. False where it
  // is not so (or something slides); z and v are then as they were.
  bool rest(const ScaledCones&, double* z, double* v);
  // The same where something slides and loads are redundant: the shortest of all solutions near z, whatever their velocities. False where there
  // is no such choice, or its natural map is not at most `most`, and z is left as it was.
  bool share_sliding(const ScaledCones&, double still, double most, double* z, double* v, double& natural_map);
  void expect(std::size_t rows);
  int factorisations = 0;  // counted up
  bool unique = false;     // there was no choice

  // Natural map: what rests is solved so well.
  static constexpr double enough_at_rest = 1e-11;

 private:
  static constexpr std::size_t few_redundant = 8;  // for (2)
  static constexpr int most_steps = 60, few_steps = 8;
  static std::size_t eights(std::size_t n) { return (n + 7) & ~std::size_t{7}; }
  struct Part {  // of C, in units of x
    enum class Kind : unsigned char { free, interval, cone };
    Kind kind = Kind::free;
    int first = 0, rows = 1;  // of t
    double lower = 0, upper = 0;
    FrictionCone cone;
  };
  struct Column {  // of D
    int count = 1;
    std::array<int, 6> row{};
    std::array<double, 6> entry{};
    double d = 1;
  };
  void find_parts(const ScaledCones&, double still, const double* v);
  void add_contact(const ScaledBlock&, double still, const double* v);
  void add_column(int row, double d);
  void add_single(const ScaledBlock&, double still, double v);
  void assemble(const ScaledCones&);
  double find_lengths(const double* z);
  void find_target(const double* z);
  void make_lengths(const double* zeta, double* p) const;
  double project(const double* p, double* t) const;
  double imbalance(const double* t, double* g) const;
  bool all_inside(const double* p) const;
  void weigh(const Part&, const double* p);
  void assemble_hessian(const double* p, bool inside);
  void find_wanted(const ScaledCones&, double still, const double* v);
  bool factor_plain();
  void correct();
  bool minimise(int steps, double least);
  bool share_inside(const ScaledCones&, double most, double* z, double* v, double& natural_map);
  bool rest_inside(const ScaledCones&, double most, double* z, double* v);
  void add_answer(double* t);
  double way_inside(const double* from, const double* to) const;
  void find_null_vectors(std::size_t count);
  bool take_out_null_vectors(std::size_t count);
  bool refine(const ScaledCones&, double most, double* z, double* v);
  bool guess_rest(const ScaledCones&, const double* z, const double* v);
  void find_residual();
  void find_target_at_rest(const ScaledCones&);
  double search_along(double value, double slope);
  bool slips_have_a_choice(const ScaledCones&);
  void add_slips(const ScaledCones&, double still, const double* z, const double* v);
  void linearise(const ScaledCones&);
  double take_lengths(const ScaledCones&);
  double slide(const ScaledCones&, double still, const double* target);
  bool slide_on(const ScaledCones&, double still, const double* target);
  bool slide_carefully(const ScaledCones&, double still, double most, double* z, double* v);
  const double* row(std::size_t i) const { return rows_.data() + i * stride_; }
  void set_impulses(const double* t, double* z) const;

  std::vector<Part> parts_;
  std::vector<Column> columns_;
  std::vector<int> fixed_;  // rows of z that are not in C
  std::vector<double> fixed_at_;
  SquareRows matrix_;  // DᵀBD, and when that is factored, the matrix of the minimum
  PivotedCholesky root_;
  CholeskyRows cholesky_;
  AlignedDoubles rows_, weighted_;  // L by rows, in units of x; J L, or N of (2)
  std::size_t stride_ = 0;
  std::vector<double> c_, b_, t_, p_, zeta_, step_, g_, z_, v_, wanted_, before_;
  int rounds_left_ = 0;
  std::size_t resting_ = 0;     // columns before those across slips
  std::vector<double> slips_;   // w of (4)
  std::vector<double> offset_;  // p = offset + L ζ; empty: none
  std::vector<double> next_z_, free_v_, here_z_, here_v_, way_, target_;
};

}  // namespace marey
