// What impulses do to a figure some of whose freedoms move as they are told.
//
// Freedoms h are held: their change of velocity is given, and what that takes is asked for. Of the others, f, the impulse is
// given:
//   [M_ff M_fh] [Δv_f]   [p_f]
//   [M_hf M_hh] [Δv_h] = [p_h]           given: p_f, Δv_h; found: Δv_f, p_h                                         (1)
// The same equations are those of forces and accelerations.
#pragma once

#include <vector>

#include "marey/rows.h"

namespace marey {

class HeldResponse : public Response {
 public:
  // (1): of held freedoms dv is read and p written, of the others p read and dv written.
  virtual void respond_to_both(std::span<double> p, std::span<double> dv) = 0;
};

// Of a tree, by the articulated inertias of src/dynamics/aba.cpp in which a held freedom stays in: it is not projected out,
// and carries whatever comes. O(nlink) for the factors, and for each right-hand side.
class HeldTreeResponse final : public HeldResponse {
 public:
  explicit HeldTreeResponse(const Model&);
  // At a configuration; `held` [nv], not 0 for those that are. Model and params are to stay alive.
  void factor(const Model&, const Params<double>&, std::span<const double> q, std::span<const unsigned char> held);
  void respond_to_both(std::span<double> p, std::span<double> dv) override;
  // Of held freedoms Δv = 0, and p does not count.
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;

 private:
  struct Link {
    Mat3<double> R;     // R_PB
    Vec3<double> r;     // p_PoBo_P
    Sym3<double> J, M;  // articulated inertia [[J, H], [Hᵀ, M]] about Bo, in B, before its own joint
    Mat3<double> H;
    int free = 0, held = 0;
    int at[most_freedoms];            // which freedoms of the joint: those that are free, then those that are held
    Twist<double> S[most_freedoms];   // their motions, in B, in the same order
    Wrench<double> Y[most_freedoms];  // L⁻¹ (I S)ᵀ of those that are free
    double L[most_freedoms][most_freedoms];  // below the diagonal, with D = Sᵀ I S = L diag(d) Lᵀ
    double d_inverse[most_freedoms];
    // of one right-hand side
    double z[most_freedoms];  // as in (3) of the .cpp
    Wrench<double> P;         // what the links further out pass on
    Twist<double> A;
  };
  static void sort_freedoms(const LinkTopology&, std::span<const unsigned char> held, const Twist<double>* S, Link&);
  static Twist<double> given_motion(const double* dv, const Link&);
  static Wrench<double> inward(const double* p, const Twist<double>& c, Link&);
  static void outward(const Twist<double>& A_P, const Twist<double>& c, Link&, double* dv);
  void eliminate(int i);
  void pass_on(const Link&, const Wrench<double>& passed, int parent);

  const Model* model_ = nullptr;
  const Params<double>* params_ = nullptr;
  std::vector<Link> links_;    // [nlink]
  std::vector<char> reached_;  // [nlink] scratch
  std::vector<double> zero_;   // [nv]
};

}  // namespace marey
