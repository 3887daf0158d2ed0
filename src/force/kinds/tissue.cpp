// The coupling of a wobbling mass to its link (R9, (4.3)), in the plane and in space.
//
// B the link, T the tissue, C the tissue's centre of mass (its origin), S the place in B where C is at rest; u the unit vector along
// the link. In the axes of B, with w = w_BT and v the velocity of C as seen from B,
//   Δr = R_BW (p_WoC − p_WoS),   Δr = l u + t, t·u = 0;   Δφ: R_BT = exp(Δφ~), likewise in two parts                     (1)
//   V = c_l |l|^(m+1)/(m+1) + c_t |t|^(n+1)/(n+1),   F on the tissue = −c_l |l|^(m−1) l u − c_t |t|^(n−1) t             (2), (4.3b, c)
//   likewise V of Δφ, with the gradient g = a_l |·|^… u + a_t …; since dΔφ/dt = A w, A = 1 − ½ Δφ~ + κ Δφ~²,
//   n on the tissue = −Aᵀ g = −(g + ½ Δφ × g + κ Δφ × (Δφ × g)),   κ = (1 − ½ θ cot ½θ)/θ²,  θ = |Δφ|                   (3), (4.3a)
//   F = −d_l v_l u − d_t v_t,   n = −b_l w_l u − b_t w_t                                                                (4)
// In a plane Δφ × g = 0, and (3) is (4.3a) to the letter. v is the rate of Δr in the link's turning axes, so that a link that turns
// with its tissue feels no damping.
//
// F acts at C on both, the opposite on the link: then neither angular momentum nor energy is lost. About S, where (4.5) has it, the
// link's part has the moment −Δr × F besides: that is T_corr, which the print does not give (T_corr = Δz F_x − Δx F_z about the axis
// of φ, clockwise as there).
//
// Δφ is found from the skew part of R_BT, sin θ and its axis; turns are up to π, where the axis is lost.
#include "marey/force/tissue.h"

#include <cmath>

#include "force/descriptor.h"
#include "marey/dynamics.h"
#include "marey/force/cast.h"

namespace marey {
namespace {

// |x|^(exponent − 1), from x².
template <class T>
T power_of_length(const T& squared, double exponent) {
  if (exponent == 1) return T(1);
  if (exponent == 3) return squared;
  return exp(T(0.5 * (exponent - 1)) * log(max(squared, T(1e-30))));
}

// x in its two parts, and what a law of powers makes of it: c |x|^(m−1) x in both.
template <class T>
struct Parts {
  Vec3<T> u;
  T along;
  Vec3<T> across;

  Parts(const Vec3<double>& axis, const Vec3<T>& x) : u(cast<T>(axis)), along(dot(u, x)), across(x - along * u) {}
  Vec3<T> times(const AlongAcross& c) const { return (T(c.along) * along) * u + T(c.across) * across; }
  Vec3<T> gradient(const AlongAcross& c, const AlongAcross& exponent) const {
    return (T(c.along) * power_of_length(along * along, exponent.along) * along) * u +
           (T(c.across) * power_of_length(norm_squared(across), exponent.across)) * across;
  }
  T potential(const AlongAcross& c, const AlongAcross& exponent) const {
    const T l2 = along * along, t2 = norm_squared(across);
    return T(c.along / (exponent.along + 1)) * power_of_length(l2, exponent.along) * l2 +
           T(c.across / (exponent.across + 1)) * power_of_length(t2, exponent.across) * t2;
  }
};

// Δφ and κ of (3).
template <class T>
struct Turn {
  Vec3<T> angle;
  T kappa;

  explicit Turn(const Mat3<T>& R) {
    const Vec3<T> axis = T(0.5) * Vec3<T>{R.zy - R.yz, R.xz - R.zx, R.yx - R.xy};  // sin θ along it
    const T ss = norm_squared(axis), c = T(0.5) * (R.xx + R.yy + R.zz - T(1));
    const auto small = (ss < T(1e-4)) & (T(0) < c);
    const T s = sqrt(select(small, T(1), max(ss, T(1e-30))));
    const T theta = atan2(s, c);
    const T by_series = T(1) + ss * (T(1.0 / 6) + ss * (T(3.0 / 40) + ss * (T(15.0 / 336) + ss * T(105.0 / 3456))));
    angle = select(small, by_series, theta / s) * axis;
    const T tt = norm_squared(angle);
    const T near = T(1.0 / 12) + tt * (T(1.0 / 720) + tt * (T(1.0 / 30240) + tt * T(1.0 / 1209600)));
    kappa = select(small, near, (T(1) - T(0.5) * theta * (T(1) + c) / s) / select(small, T(1), theta * theta));
  }
};

// Where the tissue is beside its link, all in the axes of the link but r.
template <class T>
struct Pose {
  const Transform<T>&X_WB, &X_WT;
  Vec3<T> r;  // p_BoC_W

