// Small fixed-size types of mechanics in space: vectors, matrices, rotations, poses, twists, wrenches, inertias.
//
// Notation (monogram): R_AB turns components in B into components in A; X_AB is the pose of frame B in frame
// A; p_PQ_E is the vector from point P to point Q in the axes of E. Adjacent letters cancel: X_WC = X_WB *
// X_BC. A frame's origin is its name with an o: Bo. Angular parts come first. Everything is a template on only the
// scalar T and runs on host and device.
#pragma once

#include <cmath>

#include "marey/core/hd.h"

namespace marey {

// ---- Vec3
template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  MAREY_KERNEL constexpr T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  MAREY_KERNEL constexpr const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  MAREY_KERNEL Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  MAREY_KERNEL Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};
template <class T>
MAREY_KERNEL Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
MAREY_KERNEL Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
MAREY_KERNEL Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
MAREY_KERNEL Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
MAREY_KERNEL Vec3<T> operator*(const Vec3<T>& a, const T& s) {
  return s * a;
}
template <class T>
MAREY_KERNEL T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
MAREY_KERNEL Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline bool finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

template <class T>
MAREY_KERNEL T norm_squared(const Vec3<T>& a) {
  return dot(a, a);
}
template <class T>
MAREY_KERNEL T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

// ---- Mat3
// Row-major 3×3 matrix.
template <class T>
struct Mat3 {
  T xx{}, xy{}, xz{}, yx{}, yy{}, yz{}, zx{}, zy{}, zz{};

  MAREY_KERNEL static Mat3 identity() { return diagonal(T(1), T(1), T(1)); }
  MAREY_KERNEL static Mat3 diagonal(const T& a, const T& b, const T& c) {
    return {a, T(0), T(0), T(0), b, T(0), T(0), T(0), c};
  }
  MAREY_KERNEL const T& operator()(int i, int j) const { return (&xx)[3 * i + j]; }
  MAREY_KERNEL T& operator()(int i, int j) { return (&xx)[3 * i + j]; }
  MAREY_KERNEL Mat3& operator+=(const Mat3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yx += b.yx, yy += b.yy, yz += b.yz, zx += b.zx, zy += b.zy, zz += b.zz;
    return *this;
  }
};
template <class T>
MAREY_KERNEL Mat3<T> transpose(const Mat3<T>& a) {
  return {a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}
template <class T>
MAREY_KERNEL Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.yx * b.x + a.yy * b.y + a.yz * b.z,
          a.zx * b.x + a.zy * b.y + a.zz * b.z};
}
// Aᵀ b, without forming the transpose.
template <class T>
MAREY_KERNEL Vec3<T> transpose_times(const Mat3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.yx * b.y + a.zx * b.z, a.xy * b.x + a.yy * b.y + a.zy * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
template <class T>
MAREY_KERNEL Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
          a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
          a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}
template <class T>
MAREY_KERNEL Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> c = a;
  c += b;
  return c;
}
template <class T>
MAREY_KERNEL Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
          a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}
