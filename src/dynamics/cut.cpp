// Wrenches through a cut of a figure.
//
// rnea() leaves with each link its motion and the wrench F through its joint (rnea.cpp (2)–(4)). A plane divides link B;
// of what is beyond it, with inertia I′ about Bo,
//   F_C about Bo = I′ (a, ω̇) + gyroscopic terms of I′ − F_E (where it acts beyond) + Σ over sons beyond R F_son      (1)
// with (rnea.cpp (2)(3)) for I′ in the place of I, and then moved from Bo to C.
#include <fmt/format.h>

#include "marey/dynamics/inverse.h"

namespace marey {

Wrench<double> cut_wrench(const Model& model, const RneaWorkspace<double>& ws, std::span<const Wrench<double>> F_Bo_W,
                          const Cut& cut) {
  const RneaLink<double>& b = ws.links[cut.link];
  const Inertia<double>& I = cut.beyond;
  Wrench<double> F{I.J * b.w_dot + cross(I.h, b.a) + cross(b.w, I.J * b.w),
                   I.m * b.a + cross(b.w_dot, I.h) + cross(b.w, cross(b.w, I.h))};
  if (cut.outside_beyond && !F_Bo_W.empty())
    F -= Wrench<double>{transpose_times(b.R_WB, F_Bo_W[cut.link].n), transpose_times(b.R_WB, F_Bo_W[cut.link].f)};
  for (int i = cut.link + 1; i < model.nlink(); ++i) {
    const RneaLink<double>& son = ws.links[i];
    if (model.links[i].parent != cut.link || dot(cut.normal, son.r - cut.point) < 0) continue;
    F += shifted(Wrench<double>{son.R * son.F.n, son.R * son.F.f}, son.r);
  }
  return shifted(F, -cut.point);
}

Wrench<double> joint_wrench(const Model& model, const RneaWorkspace<double>& ws, int link) {
  Wrench<double> F = ws.links[link].F;
  for (int i = link; i != 0; i = model.links[i].parent) F = {ws.links[i].R * F.n, ws.links[i].R * F.f};
  return F;
}

Inertia<double> part_beyond(const Shape& shape, double mass, double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw Error(ErrorKind::bad_input, fmt::format("found a cut at the fraction {}; expected 0 … 1", fraction));
  Shape part = shape;
  double* length = nullptr;
  if (Box* box = std::get_if<Box>(&part.solid)) length = &box->size.z;
  if (Cylinder* cylinder = std::get_if<Cylinder>(&part.solid)) length = &cylinder->length;
  if (!length)
    throw Error(ErrorKind::bad_input, "only boxes and cylinders are cut at a fraction; give the inertia of the part");
  const double whole = *length;
  *length = (1 - fraction) * whole;
  part.X_BS.p = shape.X_BS * Vec3<double>{0, 0, 0.5 * fraction * whole};
  return shape_inertia(part, (1 - fraction) * mass);
}

}  // namespace marey
