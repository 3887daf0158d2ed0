// A sphere about Bo, or the edge of a thin disc about Bo with axis z_B, rolls on the xy-plane of A without slip.
//
// The point P that touches lies at Bo + ρ f, f the direction in the body's reach farthest down: for the sphere −n, for
// the disc with axis k
//   f = −m/|m|,  m = n − (n · k) k                                                                                  (1)
// Its height n · (d + ρ f) has the rate of the material point of b that is there (f turns along the edge, whose tangent
// is level), n · u with
//   u = v_B + ω_B × ρ f − v_A − ω_A × (d + ρ f),                                                                    (2)
// and without slip t₁ · u = t₂ · u = 0. Their rates: P moves along the edge with Ṗ = v_B + ρ ḟ, n and t turn with A.
#include <cmath>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

struct Touch {
  Vec f, f_rate;
};
Touch touch(const Rolling& rolling, const Ends& e, const Vec& n) {
  const Vec n_rate = cross(e.w_A, n);
  if (rolling.body == Rolling::Body::sphere) return {-n, -n_rate};
  const Vec k = column(e.R_B, 2), k_rate = cross(e.w_B, k);
  const double c = dot(n, k), c_rate = dot(n_rate, k) + dot(n, k_rate);
  const Vec m = n - c * k, m_rate = n_rate - c_rate * k - c * k_rate;  // (1)
  const double l = norm(m);
  const Vec f = (-1 / l) * m;
  return {f, (-1 / l) * (m_rate - dot(m_rate, f) * f)};
}

}  // namespace

template <>
struct ConstraintDescriptor<Rolling> {
  static constexpr const char* word = "roll";
  static int row_count(const Rolling&) { return 3; }
  static void rows(const Rolling& rolling, const Ends& e, std::span<ConstraintRow> rows) {
    const Vec n = column(e.R_A, 2);
    const Touch at = touch(rolling, e, n);
    const Vec reach = rolling.radius * at.f, r_b = e.r_B + reach, r_a = e.r_A + e.d + reach;
    const Vec u = e.v_B + cross(e.w_B, reach) - e.v_A - cross(e.w_A, e.d + reach);  // (2)
    const Vec P_rate = e.v_B + rolling.radius * at.f_rate;
    const Vec v_a = e.v_A - cross(e.w_A, e.r_A), v_b = e.v_B - cross(e.w_B, e.r_B);  // of the links' origins
    const Vec u_rate = cross(e.w_B, P_rate - v_b) - cross(e.w_A, P_rate - v_a);
    for (int i = 0; i < 3; ++i) {
      const Vec t = i == 0 ? n : column(e.R_A, i - 1);
      ConstraintRow& row = rows[index(i)] = {};
      put_part(row, e.b, {cross(r_b, t), t}, norm(r_b));
      put_part(row, e.a, {-cross(r_a, t), -t}, norm(r_a));
      row.holonomic = i == 0;
      if (i == 0) row.value = dot(n, e.d + reach);
      row.rate = dot(t, u);
      row.bias = dot(cross(e.w_A, t), u) + dot(t, u_rate);
    }
  }
  static std::string refusal(const Model&, const Rolling& r) {
    return r.radius > 0 && std::isfinite(r.radius) ? "" : "the radius of what rolls is above zero";
  }
  static constexpr NothingToTake take_as_is{};
};
MAREY_CONSTRAINT(Rolling)

// ---- in scenes
static void make_roll(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  maker.ends(map, c);
  c.a.X_LC.R = axes_with_z(map.has("axis") ? read_axis(*map.get("axis")) : Vec3<double>{0, 0, 1});
  c.b.X_LC.p = map.vector_or("at_b");
  const std::string form = map.one_of({"sphere", "disc"});
  if (form.empty()) refuse(map.node().at, "found nothing that rolls; expected sphere or disc, with a radius");
  Rolling rolling;
  rolling.radius = map.number(form);
  if (form == "disc") {
    rolling.body = Rolling::Body::disc;
    c.b.X_LC.R = axes_with_z(map.has("axis_b") ? read_axis(*map.get("axis_b")) : Vec3<double>{0, 0, 1});
  }
  c.kind = rolling;
}
extern const ConstraintForm roll_form{
    "roll",
    "a sphere or disc rolls on a plane without slip",
    {"roll", "A sphere, or the edge of a disc, rolls on a plane without slip.",
     two_link_keys_with({{"at", "v:length", "a point of the plane, in a's frame; default: its origin"},
                         {"axis", "axis", "its normal, towards what rolls; default: z"},
                         {"at_b", "v:length", "the centre, in b's frame; default: its origin"},
                         {"axis_b", "axis", "of the disc, in b's frame; default: z"},
                         {"sphere", "q:length>0", "its radius"},
                         {"disc", "q:length>0", "its radius"}})},
    make_roll,
    {"{b: figure.trunk, at: [0, 0, -1 m], sphere: 1 m}",
     "{b: figure.trunk, axis: y, at_b: [0, 0, 1 cm], axis_b: x, disc: 40 cm}"}};

}  // namespace marey
