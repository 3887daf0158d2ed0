#include "scene/pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "marey/scene/keys.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

// How many along each of one to three axes.
void read_counts(const Value& count, const char* what, int most, Lattice& out) {
  if (count.kind != Value::Kind::list || count.items.empty() || count.items.size() > 3)
    refuse_value(count, "how many along x, y and z: [20, 20], or [8, 8, 8]");
  out.dimensions = static_cast<int>(count.items.size());
  long all = 1;
  for (std::size_t k = 0; k < count.items.size(); ++k) {
    const long n = read_whole(*count.items[k], 1, most);
    all *= n;  // at most 1e5 cubed
    out.count[k] = static_cast<int>(n);
  }
  if (all > most) refuse(count.at, fmt::format("found {} of them; expected at most {} {}", all, most, what));
}

// One for all axes, or one for each.
void read_distances(const Value& node, Lattice& out) {
  Vec spacing;
  if (node.kind == Value::Kind::list) {
    spacing = read_vector(node, kinds::length, Range::positive);
  } else {
    const double s = read_number(node, kinds::length, Range::positive);
    spacing = {s, s, s};
  }
  out.step = {Vec{spacing.x, 0, 0}, Vec{0, spacing.y, 0}, Vec{0, 0, spacing.z}};
}

void read_corner(MapReader& map, Lattice& out) {
  map.one_of({"from", "center"});
  if (const Value* from = map.get("from")) out.corner = read_vector(*from, kinds::length);
  if (const Value* center = map.get("center")) {
    const Vec middle = read_vector(*center, kinds::length);
    Vec diagonal;
    for (std::size_t k = 0; k < 3; ++k) diagonal += double(out.count[k] - 1) * out.step[k];
    out.corner = middle - 0.5 * diagonal;
  }
}

// A row along any direction, or a grid.
Lattice read_places(MapReader& map, int most) {
  const Value& count = map.need("count");
  if (count.kind == Value::Kind::list) return read_grid(map, "copies", most);
  Lattice row;
  row.count[0] = static_cast<int>(read_whole(count, 1, most));
  const Value& spacing = map.need("spacing");
  row.step[0] = read_vector(spacing, kinds::length);
  if (norm_squared(row.step[0]) == 0)
    refuse(spacing.at, "found a spacing of zero; expected another place for each copy");
  read_corner(map, row);
  return row;
}

// How far copies may differ by chance.
struct Scatter {
  double place = 0, turned = 0, velocity = 0, spin = 0;
  std::uint64_t seed = 0;
};
Scatter read_scatter(const Value& node) {
  MapReader map(node, key_table("random"));
  Scatter s;
  s.seed = static_cast<std::uint64_t>(read_whole(map.need("seed"), 1, 1'000'000'000));
  const auto most = [&](const char* key, const QuantityKind& kind) {
    const Value* value = map.get(key);
    return value ? read_number(*value, kind, Range::not_negative) : 0.0;
  };
  s.place = most("place", kinds::length), s.turned = most("turned", kinds::angle);
  s.velocity = most("velocity", kinds::speed), s.spin = most("spin", kinds::angular_rate);
  if (node.entries.size() == 1)  // the seed
    remark(node.at, "'random' has no effect with a seed alone: nothing says by how much copies may differ");
  if (s.turned > std::numbers::pi * (1 + 1e-12)) refuse_value(*map.get("turned"), "an angle of at most 180 deg");
  return s;
}

// Of every copy all is drawn, asked for or not: one difference more leaves the others as they are.
void vary(Chance& chance, const Scatter& by, Copy& copy) {
  copy.X_GC.p += chance.within(by.place);
  const Vec axis = chance.direction();
  const double half = 0.5 * by.turned * chance.part();
  copy.X_GC.R = rotation(Quaternion<double>{std::cos(half), std::sin(half) * axis.x, std::sin(half) * axis.y,
                                            std::sin(half) * axis.z}) *
                copy.X_GC.R;
  copy.velocity = chance.within(by.velocity);
  copy.spin = chance.within(by.spin);
}

}  // namespace

std::string Lattice::name(const Cell& c) const {
  std::string name = std::to_string(c[0] + 1);
  for (int k = 1; k < dimensions; ++k) name += "-" + std::to_string(c[static_cast<std::size_t>(k)] + 1);
  return name;
}

Lattice read_grid(MapReader& map, const char* what, int most) {
  Lattice grid;
  read_counts(map.need("count"), what, most, grid);
  read_distances(map.need("spacing"), grid);
  read_corner(map, grid);
  return grid;
}

double Chance::part() {
  std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}
// By Archimedes: on a sphere, heights are all alike.
Vec3<double> Chance::direction() {
  const double z = 2 * part() - 1, a = 2 * std::numbers::pi * part(), r = std::sqrt(std::max(1 - z * z, 0.0));
  return {r * std::cos(a), r * std::sin(a), z};
}
Vec3<double> Chance::within(double far) {
  const Vec u = direction();
  return (far * part()) * u;
}

std::vector<Copy> read_copies(const Value& node, int most) {
  MapReader map(node, key_table("copies"));
  const Lattice places = read_places(map, most);
  const Value *turned_by = map.get("turned_by"), *random = map.get("random");
  const Mat3<double> R_next = turned_by ? rotation(read_rotation(*turned_by)) : Mat3<double>::identity();
  const Scatter scatter = random ? read_scatter(*random) : Scatter{};
  if (turned_by && places.size() == 1)
    remark(map.key_place("turned_by"), "'turned_by' has no effect on a single copy: there is none before it");
  Chance chance(scatter.seed);
  Mat3<double> R = Mat3<double>::identity();
  std::vector<Copy> copies;
  for (int i = 0; i < places.size(); ++i) {
    const Cell cell = places.cell(i);
    copies.push_back({places.name(cell), {R, places.place(cell)}, {}, {}});
    if (random) vary(chance, scatter, copies.back());
    R = R_next * R;
  }
  return copies;
}

}  // namespace marey