  Pose(const Instant<T>& at, int link, int tissue)
      : X_WB(at.X_WB[index(link)]), X_WT(at.X_WB[index(tissue)]), r(X_WT.p - X_WB.p) {}
  Vec3<T> shift(const Vec3<double>& center_B) const { return transpose_times(X_WB.R, r) - cast<T>(center_B); }
  Turn<T> turn() const { return Turn<T>(transpose(X_WB.R) * X_WT.R); }
};

// F on the tissue about C, in B; its opposite on the link.
template <class T>
void couple(const Instant<T>& at, int link, int tissue, const Pose<T>& pose, const Wrench<T>& F_B, ForceSum<T>& sum) {
  const Wrench<T> F{pose.X_WB.R * F_B.n, pose.X_WB.R * F_B.f}, back{-(F.n + cross(pose.r, F.f)), -F.f};
  sum.F_Bo_W[index(tissue)] += F, sum.F_Bo_W[index(link)] += back;
  sum.power += power(F, at.V_WB[index(tissue)]) + power(back, at.V_WB[index(link)]);
}

template <class T>
Wrench<T> pull(const TissueSpring& e, const Pose<T>& pose) {
  const Vec3<T> F = Parts<T>(e.along_B, pose.shift(e.center_B)).gradient(e.stiffness, e.exponent);  // (2)
  if (e.turning_stiffness.along == 0 && e.turning_stiffness.across == 0) return {{T(0), T(0), T(0)}, -F};
  const Turn<T> turn = pose.turn();
  const Vec3<T> g = Parts<T>(e.along_B, turn.angle).gradient(e.turning_stiffness, e.turning_exponent);
  const Vec3<T> across = cross(turn.angle, g);
  return {-(g + T(0.5) * across + turn.kappa * cross(turn.angle, across)), -F};  // (3)
}

template <class T>
Wrench<T> pull(const TissueDamper& e, const Instant<T>& at, const Pose<T>& pose) {
  const Twist<T>&V_WB = at.V_WB[index(e.link)], &V_WT = at.V_WB[index(e.tissue)];
  const Vec3<T> v = transpose_times(pose.X_WB.R, V_WT.v - V_WB.v - cross(V_WB.w, pose.r));
  const Vec3<T> w = transpose_times(pose.X_WB.R, V_WT.w - V_WB.w);
  return {-Parts<T>(e.along_B, w).times(e.turning_damping), -Parts<T>(e.along_B, v).times(e.damping)};  // (4)
}

std::string refusal_of_ends(const Model& model, int link, int tissue, const Vec3<double>& along) {
  if (std::string why = refusal_of_link(model, tissue); !why.empty()) return why;
  if (link == tissue) return "it couples a link to itself";
  const Inertia<double>& I = model.params.links[index(tissue)].I;
  if (norm(I.h) != 0) return "the origin of its tissue is not the tissue's centre of mass";
  return std::abs(norm_squared(along) - 1) <= 1e-12 ? "" : "its direction along the link is not of length 1";
}

std::string refusal_of_parts(const char* name, const AlongAcross& c) {
  return first_of({refusal_of_constant(name, c.along), refusal_of_constant(name, c.across)});
}
std::string refusal_of_exponents(const AlongAcross& m) {
  const bool right = m.along >= 1 && m.across >= 1 && m.along <= 20 && m.across <= 20;
  return right ? "" : "an exponent is not from 1 to 20";
}

void add_numbers(Numbers& n, const std::string& name, AlongAcross& c) {
  n.all.push_back({name + "/along", {&c.along}});
  n.all.push_back({name + "/across", {&c.across}});
}

// Displacements and turns of the tissue against its link: along u and two directions across.
void tell(AdviserRows& rows, std::vector<AdviserRow>& into, int link, int tissue, const Vec3<double>& along_B,
          const AlongAcross& k, const AlongAcross& turning_k) {
  const Pose<double> pose(rows.at, link, tissue);
  const std::array<Vec3<double>, 2> others = across(along_B);
  for (const Vec3<double>& axis : {along_B, others[0], others[1]}) {
    const Vec3<double> u = pose.X_WB.R * axis;
    const bool is_along = norm_squared(axis - along_B) == 0;
    const double c = is_along ? k.along : k.across, a = is_along ? turning_k.along : turning_k.across;
    if (c > 0) into.push_back({tissue, false, {}, u, c, rows.source, link, -cross(pose.r, u), -u});
    if (a > 0) into.push_back({tissue, false, u, {}, a, rows.source, link, -u, {}});
  }
}

// m c |x|^(m−1), with x at least as long as the one at which the force is `least`: what is loose where it hangs at rest is not, once it
// is loaded.
double slope_of(double c, double exponent, double x, double least) {
  if (!(c > 0)) return 0;
  const double loaded = least > 0 ? std::pow(least / c, 1 / exponent) : 0;
  return exponent * c * std::pow(std::max(std::abs(x), loaded), exponent - 1);
}
AlongAcross slopes_of(const AlongAcross& c, const AlongAcross& exponent, const Parts<double>& x, double least) {
  return {slope_of(c.along, exponent.along, x.along, least),
          slope_of(c.across, exponent.across, norm(x.across), least)};
}

}  // namespace

template <>
struct Descriptor<TissueSpring> {
  static constexpr const char* word = "soft tissue";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const TissueSpring& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Pose<T> pose(at, e.link, e.tissue);
    couple(at, e.link, e.tissue, pose, pull(e, pose), sum);
  }
  template <class T>
  static T energy(const TissueSpring& e, const Instant<T>& at) {
    const Pose<T> pose(at, e.link, e.tissue);
    return Parts<T>(e.along_B, pose.shift(e.center_B)).potential(e.stiffness, e.exponent) +
           Parts<T>(e.along_B, pose.turn().angle).potential(e.turning_stiffness, e.turning_exponent);
  }

