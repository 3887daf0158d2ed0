// The contact problem of one island: which impulses P act at rows of contacts with friction, of limits and drives, of joints.
//
//   u = u_free + (A + C) P,   A = J M⁻¹ Jᵀ,   C = diag(compliance)                                                 (1)
//   contact    P in K,   u + φ(u) n in K*,   P · (u + φ(u) n) = 0                                                  (2)
//              K = { |P_g| ≤ μ_g P_n for each group g of its rows },   φ(u) = Σ_g μ_g |u_g|
// The groups are t (two rows, friction), torsion (one row, about n) and roll (two rows, about t₁ and t₂). (2) is Coulomb's
// law as de Saxcé and Feng wrote it: 0 ≤ u_n ⊥ P_n ≥ 0, and each P_g is the one of its disc that takes most work from u_g.
// A plate on four corners has many P for one u. Of these the shortest is taken, Σ|P|² least, moments being divided by a
// length of the contact, ℓ; so that the answer depends neither on the order of the contacts nor on where the search began. While it
// slides and turns each P has a u of its own: then the shortest of all of them is taken.
//   ℓ² = mean of the diagonal of A + C over n, t₁, t₂ / mean over the rows of moments                              (3)
// It is about the radius of gyration as the contact sees it: a unit of P_g/ℓ moves the contact as much as one of P_n.
//
// docs/theory/contact-problem.md has the derivation and how the solution is found.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "marey/rows.h"

namespace marey {

// Rows that stand together in a contact problem.
struct RowBlock {
  enum class Kind : std::uint8_t {
    equality,  // one row, u = 0, P free
    bounds,    // one row, lower ≤ P ≤ upper; u = 0 inside, u ≥ 0 where P = lower, u ≤ 0 where P = upper
    contact,   // rows n, t₁, t₂; then one about n where torsion > 0; then two about t₁, t₂ where rolling > 0
  };
  Kind kind = Kind::contact;
  int first = 0;                    // its first row
  double friction = 0;              // μ ≥ 0
  double torsion = 0, rolling = 0;  // m ≥ 0
  double lower = 0, upper = unbounded;
  int rows() const { return kind == Kind::contact ? 3 + (torsion > 0 ? 1 : 0) + (rolling > 0 ? 2 : 0) : 1; }
};

// Find P with u = u_free + (A + diag(compliance)) P and each block's law.
struct ConeProblem {
  std::span<const double> A;           // [n × n] J M⁻¹ Jᵀ, symmetric, positive semidefinite, often singular
  std::span<const double> compliance;  // [n] ≥ 0, or empty
  std::span<const double> u_free;      // [n]; gap/h or restitution is in it already
  std::span<const RowBlock> blocks;    // in order, covering all rows
  double scale = 1;                    // s of the certificate, m/s
  bool as_before =
      false;  // all but u_free and scale is that of the solver's last problem: what was made of it serves on
};

// How exact an answer is. The natural map of a block i is |P − Proj_K(P − ρ (u + φ(u) n))| / (ρ s), ρ = 1/λmax((A + C)_ii),
// with moments divided and angular velocities multiplied by ℓ of (3). It is zero for solutions only, and has no parameter
// that could make an error look small. For the other blocks K is their interval, and φ zero.
struct ConeCertificate {
  double natural_map = 0;  // largest over blocks, in units of scale
  int block = -1;          // where
  double cone_excess = 0;  // largest distance of a P from its cone (its interval), relative to |P|
};
// By definition; nothing of the solver's has a part in it.
ConeCertificate certify(const ConeProblem&, std::span<const double> P);

struct ConeReport {
  ConeCertificate certificate;
  double rounding = 0;     // what the rounding of P and of A P may contribute to the natural map
  bool converged = false;  // whether the natural map is within the tolerance, or as small as rounding lets it be
  int iterations = 0;      // of all methods of the search; 0 where what rested goes on resting
  int factorisations = 0;
  int attempts = 1;     // ways that were tried, until one led to the solution
  bool shared = false;  // whether P is the shortest of those with these velocities
};

// Scratch that grows and is kept: no allocation once it has seen a problem as large.
class ConeSolver {
 public:
  ConeSolver();
  ~ConeSolver();
  ConeSolver(ConeSolver&&) noexcept;
  ConeSolver& operator=(ConeSolver&&) noexcept;

  double tolerance = 1e-9;  // of the natural map; the search goes on below it as long as that is cheap
  int most_iterations = 20000;
  bool sharing = true;
  bool shares_slips = true;  // also where other shares have other velocities

  // Room for so many rows and blocks.
  void expect(std::size_t rows, std::size_t blocks);
  // P: on entry a guess (of the last step; zeros for none), on return the answer, or the best that was found. u: [n] out.
  ConeReport solve(const ConeProblem&, std::span<double> P, std::span<double> u);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace marey
