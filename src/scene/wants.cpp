#include "scene/wants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "marey/core/index.h"
#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/force/link_names.h"
#include "marey/scene/keys.h"
#include "marey/sim/channel_names.h"
#include "marey/spec/values.h"

namespace marey {
namespace {

// Whose origin is all there is to it.
bool never_turns(const LinkTopology& link) { return link.joint == JointType::point && link.parent == 0; }

constexpr double usual_lean = std::numbers::pi / 12;  // 15 degrees

class WantReader {
 public:
  explicit WantReader(const Scene& scene) : scene_(scene), links_(scene.model) {}
  Want read(const Value& node);

 private:
  std::optional<double> time(MapReader&, const char* key);
  int turning_link(MapReader&);
  Vec3<double> axis(MapReader&, const char* key, const Vec3<double>& usual);
  WantedRange range(MapReader&, const QuantityKind&, const char* least, const char* most);
  WantedPlace place(MapReader&);
  WantedPassage through(MapReader&);
  WantedTurns turns(MapReader&);
  WantedNumber number(MapReader&, bool peak);
  WantedStance standing(MapReader&);
  WantedFace face(MapReader&);
  WantedNumber channel(const Value&);
  const std::vector<Channel>& channels();
  std::string link_name(int link) const { return scene_.model.names[index(link)]; }