  static std::string refusal(const Model& model, const TissueSpring& e) {
    if (!finite(e.center_B)) return "its place in the link is not finite";
    return first_of({refusal_of_ends(model, e.link, e.tissue, e.along_B), refusal_of_parts("stiffness", e.stiffness),
                     refusal_of_parts("turning_stiffness", e.turning_stiffness), refusal_of_exponents(e.exponent),
                     refusal_of_exponents(e.turning_exponent)});
  }

  static void stiffness(const TissueSpring& e, AdviserRows& rows) {
    const Pose<double> pose(rows.at, e.link, e.tissue);
    const double weight = rows.mass(e.tissue) * norm(rows.at.model.params.gravity);
    const Parts<double> shift(e.along_B, pose.shift(e.center_B)), turn(e.along_B, pose.turn().angle);
    tell(rows, rows.springs, e.link, e.tissue, e.along_B, slopes_of(e.stiffness, e.exponent, shift, weight),
         slopes_of(e.turning_stiffness, e.turning_exponent, turn, 0));
  }
  static void numbers(TissueSpring& e, Numbers& n) {
    add_numbers(n, "stiffness", e.stiffness), add_numbers(n, "exponent", e.exponent);
    add_numbers(n, "turning_stiffness", e.turning_stiffness);
    add_numbers(n, "turning_exponent", e.turning_exponent);
  }
};
MAREY_ELEMENT(TissueSpring)

template <>
struct Descriptor<TissueDamper> {
  static constexpr const char* word = "damping of soft tissue";
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const TissueDamper& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Pose<T> pose(at, e.link, e.tissue);
    couple(at, e.link, e.tissue, pose, pull(e, at, pose), sum);
  }

  static std::string refusal(const Model& model, const TissueDamper& e) {
    return first_of({refusal_of_ends(model, e.link, e.tissue, e.along_B), refusal_of_parts("damping", e.damping),
                     refusal_of_parts("turning_damping", e.turning_damping)});
  }

  static void stiffness(const TissueDamper& e, AdviserRows& rows) {
    tell(rows, rows.dampers, e.link, e.tissue, e.along_B, e.damping, e.turning_damping);
  }
  static void numbers(TissueDamper& e, Numbers& n) {
    add_numbers(n, "damping", e.damping), add_numbers(n, "turning_damping", e.turning_damping);
  }
};
MAREY_ELEMENT(TissueDamper)

// ---- what is recorded
TissueShift shift_of(const TissueSpring& e, const Instant<double>& at) {
  const Pose<double> pose(at, e.link, e.tissue);
  return {pose.shift(e.center_B), pose.turn().angle};
}
Wrench<double> pull_of(const TissueSpring& e, const Instant<double>& at) {
  return pull(e, Pose<double>(at, e.link, e.tissue));
}
Wrench<double> pull_of(const TissueDamper& e, const Instant<double>& at) {
  return pull(e, at, Pose<double>(at, e.link, e.tissue));
}

// ---- at rest
void put_at_rest(const Model& model, std::span<const TissuePlace> places, State& state) {
  if (places.empty()) return;
  Kinematics<double> k(model);
  forward_kinematics<double>(model, model.params, state.q, state.v, k);
  for (const TissuePlace& place : places) {
    const LinkTopology& tissue = model.links[index(place.tissue)];
    if (tissue.joint != JointType::free) continue;
    const Transform<double>& X_WB = k.X_WB[index(place.link)];
    const Twist<double>& V_WB = k.V_WB[index(place.link)];
    const Quaternion<double> turn = quaternion_of(X_WB.R);
    const Vec3<double> r = X_WB.R * place.center_B, p = X_WB.p + r, v = V_WB.v + cross(V_WB.w, r);
    const Vec3<double> w = transpose_times(X_WB.R, V_WB.w);
    const double q[] = {turn.w, turn.x, turn.y, turn.z, p.x, p.y, p.z}, rates[] = {w.x, w.y, w.z, v.x, v.y, v.z};
    std::copy(std::begin(q), std::end(q), state.q.begin() + tissue.q);
    std::copy(std::begin(rates), std::end(rates), state.v.begin() + tissue.v);
  }
}

std::vector<TissuePlace> tissues_of(std::span<const Element> elements) {
  std::vector<TissuePlace> places;
  for (const Element& e : elements)
    if (const auto* spring = e.kind.get_if<TissueSpring>())
      places.push_back({spring->link, spring->tissue, spring->center_B});
  return places;
}

}  // namespace marey
