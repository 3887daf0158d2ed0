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

// Where one of several stands, and what it is called behind the name of all.
struct Spot {
  std::string name;
  Vec place;
};
std::vector<Spot> spots_of(const Lattice& lattice) {
  std::vector<Spot> spots;
  for (int i = 0; i < lattice.size(); ++i) {
    const Cell cell = lattice.cell(i);
    spots.push_back({lattice.name(cell), lattice.place(cell)});
  }
  return spots;
}

// A row along any direction, or a grid.
std::vector<Spot> read_rows(MapReader& map, const Value& count, int most) {
  if (count.kind == Value::Kind::list) return spots_of(read_grid(map, "copies", most));
  Lattice row;
  row.count[0] = static_cast<int>(read_whole(count, 1, most));
  const Value& spacing = map.need("spacing");
  row.step[0] = read_vector(spacing, kinds::length);
  if (norm_squared(row.step[0]) == 0)
    refuse(spacing.at, "found a spacing of zero; expected another place for each copy");
  read_corner(map, row);
  return spots_of(row);
}

// Layers, of which each has one fewer along x, and along y where there are two numbers, and stands over the gaps of the one below.
std::vector<Spot> read_pyramid(MapReader& map, const Value& lowest, int most) {
  Lattice layer;
  if (lowest.kind == Value::Kind::list) {
    if (lowest.items.empty() || lowest.items.size() > 2)
      refuse_value(lowest, "how many in the lowest row, 100, or along x and y in the lowest layer, [10, 10]");
    read_counts(lowest, "copies", most, layer);
  } else {
    layer.count[0] = static_cast<int>(read_whole(lowest, 1, most));
  }
  read_distances(map.need("spacing"), layer);
  read_corner(map, layer);
  std::vector<Spot> spots;
  const Vec up = layer.step[2];
  for (int level = 0; layer.count[0] > 0 && layer.count[1] > 0; ++level) {
    if (spots.size() + static_cast<std::size_t>(layer.size()) > static_cast<std::size_t>(most))
      refuse(lowest.at, fmt::format("found a pyramid of more than {0} of them; expected at most {0} copies", most));
    for (Spot& spot : spots_of(layer))
      spots.push_back({spot.name + "-" + std::to_string(level + 1), spot.place + double(level) * up});
    for (std::size_t k = 0; k < static_cast<std::size_t>(layer.dimensions); ++k)
      layer.corner += 0.5 * layer.step[k], --layer.count[k];
  }
  return spots;
}

// So many, layer upon layer, as many in each as there is room for about the middle.
std::vector<Spot> read_pile(MapReader& map, const Value& count, int most) {
  const int n = static_cast<int>(read_whole(count, 1, most));
  Lattice grid;
  grid.dimensions = 3;
  read_distances(map.need("spacing"), grid);
  const Value& within = map.need("within");
  if (within.kind != Value::Kind::list || within.items.size() != 2)
    refuse_value(within, "the room along x and y: [1 m, 1 m]");
  for (std::size_t k = 0; k < 2; ++k) {
    const double room = read_number(*within.items[k], kinds::length, Range::positive), step = norm(grid.step[k]);
    const double fit = std::floor(room / step * (1 + 1e-12));
    if (fit < 1)
      refuse(within.items[k]->at, "found less room than one of them has by the 'spacing'; expected as much or more");
    grid.count[k] = static_cast<int>(std::min(fit, double(n)));
  }
  grid.count[2] = static_cast<int>((n - 1L) / (long(grid.count[0]) * grid.count[1]) + 1);
  map.one_of({"from", "center"});
  for (const char* key : {"from", "center"})
    if (const Value* value = map.get(key)) grid.corner = read_vector(*value, kinds::length);
  if (!map.get("from"))
    for (std::size_t k = 0; k < 2; ++k) grid.corner -= (0.5 * (grid.count[k] - 1)) * grid.step[k];
  std::vector<Spot> spots;
  for (int i = 0; i < n; ++i) spots.push_back({std::to_string(i + 1), grid.place(grid.cell(i))});
  return spots;
}

std::vector<Spot> read_spots(MapReader& map, int most) {
  const std::string form = map.one_of({"count", "pyramid", "pile"});
  if (form.empty()) refuse(map.node().at, "found copies without a number; expected 'count', 'pyramid' or 'pile'");
  const Value& number = map.need(form);
  if (form == "pile") return read_pile(map, number, most);
  return form == "pyramid" ? read_pyramid(map, number, most) : read_rows(map, number, most);
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
  const std::vector<Spot> spots = read_spots(map, most);
  const Value *turned_by = map.get("turned_by"), *random = map.get("random");
  const Mat3<double> R_next = turned_by ? rotation(read_rotation(*turned_by)) : Mat3<double>::identity();
  const Scatter scatter = random ? read_scatter(*random) : Scatter{};
  if (turned_by && spots.size() == 1)
    remark(map.key_place("turned_by"), "'turned_by' has no effect on a single copy: there is none before it");
  Chance chance(scatter.seed);
  Mat3<double> R = Mat3<double>::identity();
  std::vector<Copy> copies;
  for (const Spot& spot : spots) {
    copies.push_back({spot.name, {R, spot.place}, {}, {}});
    if (random) vary(chance, scatter, copies.back());
    R = R_next * R;
  }
  return copies;
}

}  // namespace marey
