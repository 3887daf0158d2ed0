// A massless rod between the origins: φ = |x| − length.
#include <cmath>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"

namespace marey {
namespace {

PlaceRow distance(const Ends& e, double length) {
  const double l = norm(e.x), rate = dot(e.x, e.x_rate) / l;
  return {l - length, (1 / l) * e.x, (dot(e.x_rate, e.x_rate) - rate * rate) / l, 0};
}

}  // namespace

template <>
struct ConstraintDescriptor<FixedDistance> {
  static constexpr const char* word = "rod";
  static int row_count(const FixedDistance&) { return 1; }
  static void rows(const FixedDistance& rod, const Ends& e, std::span<ConstraintRow> rows) {
    put_place(e, distance(e, rod.length), rows[0]);
  }
  static std::string refusal(const Model&, const FixedDistance& rod) {
    return rod.length > 0 && std::isfinite(rod.length) ? "" : "the length of a rod is above zero";
  }
  static void take_as_is(FixedDistance& rod, Constraint& c, const Instant<double>& now) {
    const Transform<double> X_WA = now.X_WB[index(c.a.link)] * c.a.X_LC, X_WB = now.X_WB[index(c.b.link)] * c.b.X_LC;
    rod.length = norm(X_WB.p - X_WA.p);
  }
  static std::array<double*, 2> made(FixedDistance& rod) { return {&rod.length, nullptr}; }
};
MAREY_CONSTRAINT(FixedDistance)

// ---- in scenes
static void make_rod(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  maker.ends(map, c);
  c.b.X_LC.p = map.vector_or("at_b");
  FixedDistance rod;
  rod.length = map.number_or("length", norm(maker.pose(c.b.link) * c.b.X_LC.p - maker.pose(c.a.link) * c.a.X_LC.p));
  if (!(rod.length > 0))
    refuse(map.node().at, "found a rod whose two points are at the same place at the start; expected them apart");
  c.kind = rod;
}
extern const ConstraintForm rod_form{
    "rod",
    "two points keep their distance",
    {"rod", "A massless rod.",
     two_link_keys_with({{"at", "v:length", "one end, in a's frame; default: its origin"},
                         {"at_b", "v:length", "the other, in b's frame; default: its origin"},
                         {"length", "q:length>0", "default: the distance at the start"}})},
    make_rod,
    {"{b: figure.hand, at: [0, 0, 2 m], at_b: [0, 0, -20 cm]}", "{a: figure.tray, b: figure.hand, length: 50 cm}"}};

}  // namespace marey
