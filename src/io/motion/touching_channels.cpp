// Channels made of the points that touch (marey/sim/touching_items.h): one group for every two that ever do.
#include <algorithm>
#include <limits>
#include <map>

#include "marey/io/motion.h"
#include "marey/sim/touching_items.h"

namespace marey {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Where the fields of an item begin.
struct Fields {
  std::size_t a, b, point, normal, force, gap, slip;
  explicit Fields(const ItemList& list) {
    const auto place = [&](const char* name) {
      std::size_t at = 0;
      for (const Channel& field : list.fields) {
        if (field.name == name) return at;
        at += field.columns.size();
      }
      throw Error(ErrorKind::bad_input, std::string("the points that touch have no '") + name + "'");
    };
    a = place("a"), b = place("b"), point = place("point"), normal = place("normal"), force = place("force"),
    gap = place("gap"), slip = place("slip");
  }
};

// All that two do to each other in a frame.
struct PairFrame {
  Vec3<double> force, moment;  // of normal forces about the origin, as in the mean of places
  double points = 0, pressing = 0, gap = none, slip = none;

  void add(std::span<const double> item, const Fields& at) {
    const auto vector = [&](std::size_t k) { return Vec3<double>{item[k], item[k + 1], item[k + 2]}; };
    const Vec3<double> f = vector(at.force);
    const double normal = dot(f, vector(at.normal));
    force += f, moment += normal * vector(at.point), pressing += normal, points += 1;
    if (!(gap <= item[at.gap])) gap = item[at.gap];
    if (!(slip >= item[at.slip])) slip = item[at.slip];
  }
  Vec3<double> place() const { return pressing > 0 ? (1 / pressing) * moment : Vec3<double>{none, none, none}; }
};

void add_pair(Motion& motion, const std::string& name, const std::vector<PairFrame>& frames) {
  const std::string base = std::string(touching_items_name) + "/" + name + "/";
  const auto add = [&](const char* what, const char* unit, std::vector<std::string> columns, const char* meaning,
                       auto values) {
    motion.channels.push_back({base + what, unit, std::move(columns), meaning});
    std::vector<double>& out = motion.values.emplace_back();
    for (const PairFrame& f : frames) values(f, out);
  };
  const auto vector = [](const Vec3<double>& x, std::vector<double>& out) { out.insert(out.end(), {x.x, x.y, x.z}); };
  const std::vector<std::string> xyz{"x", "y", "z"};
  add("force", "N", xyz, "on the first by the second, at all points where they touch, in world axes",
      [&](const PairFrame& f, std::vector<double>& out) { vector(f.force, out); });
  add("point", "m", xyz, "mean of the points, weighted with their normal forces; not a number while nothing presses",
      [&](const PairFrame& f, std::vector<double>& out) { vector(f.place(), out); });
  add("points", "", {""}, "at how many points they touch",
      [](const PairFrame& f, std::vector<double>& out) { out.push_back(f.points); });
  add("gap", "m", {""}, "the least of these points; not a number while they do not touch",
      [](const PairFrame& f, std::vector<double>& out) { out.push_back(f.gap); });
  add("slip", "m/s", {""}, "the largest of these points; not a number while they do not touch",
      [](const PairFrame& f, std::vector<double>& out) { out.push_back(f.slip); });
}

}  // namespace

std::string name_in(const ItemList& list, double number) {
  if (number >= 0 && number < static_cast<double>(list.names.size()))
    return list.names[static_cast<std::size_t>(number)];
  throw Error(ErrorKind::bad_input, "a list of items names something that is not there");
}

bool has_touching(const MotionInfo& info) {
  return std::ranges::find(info.lists, touching_items_name, &ItemList::name) != info.lists.end();
}

void add_touching_channels(Motion& motion) {
  if (!has_touching(motion)) return;
  const MotionItems items = read_items(motion.file, touching_items_name);
  const Fields at(items.list);
  std::map<std::pair<double, double>, std::vector<PairFrame>> pairs;
  for (std::size_t frame = 0, i = 0; frame < std::min(motion.frames, items.ends.size()); ++frame)
    for (; i < items.ends[frame]; ++i) {
      std::vector<PairFrame>& frames = pairs[{items.at(i)[at.a], items.at(i)[at.b]}];
      frames.resize(motion.frames);
      frames[frame].add(items.at(i), at);
    }
  for (const auto& [pair, frames] : pairs)
    add_pair(motion, name_in(items.list, pair.first) + "+" + name_in(items.list, pair.second), frames);
}

}  // namespace marey
