// Random figures for tests: the same seed makes the same figure on every machine (no distribution of the
// standard library is used, since those differ between libraries).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "marey/model.h"

namespace figures {

// -------------------------------------------------------------------------------------------------
// randomness
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x5DEECE66Du) {}
  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double a, double b) { return a + (b - a) * uniform(); }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return uniform() < p; }
  double normal() {  // Box–Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }
  marey::Vec3<double> normal3(double scale) {
    const double x = normal(), y = normal(), z = normal();
    return {scale * x, scale * y, scale * z};
  }
  // Uniform over all rotations.
  marey::Quaternion<double> turn() {
    const double w = normal(), x = normal(), y = normal(), z = normal();
    const double s = 1 / std::sqrt(w * w + x * x + y * y + z * z);
    return {s * w, s * x, s * y, s * z};
  }

 private:
  std::uint64_t state_;
};

// ------------------------------------------------------------------------------------------------- what to
// make
enum class Tree { chain, random, bushy };
enum class Joints {
  any,     // weld, hinge, slider, ball, free and point anywhere
  balls,   // ball joints under roots that are free, balled or welded
  common,  // as any, without point: what other engines know
  every,   // as any, and universal, cylindrical, planar, screw, ellipsoid and custom
};
struct Options {
  int links = 8;
  Tree tree = Tree::chain;
  Joints joints = Joints::any;
  double mass_ratio = 1000;  // largest over smallest mass, at most
  bool gravity = true;
  bool shuffled = false;  // links given in no particular order, as a scene may
};

// A figure with everything a solver is given.
struct Figure {
  marey::ModelSpec spec;
  marey::Model model;
  marey::State state;
  std::vector<double> tau;                    // [nv]
  std::vector<marey::Wrench<double>> F_Bo_W;  // [nlink] about Bo, in W
};

// --------------------------------------------------------------------------------------------------- the
// bodies
inline marey::Mat3<double> matrix_of(const marey::Quaternion<double>& q) {
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}
// About Bo from mass, mass centre c and principal moments d along the columns of R: J = R d Rᵀ + m (c·c 1 − c
// cᵀ).
inline marey::Inertia<double> body(double m, const double (&c)[3], const double (&d)[3], const marey::Mat3<double>& R) {
  const double r[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
  const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  auto entry = [&](int i, int j) {
    double s = m * ((i == j ? cc : 0) - c[i] * c[j]);
    for (int k = 0; k < 3; ++k) s += r[i][k] * d[k] * r[j][k];
    return s;
  };
  return {m,
          {m * c[0], m * c[1], m * c[2]},
          {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)}};
}
// A homogeneous ellipsoid somewhere near its joint: always physical.
inline marey::Inertia<double> random_body(Random& random, double mass_ratio) {
  const double m = 0.02 * std::pow(mass_ratio, random.uniform());
  const double a = random.between(0.03, 0.3), b = random.between(0.03, 0.3), l = random.between(0.03, 0.3);
  const double d[3] = {m / 5 * (b * b + l * l), m / 5 * (a * a + l * l), m / 5 * (a * a + b * b)};
  const double c[3] = {random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)};
  return body(m, c, d, random.chance(0.3) ? marey::Mat3<double>::identity() : matrix_of(random.turn()));
}

// --------------------------------------------------------------------------------------------------- the
// figure
inline marey::JointType random_joint(Random& random, Joints joints, bool root) {
  using marey::JointType;
  const double u = random.uniform();
  if (joints == Joints::balls) {
    if (!root) return JointType::ball;
    return u < 0.5 ? JointType::free : u < 0.8 ? JointType::ball : JointType::weld;
  }
  if (root && u < 0.4) return JointType::free;
  if (joints == Joints::every) return static_cast<JointType>(random.below(static_cast<int>(JointType::custom) + 1));
  constexpr JointType mix[] = {JointType::hinge,  JointType::hinge, JointType::ball, JointType::ball,
                               JointType::slider, JointType::weld,  JointType::free, JointType::point};
  return mix[random.below(joints == Joints::any ? 8 : 7)];
}
// A table over x in [−0.5, 0.5], to be left at both ends, or a polynomial; of about the given size.
inline marey::JointFunction random_function(Random& random, int coordinate, double size) {
  marey::JointFunction f;
  f.coordinate = coordinate;
  if (random.chance(0.5)) {
    for (int k = 2 + random.below(3); k > 0; --k) f.polynomial.push_back(random.between(-size, size));
    return f;
  }
  const int knots = 2 + random.below(6);
  for (int k = 0; k < knots; ++k) {
    f.x.push_back(-0.5 + (k + random.between(-0.3, 0.3)) / (knots - 1));
    f.y.push_back(random.between(-0.2 * size, 0.2 * size));
  }
  if (random.chance(0.5)) f.end_slopes = {random.between(-size, size), random.between(-size, size)};
  return f;
}
// Each coordinate moves one channel steadily and some others a little, so that no two of them ever do the same.
inline marey::CustomJoint random_custom(Random& random) {
  marey::CustomJoint joint;
  const int n = random.chance(0.5) ? 1 : 1 + random.below(6), start = random.below(6);
  for (int k = 0; k < n; ++k) {
    const int own = (start + k) % 6;
    joint.coordinates.push_back({"q" + std::to_string(k), own >= 3});
    const double slope = random.between(0.5, 1.2);
    joint.functions[static_cast<std::size_t>(own)].push_back(
        {k, {random.between(-0.2, 0.2), slope, 0.1 * slope}, {}, {}, {}});
    for (int c = 0; c < 6; ++c)
      if (c != own && random.chance(0.3))
        joint.functions[static_cast<std::size_t>(c)].push_back(random_function(random, k, n == 1 ? 0.5 : 0.1));
  }
  for (double& c : joint.constants)
    if (random.chance(0.3)) c = random.between(-0.3, 0.3);
  return joint;
}
inline void random_general(Random& random, marey::LinkSpec& link) {
  link.axis_2 = random.normal3(1);
  link.pitch = random.between(-1, 1);
  link.radii = {random.between(0.05, 0.5), random.between(0.05, 0.5), random.between(0.05, 0.5)};
  if (link.joint == marey::JointType::custom) link.custom = random_custom(random);
}

