#include "scene/humans.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/human.h"
#include "marey/scene/keys.h"
#include "scene/figures.h"
#include "scene/tissue.h"

namespace marey {
namespace {

template <std::size_t n>
std::vector<std::string> words(const std::array<const char*, n>& names) {
  return {names.begin(), names.end()};
}

MeasuredSegment read_measured_segment(const Value& node) {
  MapReader map(node, key_table("measured_segment"));
  MeasuredSegment m;
  m.mass = map.number_if("mass"), m.length = map.number_if("length"), m.center = map.number_if("center");
  m.moments = map.vector_if("inertia");
  if (!m.mass && !m.length && !m.center && !m.moments) refuse_value(node, "mass, length, center or inertia");
  return m;
}

Person read_who(MapReader& map) {
  Person p;
  if (const Value* source = map.get("source"))
    p.source = static_cast<BodySource>(read_choice(*source, words(source_names)));
  const bool printed = p.source == BodySource::ruder;
  p.mass = map.number("mass");
  if (printed) {
    map.done("with source: ruder, which needs the mass alone");
    return p;
  }
  p.sex = static_cast<Sex>(read_choice(map.need("sex"), words(sex_names)));
  p.height = map.number("height");
  p.age = map.number_if("age");
  if (const Value* population = map.get("population"))
    p.population = static_cast<Population>(read_choice(*population, words(population_names)));
  if (const Value* measured = map.get("measured")) {
    MapReader segments(*measured, key_table("measured"));
    for (int i = 0; i < segment_count; ++i)
      if (const Value* segment = segments.get(segment_names[static_cast<std::size_t>(i)]))
        p.measured[static_cast<BodyPart>(i)] = read_measured_segment(*segment);
    if (p.measured.empty()) refuse_value(*measured, "segments by name: {thigh: {length: 43 cm}}");
  }
  return p;
}

// What is made here is said to be where the human is.
ValuePtr placed(Value value, const Place& at) {
  value.at = at;
  for (ValuePtr& item : value.items) item = placed(*item, at);
  for (ValueEntry& entry : value.entries) entry.key_at = at, entry.value = placed(*entry.value, at);
  return std::make_shared<Value>(std::move(value));
}

// What wobbles of a link, where the person or the link says that something does.
void put_wobble(const HumanLink& link, const Place& at, const Value* of_person, const Value* own, Value& made) {
  static const Value none("false");
  const ValueEntry* of_link = own && own->kind == Value::Kind::map ? own->find("wobble") : nullptr;
  std::erase_if(made.entries, [](const ValueEntry& e) { return e.key == "wobble"; });
  const Value usual = *placed(link.wobble, of_link ? of_link->value->at : of_person ? of_person->at : at);
  const ValuePtr wobble =
      wobble_of_human(of_person ? *of_person : none, usual, of_link ? of_link->value.get() : nullptr);
  if (wobble) made.entries.push_back({"wobble", of_link ? of_link->key_at : at, wobble});
}

// The masses of a person's link go together: they are changed as measurements, and not one by one behind its back.
void refuse_masses(const HumanLink& link, const Value& besides, bool printed) {
  for (const ValueEntry& entry : besides.entries) {
    if (entry.key != "mass" && entry.key != "density" && entry.key != "inertia" && entry.key != "center_of_mass")
      continue;
    std::string expected = "another mass of the human, of which the printed figure's are parts";
    if (!printed) {
      const char* what = entry.key == "inertia" ? "inertia" : entry.key == "center_of_mass" ? "center" : "mass";
      expected.clear();
      for (const BodyPart s : link.segments)
        expected += fmt::format("{}{}: {{{}: …}}", expected.empty() ? "" : ", ", name_of(s), what);
      expected = fmt::format("it below human, as measured: {{{}}}, so that all belongs together", expected);
    }
    refuse(entry.key_at,
           fmt::format("found '{}' of '{}', a link that the human has; expected {}", entry.key, link.name, expected));
  }
}

// Where a key of the human is said, or the nearest to it.
Place place_of(const Value& human, const std::string& key) {
  Place at = human.at;
  const Value* node = &human;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find('/', begin), key.size());
    const ValueEntry* entry = node->kind == Value::Kind::map ? node->find(key.substr(begin, end - begin)) : nullptr;
    if (entry == nullptr) break;
    at = entry->key_at, node = entry->value.get(), begin = end + 1;
  }
  return at;
}

// The person's links with what the figure says besides, then the links that it adds.
ValuePtr with_links(const HumanFigure& figure, const Place& at, const Value* wobble, const Value* own, bool printed) {
  auto links = std::make_shared<Value>();
  links->kind = Value::Kind::map, links->at = at;
  if (own && own->kind != Value::Kind::map) refuse_value(*own, "links of the human by name: {head: {start: …}}");
  for (const HumanLink& link : figure.links) {
    const ValueEntry* besides = own ? own->find(link.name) : nullptr;
    const ValuePtr plain = placed(link.link, at);
    if (besides && besides->value->kind == Value::Kind::map) refuse_masses(link, *besides->value, printed);
    const auto made = std::make_shared<Value>(*merged(*plain, besides ? besides->value.get() : nullptr));
    put_wobble(link, at, wobble, besides ? besides->value.get() : nullptr, *made);
    links->entries.push_back({link.name, besides ? besides->key_at : at, made});
  }
  if (!own) return links;
  for (const ValueEntry& entry : own->entries) {
    if (std::ranges::any_of(figure.links, [&](const HumanLink& link) { return link.name == entry.key; })) continue;
    if (entry.value->kind == Value::Kind::map && !entry.value->find("parent")) {
      std::vector<std::string> names;
      for (const HumanLink& link : figure.links) names.push_back(link.name);
      refuse(entry.key_at,
             fmt::format("found '{}', which is no link of the human, without a parent;{} expected one of its "
                         "links, or a parent among them",
                         entry.key, did_you_mean(entry.key, names)));
    }
    links->entries.push_back(entry);
  }
  return links;
}

}  // namespace

HumanDraft read_person(const Value& human, const Value* links) {
  MapReader map(human, key_table("human"));
  HumanOptions options;
  if (const Value* form = map.get("form"))
    options.form = static_cast<HumanForm>(read_choice(*form, words(human_form_names)));
  if (const Value* limits = map.get("limits")) options.limits = read_choice(*limits, {"ranges", "none"}) == 0;
  const Value* wobble = map.get("wobble");
  const Person person = read_who(map);
  try {
    const Body body = measure(person);
    for (std::size_t i = 0; i < body.warnings.size(); ++i)
      remark(place_of(human, body.warned_keys[i]), body.warnings[i]);
    const HumanFigure figure = human_figure(body, options);
    HumanDraft draft{
        with_links(figure, human.at, wobble, links, body.source == BodySource::ruder), {}, body.provenance};
    for (const HumanLink& link : figure.links)
      for (const Value& limit : link.limits) draft.limits[link.name].push_back(placed(limit, human.at));
    return draft;
  } catch (const ImpossibleBody& e) {
    refuse(place_of(human, e.key()), fmt::format("found {}", e.what()));
  }
}

}  // namespace marey
