// The least wrench (in N m and N) that has given joint forces: F = S (Sᵀ S)⁻¹ τ.
#pragma once

#include "marey/dynamics.h"

namespace marey {

template <class T>
class LeastWrench {
 public:
  // Sᵀ S = L diag(d) Lᵀ; one motion after the other is made orthogonal to those before.
  LeastWrench(const JointMotions<T>& S, int n) : n_(n) {
    for (int k = 0; k < n; ++k) {
      Y_[k] = {S[static_cast<std::size_t>(k)].w, S[static_cast<std::size_t>(k)].v};
      for (int l = 0; l < k; ++l) {
        L_[k][l] = power(Y_[l], S[static_cast<std::size_t>(k)]) / d_[l];
        Y_[k] -= Wrench<T>{L_[k][l] * Y_[l].n, L_[k][l] * Y_[l].f};
      }
      d_[k] = dot(Y_[k].n, Y_[k].n) + dot(Y_[k].f, Y_[k].f);
    }
  }
  template <class Array>
  Wrench<T> operator()(const Array& tau) const {
    Wrench<T> F{};
    T z[most_freedoms];
    for (int k = 0; k < n_; ++k) {
      z[k] = tau[k];
      for (int l = 0; l < k; ++l) z[k] -= L_[k][l] * z[l];
      const T s = z[k] / d_[k];
      F += Wrench<T>{s * Y_[k].n, s * Y_[k].f};
    }
    return F;
  }

 private:
  int n_;
  Wrench<T> Y_[most_freedoms];
  T L_[most_freedoms][most_freedoms], d_[most_freedoms];
};

}  // namespace marey