template <class T>
MAREY_KERNEL Mat3<T> operator*(const T& s, const Mat3<T>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy, s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
// The tilde operation: tilde(a) b = a × b.
template <class T>
MAREY_KERNEL Mat3<T> tilde(const Vec3<T>& a) {
  return {T(0), -a.z, a.y, a.z, T(0), -a.x, -a.y, a.x, T(0)};
}
// a bᵀ
template <class T>
MAREY_KERNEL Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

// ---- Sym3
// Symmetric 3×3 matrix; the six numbers are matrix entries (products of inertia enter with their minus sign).
template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  MAREY_KERNEL static Sym3 diagonal(const T& a, const T& b, const T& c) { return {a, b, c, T(0), T(0), T(0)}; }
  MAREY_KERNEL Sym3& operator+=(const Sym3& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  MAREY_KERNEL Sym3& operator-=(const Sym3& b) {
    xx -= b.xx, yy -= b.yy, zz -= b.zz, xy -= b.xy, xz -= b.xz, yz -= b.yz;
    return *this;
  }
};
template <class T>
MAREY_KERNEL Sym3<T> operator+(const Sym3<T>& a, const Sym3<T>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class T>
MAREY_KERNEL Sym3<T> operator-(const Sym3<T>& a, const Sym3<T>& b) {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class T>
MAREY_KERNEL Sym3<T> operator*(const T& s, const Sym3<T>& a) {
  return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
template <class T>
MAREY_KERNEL Mat3<T> to_mat3(const Sym3<T>& a) {
  return {a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz};
}
template <class T>
MAREY_KERNEL Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
template <class T>
MAREY_KERNEL Mat3<T> operator*(const Sym3<T>& a, const Mat3<T>& b) {
  return to_mat3(a) * b;
}
template <class T>
MAREY_KERNEL Mat3<T> operator*(const Mat3<T>& a, const Sym3<T>& b) {
  return a * to_mat3(b);
}
// The symmetric product A Bᵀ, where the caller knows it is symmetric: only six of nine entries are computed.
template <class T>
MAREY_KERNEL Sym3<T> symmetric_product_transposed(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.yx * b.yx + a.yy * b.yy + a.yz * b.yz,
          a.zx * b.zx + a.zy * b.zy + a.zz * b.zz, a.xx * b.yx + a.xy * b.yy + a.xz * b.yz,
          a.xx * b.zx + a.xy * b.zy + a.xz * b.zz, a.yx * b.zx + a.yy * b.zy + a.yz * b.zz};
}
// R S Rᵀ: components of S in the frame that R leads to.
template <class T>
MAREY_KERNEL Sym3<T> congruence(const Mat3<T>& r, const Sym3<T>& s) {
  return symmetric_product_transposed(r * s, r);
}
// Inverse by cofactors; one reciprocal. The caller knows that it exists.
template <class T>
MAREY_KERNEL Sym3<T> inverse(const Sym3<T>& a) {
  const T cxx = a.yy * a.zz - a.yz * a.yz, cxy = a.xz * a.yz - a.xy * a.zz, cxz = a.xy * a.yz - a.xz * a.yy;
  const T d = T(1) / (a.xx * cxx + a.xy * cxy + a.xz * cxz);
  return {d * cxx, d * (a.xx * a.zz - a.xz * a.xz), d * (a.xx * a.yy - a.xy * a.xy), d * cxy,
          d * cxz, d * (a.xy * a.xz - a.xx * a.yz)};
}

// ã S, for the tilde operation of a vector.
template <class T>
MAREY_KERNEL Mat3<T> tilde_times(const Vec3<T>& a, const Sym3<T>& s) {
  return {a.y * s.xz - a.z * s.xy, a.y * s.yz - a.z * s.yy, a.y * s.zz - a.z * s.yz,
          a.z * s.xx - a.x * s.xz, a.z * s.xy - a.x * s.yz, a.z * s.xz - a.x * s.zz,
          a.x * s.xy - a.y * s.xx, a.x * s.yy - a.y * s.xy, a.x * s.yz - a.y * s.xz};
}
// W ã, where the caller knows it is symmetric (as W = ã S makes it).
template <class T>
MAREY_KERNEL Sym3<T> symmetric_times_tilde(const Mat3<T>& W, const Vec3<T>& a) {
  return {W.xy * a.z - W.xz * a.y, W.yz * a.x - W.yx * a.z, W.zx * a.y - W.zy * a.x,
          W.xz * a.x - W.xx * a.z, W.xx * a.y - W.xy * a.x, W.yx * a.y - W.yy * a.x};
}
// Aᵀ B, where the caller knows it is symmetric.
template <class T>
MAREY_KERNEL Sym3<T> symmetric_transpose_times(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx * b.xx + a.yx * b.yx + a.zx * b.zx, a.xy * b.xy + a.yy * b.yy + a.zy * b.zy,
          a.xz * b.xz + a.yz * b.yz + a.zz * b.zz, a.xx * b.xy + a.yx * b.yy + a.zx * b.zy,
          a.xx * b.xz + a.yx * b.yz + a.zx * b.zz, a.xy * b.xz + a.yy * b.yz + a.zy * b.zz};
}

// ---- Quaternion
// Hamilton quaternion (w, x, y, z); a unit one stands for a rotation R_AB.
template <class T>
struct Quaternion {
  T w{1}, x{}, y{}, z{};
};
template <class T>
MAREY_KERNEL Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class T>
MAREY_KERNEL Quaternion<T> conjugate(const Quaternion<T>& a) {
  return {a.w, -a.x, -a.y, -a.z};
}
template <class T>
MAREY_KERNEL T norm_squared(const Quaternion<T>& a) {
  return a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
}
template <class T>
MAREY_KERNEL Quaternion<T> normalized(const Quaternion<T>& a) {
  using std::sqrt;
  const T s = T(1) / sqrt(norm_squared(a));
  return {s * a.w, s * a.x, s * a.y, s * a.z};
}
// The rotation matrix of a quaternion of any length but zero: dividing by its square keeps R orthonormal to round-off.
template <class T>
MAREY_KERNEL Mat3<T> rotation(const Quaternion<T>& q) {
  const T s = T(2) / norm_squared(q);
  const T sx = s * q.x, sy = s * q.y, sz = s * q.z;
  const T wx = sx * q.w, wy = sy * q.w, wz = sz * q.w, xx = sx * q.x, xy = sx * q.y, xz = sx * q.z, yy = sy * q.y,
          yz = sy * q.z, zz = sz * q.z;
  return {T(1) - (yy + zz), xy - wz, xz + wy, xy + wz, T(1) - (xx + zz), yz - wx, xz - wy, yz + wx, T(1) - (xx + yy)};
}
// The unit quaternion, w ≥ 0, of a rotation matrix: from the largest of the four (Shepperd 1978). Host only, plain
// numbers.
inline Quaternion<double> quaternion_of(const Mat3<double>& R) {
  const double t = R.xx + R.yy + R.zz;
  Quaternion<double> q;
  if (t >= R.xx && t >= R.yy && t >= R.zz)
    q = {1 + t, R.zy - R.yz, R.xz - R.zx, R.yx - R.xy};
  else if (R.xx >= R.yy && R.xx >= R.zz)
    q = {R.zy - R.yz, 1 + 2 * R.xx - t, R.yx + R.xy, R.xz + R.zx};
  else if (R.yy >= R.zz)
    q = {R.xz - R.zx, R.yx + R.xy, 1 + 2 * R.yy - t, R.zy + R.yz};
  else
    q = {R.yx - R.xy, R.xz + R.zx, R.zy + R.yz, 1 + 2 * R.zz - t};
  const double s = q.w < 0 ? -1 : 1;
  return normalized(Quaternion<double>{s * q.w, s * q.x, s * q.y, s * q.z});
}
// Rotation by the angle a about a unit axis.
template <class T>
MAREY_KERNEL Quaternion<T> quaternion_about(const Vec3<T>& axis, const T& angle) {
  using std::cos, std::sin;
  const T half = T(0.5) * angle, s = sin(half);
  return {cos(half), s * axis.x, s * axis.y, s * axis.z};
}
template <class T>
MAREY_KERNEL Mat3<T> rotation_about(const Vec3<T>& u, const T& angle) {
  using std::cos, std::sin;
  const T c = cos(angle), s = sin(angle), k = T(1) - c;
  return {c + k * u.x * u.x,       k * u.x * u.y - s * u.z, k * u.x * u.z + s * u.y,
          k * u.x * u.y + s * u.z, c + k * u.y * u.y,       k * u.y * u.z - s * u.x,
          k * u.x * u.z - s * u.y, k * u.y * u.z + s * u.x, c + k * u.z * u.z};
}

// ---- Transform
// The pose X_AB of frame B in frame A.
template <class T>
struct Transform {
  Mat3<T> R = Mat3<T>::identity();  // R_AB
  Vec3<T> p;                        // p_AoBo_A
};
template <class T>
MAREY_KERNEL Transform<T> operator*(const Transform<T>& a, const Transform<T>& b) {
  return {a.R * b.R, a.p + a.R * b.p};
}
template <class T>
MAREY_KERNEL Vec3<T> operator*(const Transform<T>& x, const Vec3<T>& point) {
  return x.p + x.R * point;
}
template <class T>
MAREY_KERNEL Transform<T> inverse(const Transform<T>& x) {
  return {transpose(x.R), -transpose_times(x.R, x.p)};
}

// ---- Twist and Wrench
// Velocity (or acceleration) of a frame B: angular velocity and the velocity of Bo, in axes the owner names.
template <class T>
struct Twist {
  Vec3<T> w, v;
  MAREY_KERNEL Twist& operator+=(const Twist& b) {
    w += b.w, v += b.v;
    return *this;
  }
};
// Moment about a point the owner names, and force, in axes the owner names.
template <class T>
struct Wrench {
  Vec3<T> n, f;
  MAREY_KERNEL Wrench& operator+=(const Wrench& b) {
    n += b.n, f += b.f;
    return *this;
  }
  MAREY_KERNEL Wrench& operator-=(const Wrench& b) {
    n -= b.n, f -= b.f;
    return *this;
  }
};
template <class T>
MAREY_KERNEL Twist<T> operator+(const Twist<T>& a, const Twist<T>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class T>
MAREY_KERNEL Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class T>
MAREY_KERNEL Wrench<T> operator-(const Wrench<T>& a) {
  return {-a.n, -a.f};
}
// Power of a wrench about Bo on a body whose twist at Bo is given, both in the same axes.
template <class T>
MAREY_KERNEL T power(const Wrench<T>& f, const Twist<T>& v) {
  return dot(f.n, v.w) + dot(f.f, v.v);
}
// The same wrench about another point: r goes from the new point to the old one.
template <class T>
MAREY_KERNEL Wrench<T> shifted(const Wrench<T>& f, const Vec3<T>& r) {
  return {f.n + cross(r, f.f), f.f};
}

// ---- Inertia
// Mass properties of a body about the origin of a frame, in its axes: mass, first moment h = m c, inertia matrix J.
template <class T>
struct Inertia {
  T m{};
  Vec3<T> h;  // m p_BoBcm
  Sym3<T> J;  // about Bo
  MAREY_KERNEL Inertia& operator+=(const Inertia& b) {
    m += b.m, h += b.h, J += b.J;
    return *this;
  }
};
// m (c·c 1 − c cᵀ): what a mass m at c adds to the inertia matrix about the origin (parallel axes, W (11)(12)).
template <class T>
MAREY_KERNEL Sym3<T> point_inertia(const T& m, const Vec3<T>& c) {
  const T xx = m * c.x * c.x, yy = m * c.y * c.y, zz = m * c.z * c.z;
  return {yy + zz, xx + zz, xx + yy, -m * c.x * c.y, -m * c.x * c.z, -m * c.y * c.z};
}
// From mass, centre of mass and the inertia matrix about the centre of mass.
template <class T>
MAREY_KERNEL Inertia<T> inertia_about_origin(const T& m, const Vec3<T>& com, const Sym3<T>& central) {
  return {m, m * com, central + point_inertia(m, com)};
}
// The same body seen from A, when X_AB is the pose of the frame B it is given in.
template <class T>
MAREY_KERNEL Inertia<T> operator*(const Transform<T>& X_AB, const Inertia<T>& b) {
  // With h' = R h, the first moment in A before the shift by p:
  //   J about Ao = R J Rᵀ + m (p·p 1 − p pᵀ) + 2 (p·h') 1 − (p h'ᵀ + h' pᵀ)
  const Vec3<T> h = X_AB.R * b.h, &p = X_AB.p;
  const T d = T(2) * dot(p, h);
  Sym3<T> J = congruence(X_AB.R, b.J) + point_inertia(b.m, p);
  J += Sym3<T>{d - T(2) * p.x * h.x,     d - T(2) * p.y * h.y,     d - T(2) * p.z * h.z,
               -(p.x * h.y + p.y * h.x), -(p.x * h.z + p.z * h.x), -(p.y * h.z + p.z * h.y)};
  return {b.m, h + b.m * p, J};
}
// Momentum of the body: angular about Bo and linear, in B, for the twist of B in B's axes.
template <class T>
MAREY_KERNEL Wrench<T> operator*(const Inertia<T>& b, const Twist<T>& v) {
  return {b.J * v.w + cross(b.h, v.v), b.m * v.v - cross(b.h, v.w)};
}

}  // namespace marey
