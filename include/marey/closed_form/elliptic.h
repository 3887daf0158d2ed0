// Elliptic functions and integrals along a motion that runs for many periods; see closed_elliptic.cpp.
#pragma once

namespace marey::closed {

// The closed forms are computed in extended precision where the machine has it: after a thousand turns the phase of a
// motion is a number of about 10⁴, and what is left of `double` below it would show in the eleventh digit.
using Real = long double;

// Jacobi's functions of one modulus: parameter m = k² and its complement m1 = 1 − m, both given, since close to a
// separatrix m1 is all that matters and 1 − m has lost it. 0 ≤ m, m1 ≤ 1. m1 = 0 is the separatrix itself.
class Elliptic {
 public:
  Elliptic(Real m, Real m1);

  // The argument u = 2 K turns + rest, and Jacobi's functions of u and of the rest.
  struct Phase {
    Real turns = 0;       // whole number of half periods 2K; 0 on the separatrix
    Real rest = 0;        // in [−K, K]
    Real s = 0, c = 1;    // sn, cn of the rest; c ≥ 0
    Real d = 1;           // dn of the rest and of u
    Real sn = 0, cn = 1;  // of u: of the other sign after an odd number of half periods
  };
  Phase at(Real u) const;
  // The u in (−2K, 2K] with sn u : cn u = sine : cosine. On the separatrix cosine > 0.
  Real argument(Real sine, Real cosine) const;
  // Quarter period; infinite on the separatrix.
  Real K() const { return K_; }

  // ∫₀ᵘ sn² du / (1 + n sn²), for n > −1; n1 = 1 + n, given for the same reason as m1.
  Real integral_sn2(const Phase&, Real n, Real n1) const;
  // ∫₀ᵘ du / (1 + n sn²), Legendre's third kind with characteristic −n.
  Real integral_third(const Phase&, Real n, Real n1) const;

 private:
  Real amplitude(Real u) const;
  Real sn2_within(const Phase&, Real n, Real n1) const;
  Real third_within(const Phase&, Real n, Real n1) const;
  Phase quarter() const;

  Real m_, m1_, K_;
};

}  // namespace marey::closed
