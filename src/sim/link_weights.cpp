#include "sim/link_weights.h"

namespace marey {

// Accelerations: (1) of src/rows/rows.cpp, where v_J is what V has beside the turning of the parent.
void weigh_links(const Model& model, const MotionAxes& axes, std::span<const HeavyLink> heavy,
                 const Vec3<double>& gravity, double h, std::span<const Twist<double>> V_W,
                 std::span<Twist<double>> A_W, std::span<Wrench<double>> B_W) {
  A_W[0] = {{}, -gravity};
  for (std::size_t i = 1; i < heavy.size(); ++i) {
    const auto parent = static_cast<std::size_t>(model.links[i].parent);
    const Twist<double>&V = V_W[i], &V_P = V_W[parent], &A_P = A_W[parent];
    const Vec3<double>& r = axes.ways[i].r;
    const Vec3<double> along = cross(V_P.w, r), v_J = V.v - V_P.v - along;
    const Twist<double> A = {A_P.w + cross(V_P.w, V.w), A_P.v + cross(A_P.w, r) + cross(V_P.w, along + 2.0 * v_J)};
    A_W[i] = A;
    const HeavyLink& I = heavy[i];
    B_W[i] = {-h * (I.J * A.w + cross(I.h, A.v) + cross(V.w, I.J * V.w)),
              -h * (I.m * A.v + cross(A.w, I.h) + cross(V.w, cross(V.w, I.h)))};
  }
}

}  // namespace marey
