// aba() in two halves, of which the first finds the places and twists of all links, too.
//
// A run needs them at every instant, and the motion across the joints is a good part of both. The second half may be asked for
// again with other forces.
#pragma once

#include <algorithm>

#include "marey/dynamics.h"

namespace marey {

// What forward_kinematics() finds, and in the workspace what follows from q and v alone.
template <class T>
void aba_motion(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, AbaWorkspace<T>&,
                Kinematics<T>&);
// The same without the places and twists, where nobody asks for them.
template <class T>
void aba_motion(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, AbaWorkspace<T>&);
// After it: the same as aba() at that q and v. Where `vdot` is empty, the factored inertias alone are left in the workspace.
template <class T>
void aba_forces(const Model&, const Params<T>&, const Forces<T>&, AbaWorkspace<T>&, std::span<T> vdot);

// Σ m p_WoBcm_W of all links: inward, each link with all that hangs on it, about its own origin in its own axes,
//   s = h + Σ over sons (R s + m r),      m of the son with all that hangs on it
// which takes a third of what the places of links would, and next to no time on the way of aba_forces().
class FirstMoment {
 public:
  explicit FirstMoment(const Model&);
  // Those of the same model, where they have changed.
  void take_masses(const Model&);
  void begin() { std::copy(h_.begin(), h_.end(), s_.begin()); }
  // Of a link whose sons are done.
  void pass(std::size_t link, std::size_t parent, const AbaLink<double>& b) {
    s_[parent] += b.R * s_[link] + m_[link] * b.r;
  }
  const Vec3<double>& value() const { return s_[0]; }
  double mass() const { return m_[0]; }

 private:
  std::vector<double> m_;            // [nlink]
  std::vector<Vec3<double>> h_, s_;  // [nlink]
};
void aba_forces(const Model&, const Params<double>&, const Forces<double>&, AbaWorkspace<double>&,
                std::span<double> vdot, FirstMoment&);

// Energy and momentum of all links, without their places: outward, on the way of aba_motion(), the velocity of each origin in the axes
// of its own link, and inward each link with all that hangs on it, about its own origin in its own axes:
//   v = Rᵀ (v_P + ω_P × r + v_J)    L = I (ω, v)    T = Σ ½ L · (ω, v)      (n, f)_P += (R n + r × R f, R f)
// which takes less than half of what the places and totals() would.
struct LinkMomenta {
  explicit LinkMomenta(const Model&);
  double kinetic = 0;
  std::vector<Vec3<double>> v;    // [nlink] of Bo, in B
  std::vector<Wrench<double>> L;  // [nlink] about Bo, in B; of the world, that of all links about Wo, in W
};
void aba_motion(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
                AbaWorkspace<double>&, LinkMomenta&, FirstMoment&);

}  // namespace marey
