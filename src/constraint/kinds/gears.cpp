// Two gears on hinges of one carrier, whose teeth push each other where their pitch circles meet.
//
// In the carrier's frame, with the axis n of gear a through A, that of b, σ n (σ = ±1), through B, and e = (B − A)/d across
// them, the circles meet at P = A + ρ_a e, which is B + ρ_b e with ρ_b = ρ_a − d. Outside each other ρ_a = r_a, ρ_b = −r_b; if
// one runs inside the other both have the sign of the way to P. Along t = n × e the teeth at P move with ρ_a θ̇_a and σ ρ_b θ̇_b:
//   g = ρ_a θ_a − σ ρ_b θ_b − (what that was)      ġ = t · (v_aP − v_bP)                                             (1)
// so that λ is the force t on a at P, and −t on b: what turns the gears, and what their bearings carry. P moves with the
// carrier, with ω_c and v_P:
//   bias = t · (ω_a × (v_P − v_a) − ω_b × (v_P − v_b)) + (ω_c × t) · (v_aP − v_bP)                                   (2)
#include <fmt/core.h>

#include <cmath>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

double angle_of(const Instant<double>& now, int link) { return now.q[index(now.model.links[index(link)].q)]; }
double turned(const Gears& g, const Constraint& c, const Instant<double>& now) {
  return g.lever_a * angle_of(now, c.a.link) + g.lever_b * angle_of(now, c.b.link);
}

// Of a gear: the velocity of what is at P, and its part of (2) but for the turning of t.
struct Tooth {
  Vec velocity, bias;
};
Tooth put_tooth(int link, const Instant<double>& now, const Vec& P, const Vec& v_P, const Vec& force,
                ConstraintRow& row) {
  const Vec r = P - now.X_WB[index(link)].p;
  const Twist<double>& V = now.V_WB[index(link)];
  put_part(row, link, {cross(r, force), force}, norm(r) * norm(force));
  return {V.v + cross(V.w, r), cross(V.w, v_P - V.v)};
}

}  // namespace

template <>
struct ConstraintDescriptor<Gears> {
  static constexpr const char* word = "gears";
  static int row_count(const Gears&) { return 1; }
  static void rows(const Gears& g, const Constraint& c, const Instant<double>& now, std::span<ConstraintRow> rows) {
    const int carrier = now.model.links[index(c.a.link)].parent;
    const Transform<double>& X = now.X_WB[index(carrier)];
    const Twist<double> V = carrier == 0 ? Twist<double>{} : now.V_WB[index(carrier)];
    const Vec P = X * g.point, t = X.R * g.tangent, v_P = V.v + cross(V.w, P - X.p);
    ConstraintRow row;
    const Tooth a = put_tooth(c.a.link, now, P, v_P, t, row), b = put_tooth(c.b.link, now, P, v_P, -t, row);
    row.value = turned(g, c, now) - g.sum;
    row.rate = dot(t, a.velocity - b.velocity);
    row.bias = dot(t, a.bias - b.bias) + dot(cross(V.w, t), a.velocity - b.velocity);  // (2)
    rows[0] = row;
  }
  static std::string refusal(const Model& model, const Gears& g) {
    (void)model;
    return std::isfinite(g.lever_a) && std::isfinite(g.lever_b) && g.lever_a != 0 && g.lever_b != 0 &&
                   norm(g.tangent) > 0
               ? ""
               : "gears have radii other than zero";
  }
  static void take_as_is(Gears& g, Constraint& c, const Instant<double>& now) { g.sum = turned(g, c, now); }
  static std::array<double*, 2> made(Gears& g) { return {&g.sum, nullptr}; }
};
MAREY_CONSTRAINT(Gears)

// ---- in scenes
namespace {

// The hinge of a gear, in its carrier.
struct Axle {
  int carrier = 0;
  Vec place, axis;
};
Axle axle_of(const ConstraintMaker& maker, int link, const Value& name) {
  const LinkTopology& topology = maker.model().links[index(link)];
  const LinkParams<double>& params = maker.model().params.links[index(link)];
  if (topology.joint != JointType::hinge)
    refuse(name.at, fmt::format("found {} as a gear; expected a link on a hinge", maker.hanging(link)));
  return {topology.parent, params.l, params.R_PF * params.axis};
}

std::array<double, 2> read_teeth(const Value& node) {
  check_count(node, 2, "two numbers of teeth: [20, 60]");
  const long most = 1000000;
  return {static_cast<double>(read_whole(*node.items[0], 1, most)),
          static_cast<double>(read_whole(*node.items[1], 1, most))};
}

constexpr double parallel = 1e-6;  // rad, and parts of the distance

void make_gears(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  const Value &name_a = map.need("a"), &name_b = map.need("b");
  c.a.link = maker.links().find(name_a), c.b.link = maker.links().find(name_b);
  const Axle a = axle_of(maker, c.a.link, name_a), b = axle_of(maker, c.b.link, name_b);
  if (c.a.link == c.b.link) refuse(name_b.at, fmt::format("found '{}' as both gears; expected two links", name_b.text));
  if (a.carrier != b.carrier)
    refuse(name_b.at,
           "found gears that do not hang on the same link; expected two links with one parent, or a couple of "
           "their angles");
  if (norm(cross(a.axis, b.axis)) > parallel)
    refuse(name_b.at, "found gears whose axes are not parallel; expected parallel ones, or a couple of their angles");
  const Vec n = a.axis, between = b.place - a.place, across = between - dot(between, n) * n;
  const double d = norm(across), sigma = dot(a.axis, b.axis) > 0 ? 1 : -1;
  if (!(d > parallel * (norm(a.place) + norm(b.place)) && d > 0))
    refuse(name_b.at, "found gears on the same axis; expected axes side by side");
  const auto [teeth_a, teeth_b] = read_teeth(map.need("teeth"));
  const Value* inside = map.get("internal");
  const bool internal = inside != nullptr && read_flag(*inside);
  if (internal && teeth_a == teeth_b)
    refuse_value(map.need("teeth"), "different numbers of teeth, where one gear runs inside the other");
  const double rho_a = internal ? d * teeth_a / (teeth_a - teeth_b) : d * teeth_a / (teeth_a + teeth_b);
  const Vec e = (1 / d) * across;
  Gears g;
  g.point = a.place + rho_a * e, g.tangent = cross(n, e);
  g.lever_a = rho_a, g.lever_b = -sigma * (rho_a - d);
  g.sum = turned(g, c, maker.at_start());
  c.kind = g;
}

}  // namespace

extern const ConstraintForm gears_form{
    "gears",
    "two gears turn each other",
    {"gears",
     "Two gears, links on hinges of the same parent: their teeth meet between the axes, and push along the tangent "
     "there.",
     constraint_keys_with({{"a", "name", "figure.link, on a hinge", true},
                           {"b", "name", "likewise, of the same parent, its axis parallel to that of a", true},
                           {"teeth", "wholes", "how many a has, and how many b: [20, 60]", true},
                           {"internal", "flag", "the one with more teeth is a ring, and the other runs inside it"}})},
    make_gears,
    {"{a: figure.pinion, b: figure.wheel, teeth: [20, 60]}",
     "{a: figure.pinion, b: figure.wheel, teeth: [20, 60], internal: true, name: ring}"}};

}  // namespace marey
