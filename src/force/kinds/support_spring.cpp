// Support spring (A5; proportional to the distance, where the print says inversely): with r = R_WB p_BoQ_B,
//   V = ½ k |p_WoQ − target|²,   f = −k (p_WoQ − target) at Q                                      (1)
// and, turning the axes b_i of the link (columns of R_WB) to those of the target t_i, φ the angle between the two,
//   V = ¼ k Σ |b_i − t_i|² = k (1 − cos φ),   n = ½ k Σ b_i × t_i = −k sin φ (axis of the turn)    (2)
// which is ½ k φ² for small φ but smooth for all: no angle, no branch, no singular attitude except the unstable
// equilibrium at π.
#include <cmath>

#include "force/descriptor.h"
#include "marey/force/cast.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<SupportSpring> {
  static constexpr const char* word = "support";
  static constexpr Nature nature = Nature::conservative;
  static constexpr bool holds_up = true;

  template <class T>
  static void act(const SupportSpring& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Transform<T>& X_WB = at.X_WB[index(e.link)];
    const Vec3<T> r = X_WB.R * cast<T>(e.point_B);
    Wrench<T> F = force_at(r, T(-e.stiffness) * (X_WB.p + r - cast<T>(e.target_W)));  // (1)
    if (e.turning_stiffness != 0) {                                                   // (2), Σ b_i × t_i
      const Mat3<T> A = X_WB.R * transpose(cast<T>(rotation(e.target_turn)));
      F.n += T(0.5 * e.turning_stiffness) * Vec3<T>{A.yz - A.zy, A.zx - A.xz, A.xy - A.yx};
    }
    sum.wrench(at, e.link, F);
  }
  template <class T>
  static T energy(const SupportSpring& e, const Instant<T>& at) {
    const Transform<T>& X_WB = at.X_WB[index(e.link)];
    T V = T(0.5 * e.stiffness) * norm_squared(X_WB * cast<T>(e.point_B) - cast<T>(e.target_W));
    if (e.turning_stiffness != 0) {
      const Mat3<T> d = X_WB.R - cast<T>(rotation(e.target_turn));
      V += T(0.25 * e.turning_stiffness) * (d.xx * d.xx + d.xy * d.xy + d.xz * d.xz + d.yx * d.yx + d.yy * d.yy +
                                            d.yz * d.yz + d.zx * d.zx + d.zy * d.zy + d.zz * d.zz);
    }
    return V;
  }

  static std::string refusal(const Model&, const SupportSpring& e) {
    if (!finite(e.point_B) || !finite(e.target_W)) return "its point or its target is not finite";
    const double turn = norm_squared(e.target_turn);
    if (!(std::isfinite(turn) && turn > 0)) return "its target turn is no rotation";
    return first_of(
        {refusal_of_constant("stiffness", e.stiffness), refusal_of_constant("turning_stiffness", e.turning_stiffness)});
  }

  static void stiffness(const SupportSpring& e, AdviserRows& rows) {
    rows.on_point(rows.springs, e.link, e.point_B, e.stiffness, e.turning_stiffness);
  }
  static void numbers(SupportSpring& e, Numbers& n) {
    n.add("stiffness", e.stiffness), n.add("turning_stiffness", e.turning_stiffness);
    n.add("to", e.target_W);
  }
};
MAREY_ELEMENT(SupportSpring)

// ---- in scenes: a link's `support`, which makes a spring, a damper (SupportDamper) and a lift (Push)
namespace {

void make_support_forces(MapReader& map, int link, const Vec3<double>& point_B, ElementMaker& maker) {
  const Transform<double>& X_WB = maker.X_WB(link);
  SupportSpring spring{link, point_B, X_WB * point_B, 0, 0, quaternion_of(X_WB.R)};
  spring.stiffness = map.number_or("stiffness", 0);
  spring.turning_stiffness = map.number_or("turning_stiffness", 0);
  if (map.has("stiffness")) spring.target_W = map.vector_or("to", spring.target_W);
  if (map.has("turning_stiffness"))
    if (const Value* turned = map.get("turned")) spring.target_turn = read_rotation(*turned);
  SupportDamper damper{link, point_B, map.number_or("damping", 0), map.number_or("turning_damping", 0)};
  if (spring.stiffness > 0 || spring.turning_stiffness > 0) maker.add(nullptr, false, link, "support", spring);
  if (damper.damping > 0 || damper.turning_damping > 0) maker.add(nullptr, false, link, "support_damping", damper);
}

void make_lift(MapReader& map, int link, const Vec3<double>& point_B, double figure_weight, ElementMaker& maker) {
  const Value* node = map.get("lift");
  if (node == nullptr) return;
  const Vec3<double> g = maker.model().params.gravity;
  const double strength = norm(g);
  if (!(strength > 0)) refuse_value(*node, "no lift in a scene without gravity");
  const bool weight = node->kind == Value::Kind::scalar && node->text == "weight";
  const double force = weight ? figure_weight : map.number("lift");
  Push push;
  push.link = link, push.point_B = point_B, push.force = (-force / strength) * g;
  maker.add(nullptr, false, link, "lift", push);
}

}  // namespace

void make_support(const Value& node, int link, double figure_weight, ElementMaker& maker) {
  MapReader map(node, support_keys());
  const Vec3<double> point_B = map.vector_or("point");
  bool something = false;
  for (const char* key : {"stiffness", "damping", "turning_stiffness", "turning_damping", "lift"})
    something = something || map.has(key);
  if (!something)
    refuse(
        node.at,
        "found a support that holds nothing; expected stiffness, damping, turning_stiffness, turning_damping or lift");
  if (map.has("point") && !map.has("stiffness") && !map.has("damping") && !map.has("lift"))
    remark(map.key_place("point"), "'point' has no effect in a support that only turns: no force acts there");
  make_support_forces(map, link, point_B, maker);
  make_lift(map, link, point_B, figure_weight, maker);
  map.done("without its stiffness");
}

const KeyTable& support_keys() {
  static const KeyTable table{
      "support",
      "What holds a link up: springs towards a place and a pose, dampers, and an upward force.",
      {{"to", "v:length", "the point of the world it is drawn to; default: where the point is at the start"},
       {"point", "v:length", "the point of the link that is held; default: the joint"},
       {"stiffness", "q:stiffness>=0", "of the spring that draws it there"},
       {"damping", "q:damping>=0", "of the motion of the point"},
       {"turned", "rotation", "the pose it is turned to; default: that at the start"},
       {"turning_stiffness", "q:turning_stiffness>=0", "of the spring that turns it there"},
       {"turning_damping", "q:turning_damping>=0", "of its turning"},
       {"lift", "q:force>=0 or =weight", "a constant force against gravity; weight: that of the whole figure"}}};
  return table;
}

}  // namespace marey
