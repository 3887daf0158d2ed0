// Joints with up to six degrees of freedom whose motion is given by functions of their coordinates: all joints that
// have no kernel of their own. How they are described, and what a model keeps of them.
//
//   R_FB = R(u₁, θ₁) R(u₂, θ₂) R(u₃, θ₃)      p_FoBo_F = s₁ d₁ + s₂ d₂ + s₃ d₃                                      (1)
// with axes u fixed in the frames they turn and directions d fixed in F. Each of the six channels θ, s is a constant
// plus functions of one coordinate each. Universal, cylindrical, planar and screw joints are special cases.
//
// The ellipsoid joint has an attitude of its own (the quaternion of R_FB, velocity w_FB_B); Bo lies on an ellipsoid with
// its centre at Fo and its axes along F, where the outward normal n is the z axis of B:
//   p_i = a_i² n_i / √(Σ a_k² n_k²)                                                                                 (2)
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "marey/spatial.h"

namespace marey {

inline constexpr int most_freedoms = 6;  // of one joint
inline constexpr int most_degree = 9;    // of a polynomial in a joint

// ---- description
struct JointCoordinate {
  std::string name;
  bool is_length = false;  // m; otherwise rad
};
// A function of one coordinate: a polynomial c₀ + c₁ x + c₂ x² …, or a table of at least two points, joined by a cubic
// spline with two continuous derivatives. Its second derivative vanishes at both ends (natural), or its slopes there are
// given (clamped); beyond its ends it continues in a straight line.
struct JointFunction {
  int coordinate = 0;
  std::vector<double> polynomial;
  std::vector<double> x, y;  // x ascending
  std::optional<std::array<double, 2>> end_slopes;
};
struct CustomJoint {
  std::vector<JointCoordinate> coordinates;  // 1–6, names unique
  // Three angles, about x, then y′, then z″, and three displacements along x, y, z of F; or about and along other axes.
  std::array<Vec3<double>, 6> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<double, 6> constants{};
  std::array<std::vector<JointFunction>, 6> functions;  // at most one of each coordinate
};

// ---- in a model
struct GeneralJoint {
  // `pieces` polynomials of one degree. Each has the coordinate at which it takes over, its origin and its coefficients,
  // in GeneralParams::coefficients from `first` on.
  struct Function {
    int channel = 0, coordinate = 0, degree = 0, pieces = 0, first = 0;
  };
  bool ellipsoid = false;
  int freedoms = 0;
  std::array<bool, 6> used{};  // channels that are not always zero
  std::vector<Function> functions;
};
template <class T>
struct GeneralParams {
  std::array<Vec3<T>, 6> axes;  // u, then d: unit vectors
  std::array<T, 6> constants{};
  Vec3<T> radii;  // a of (2)
  std::vector<T> coefficients;
};

}  // namespace marey