  const Scene& scene_;
  LinkNames links_;
  std::vector<Channel> channels_;  // found when first asked for
};

std::optional<double> WantReader::time(MapReader& map, const char* key) {
  const std::optional<double> t = map.number_if(key);
  if (t && !(*t <= scene_.duration))
    refuse(map.get(key)->at,
           fmt::format("found {:.6g} s; expected a time within the scene, which lasts {:.6g} s", *t, scene_.duration));
  return t;
}

int WantReader::turning_link(MapReader& map) {
  const Value& node = map.need("link");
  const int link = links_.find(node);
  if (never_turns(scene_.model.links[index(link)]))
    refuse(node.at,
           fmt::format("found the particle '{}', which never turns; expected a link that does", link_name(link)));
  return link;
}

Vec3<double> WantReader::axis(MapReader& map, const char* key, const Vec3<double>& usual) {
  const Value* node = map.get(key);
  return node != nullptr ? read_axis(*node) : usual;
}

// Bounds by two keys of the map's own, or a number to be aimed at.
WantedRange WantReader::range(MapReader& map, const QuantityKind& kind, const char* least, const char* most) {
  const auto read = [&](const char* key) -> std::optional<double> {
    const Value* node = map.get(key);
    return node != nullptr ? std::optional(read_number(*node, kind)) : std::nullopt;
  };
  WantedRange r{read(least), read(most), read("equals")};
  const Value* within = map.get("within");
  if (r.aim) {
    if (r.from || r.to)
      refuse(map.key_place("equals"),
             fmt::format("found 'equals' beside '{}' or '{}'; expected one of them", least, most));
    if (within == nullptr)
      refuse(map.key_place("equals"), "found no 'within' beside 'equals'; expected it: how far it may be off");
    const double off = read_number(*within, kind, Range::positive);
    r.from = *r.aim - off, r.to = *r.aim + off;
    return r;
  }
  if (within != nullptr)
    refuse(map.key_place("within"),
           "found 'within' without 'equals', of which it says how far off one may be; expected both");
  if (!r.from && !r.to)
    refuse(map.entry_at(),
           fmt::format("found nothing that is wanted of the number; expected '{}', '{}' or 'equals'", least, most));
  if (r.from && r.to && !(*r.from < *r.to))
    refuse(map.key_place(most),
           fmt::format("found bounds from {:.6g} to {:.6g}, between which nothing lies; expected the lower one first",
                       *r.from, *r.to));
  return r;
}

WantedPlace WantReader::place(MapReader& map) {
  WantedPlace w;
  w.link = links_.find(map.need("link"));
  w.point = map.vector_or("point");
  w.target = map.vector("at");
  w.within = map.number("within");
  w.time = time(map, "time");
  return w;
}

WantedPassage WantReader::through(MapReader& map) {
  WantedPassage w;
  w.link = links_.find(map.need("link"));
  w.point = map.vector_or("point");
  w.center = map.vector("at");
  w.axis = read_axis(map.need("along"));
  w.within = map.number("within");
  w.from = time(map, "from").value_or(0);
  return w;
}

WantedTurns WantReader::turns(MapReader& map) {
  WantedTurns w;
  w.link = turning_link(map);
  w.axis = read_axis(map.need("about"));
  if (const Value* own = map.get("own")) w.own = read_flag(*own);
  w.turns = range(map, kinds::number, "least", "most");
  w.time = time(map, "time");
  return w;
}

const std::vector<Channel>& WantReader::channels() {
  if (channels_.empty()) channels_ = channels_of(scene_);
  return channels_;
}

WantedNumber WantReader::channel(const Value& node) {
  const std::string name = read_text(node);
  const std::vector<ColumnIndex> columns = columns_named(channels(), name);
  if (columns.empty()) {
    const std::string near = nearest_pattern(channels(), name);
    refuse(culprit_place(node),
           fmt::format("found the unknown channel {};{} expected one that a run records", found_text(name),
                       near.empty() ? near : fmt::format(" did you mean '{}'?", near)));
  }
  WantedNumber w;
  const Channel& c = channels()[columns[0].channel];
  w.channel = c.name, w.called = name, w.unit = c.unit;
  for (const ColumnIndex& column : columns) {
    if (column.channel != columns[0].channel)
      refuse(culprit_place(node),
             fmt::format("found {}, which is {} and others; expected one channel", found_text(name), c.name));
    w.columns.push_back(column.column);
  }
  return w;
}

// Numbers of a channel are in its unit; where there is no such kind of quantity, they are plain. (Energies are of the kind of torques.)
const QuantityKind& kind_in(const std::string& unit) {
  for (const QuantityKind* kind : kinds::all)
    if (!unit.empty() && read_quantity("1 " + unit, *kind).problem.empty()) return *kind;
  return kinds::number;
}

WantedNumber WantReader::number(MapReader& map, bool peak) {
  WantedNumber w = channel(map.need("channel"));
  w.peak = peak;
  w.range = range(map, kind_in(w.unit), "above", "below");
  if (!peak) {
    w.time = time(map, "time");
    return w;
  }
  w.from = time(map, "from").value_or(0), w.until = time(map, "until");
  if (w.until && !(*w.until > w.from))
    refuse(map.key_place("until"),
           fmt::format("found a peak from {:.6g} s until {:.6g} s; expected some time between them", w.from, *w.until));
  return w;
}

WantedStance WantReader::standing(MapReader& map) {
  WantedStance w;
  w.link = turning_link(map);
  w.point = map.vector_or("point");
  w.axis = axis(map, "axis", {0, 0, 1});
  w.above = map.number_if("above");
  w.within = map.number_or("within", usual_lean);
  w.slower = map.number_if("slower");
  w.time = time(map, "time");
  return w;
}

WantedFace WantReader::face(MapReader& map) {
  WantedFace w;
  w.link = turning_link(map);
  w.axis = read_axis(map.need("axis"));
  w.within = map.number_or("within", usual_lean);
  w.time = time(map, "time");
  return w;
}

Want WantReader::read(const Value& node) {
  const KeyTable& table = key_table("want");
  MapReader outer(node, table);
  const std::string kind = outer.one_of(table.words());
  if (kind.empty()) refuse(node.at, "found nothing that is wanted; expected a kind, such as place: {…}");
  MapReader map(outer.need(kind), key_table("wanted_" + kind), kind);
  map.belongs_to(node);
  Want want;
  want.line = node.at.file != nullptr ? node.at.line : 0;
  const auto name_link = [&](const auto& of) { want.name = kind + " of " + link_name(of.link); };
  if (kind == "place") want.what = place(map), name_link(std::get<WantedPlace>(want.what));
  if (kind == "through") want.what = through(map), name_link(std::get<WantedPassage>(want.what));
  if (kind == "turns") want.what = turns(map), name_link(std::get<WantedTurns>(want.what));
  if (kind == "standing") want.what = standing(map), name_link(std::get<WantedStance>(want.what));
  if (kind == "face") want.what = face(map), name_link(std::get<WantedFace>(want.what));
  if (kind == "peak" || kind == "value") {
    want.what = number(map, kind == "peak");
    want.name = kind + " of " + std::get<WantedNumber>(want.what).called;
  }
  if (const Value* name = map.get("name")) want.name = read_text(*name);
  map.done("in what is wanted");
  return want;
}

}  // namespace

void read_wants(const Value* list, bool recorded, Scene& scene) {
  if (!list || recorded) return;
  if (list->kind != Value::Kind::list || list->items.empty())
    refuse_value(*list, "a list of what is wanted, each on a '- ' line, such as - place: {…}");
  WantReader reader(scene);
  for (const ValuePtr& item : list->items) scene.wants.push_back(reader.read(*item));
}

}  // namespace marey