// −1 is the world.
inline int random_parent(Random& random, const Options& options, int i) {
  if (i == 0) return -1;
  switch (options.tree) {
    case Tree::chain:
      return i - 1;
    case Tree::random:
      return random.chance(0.05) ? -1 : random.below(i);  // now and then another root
    case Tree::bushy:
      return random.below(std::min(i, 1 + i / 3));
  }
  return i - 1;
}
inline marey::LinkSpec random_link(Random& random, const Options& options, int i) {
  marey::LinkSpec link;
  const int parent = random_parent(random, options, i);
  link.name = "link " + std::to_string(i);
  link.parent = parent < 0 ? "world" : "link " + std::to_string(parent);
  link.joint = random_joint(random, options.joints, parent < 0);
  link.X_PF.p = {random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(-0.4, 0.4)};
  if (random.chance(0.6)) link.X_PF.R = matrix_of(random.turn());
  link.axis = random.chance(0.3) ? marey::Vec3<double>{0, 0, 1} : random.normal3(2);
  link.inertia = random_body(random, options.mass_ratio);
  if (is_general(link.joint)) random_general(random, link);
  if (link.joint == marey::JointType::point && random.chance(0.5))
    link.inertia.h = {}, link.inertia.J = {};  // a particle
  return link;
}
inline void random_state(Random& random, Figure& f) {
  f.state = marey::neutral_state(f.model);
  for (const marey::LinkTopology& link : f.model.links) {
    double* q = f.state.q.data() + link.q;
    if (link.joint == marey::JointType::hinge) q[0] = random.between(-M_PI, M_PI);
    if (link.joint == marey::JointType::slider) q[0] = random.between(-0.4, 0.4);
    if (is_general(link.joint))
      for (int k = 0; k < coordinate_count(link); ++k) q[k] = random.between(-0.7, 0.7);
    if (has_attitude(link.joint)) {
      const marey::Quaternion<double> turn = random.turn();
      q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
    }
    if (link.joint == marey::JointType::free)
      for (int k = 4; k < 7; ++k) q[k] = random.between(-1, 1);
    if (link.joint == marey::JointType::point)
      for (int k = 0; k < 3; ++k) q[k] = random.between(-1, 1);
  }
  for (double& v : f.state.v) v = 2 * random.normal();
}
inline void random_forces(Random& random, Figure& f) {
  f.tau.resize(static_cast<std::size_t>(f.model.nv));
  for (double& t : f.tau) t = 3 * random.normal();
  f.F_Bo_W.assign(static_cast<std::size_t>(f.model.nlink()), {});
  for (std::size_t i = 1; i < f.F_Bo_W.size(); ++i)
    if (random.chance(0.4)) f.F_Bo_W[i] = {random.normal3(2), random.normal3(5)};
}
// Freezes a spec and gives it a random state and random forces.
inline Figure with_random_state(const marey::ModelSpec& spec, std::uint64_t seed) {
  Random random(seed);
  Figure f{spec, marey::freeze(spec), {}, {}, {}};
  random_state(random, f);
  random_forces(random, f);
  return f;
}

inline marey::ModelSpec random_spec(std::uint64_t seed, const Options& options) {
  Random random(seed);
  marey::ModelSpec spec;
  for (int i = 0; i < options.links; ++i) spec.links.push_back(random_link(random, options, i));
  spec.gravity = options.gravity ? random.normal3(6) : marey::Vec3<double>{0, 0, 0};
  if (options.shuffled)
    for (std::size_t i = spec.links.size() - 1; i > 0; --i)
      std::swap(spec.links[i], spec.links[static_cast<std::size_t>(random.below(static_cast<int>(i) + 1))]);
  return spec;
}
inline Figure random_figure(std::uint64_t seed, const Options& options) {
  return with_random_state(random_spec(seed, options), seed ^ 0xA5A5A5A5u);
}

// Figure number i of the large comparison: half of all are deep chains, half of each half has ball joints
// only, 1–64 links, masses up to 1 : 1,000.
inline Options options_of(int i) {
  Random random(static_cast<std::uint64_t>(i) + 77);
  Options o;
  o.links = 1 + random.below(64);
  o.tree = i % 2 == 0 ? Tree::chain : i % 4 == 1 ? Tree::random : Tree::bushy;
  o.joints = i / 4 % 2 == 0 ? Joints::every : Joints::balls;
  o.shuffled = i % 3 == 0;
  return o;
}

}  // namespace figures
