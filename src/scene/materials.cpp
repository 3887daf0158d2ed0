#include "scene/materials.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

constexpr const char* of_all_others = "default";

void read_grip(const Value& node, SurfaceLaw& law) {
  if (node.kind != Value::Kind::map) {
    law.friction_static = law.friction_kinetic = read_number(node, kinds::number, Range::not_negative);
    return;
  }
  MapReader map(node, key_table("grip"));
  law.friction_kinetic = read_number(map.need("kinetic"), kinds::number, Range::not_negative);
  const Value& at_rest = map.need("static");
  law.friction_static = read_number(at_rest, kinds::number, Range::not_negative);
  if (law.friction_static < law.friction_kinetic)
    refuse_value(at_rest, fmt::format("at least the kinetic friction, {}", law.friction_kinetic));
}

// The keys that a material and a pair of them share.
void read_law(MapReader& map, SurfaceLaw& law) {
  if (const Value* n = map.get("friction")) {
    read_grip(*n, law);
    if (law.friction_static > most_friction)
      refuse(n->at,
             fmt::format("found a friction of {:g}; expected one of at most {:g}", law.friction_static, most_friction));
  }
  if (const Value* n = map.get("restitution")) {
    law.restitution = read_number(*n, kinds::number, Range::not_negative);
    if (law.restitution > 1) refuse_value(*n, "a coefficient of restitution from 0 to 1");
  }
  if (const Value* n = map.get("rolling")) law.rolling = read_number(*n, kinds::length, Range::not_negative);
  if (const Value* n = map.get("torsion")) law.torsion = read_number(*n, kinds::length, Range::not_negative);
  if (const Value* n = map.get("stiffness")) law.compliance = 1 / read_number(*n, kinds::stiffness, Range::positive);
  if (const Value* n = map.get("damping")) law.damping = read_number(*n, kinds::damping, Range::not_negative);
}

class MaterialReader {
 public:
  MaterialReader(const FiguresDraft& draft, const Scene& scene) : draft_(draft), scene_(scene) {
    rule_.materials.push_back({of_all_others, {}});
    numbers_[of_all_others] = 0;
    sinks_.emplace_back();
  }

  void add_all(const Value& node) {
    if (node.kind != Value::Kind::map || node.entries.empty())
      refuse_value(node, "materials by name: {rubber: {friction: 0.9}}");
    for (const ValueEntry& entry : node.entries) add(entry);
  }
  void add_pairs(const Value& node) {
    if (node.kind != Value::Kind::list || node.items.empty())
      refuse_value(node, "pairs in a list: [{between: [rubber, ice], friction: 0.2}]");
    for (const ValuePtr& item : node.items) add_pair(*item);
  }
  void give_links() {
    rule_.of_body.assign(scene_.model.links.size() + scene_.scenery.size(), 0);
    std::map<std::string, const LinkDraft*> drafts;
    for (const LinkDraft& link : draft_.links) drafts[link.spec.name] = &link;
    for (std::size_t i = 1; i < scene_.model.links.size(); ++i) {
      const auto found = drafts.find(scene_.model.names[i]);
      const Value* given = found == drafts.end() ? nullptr : found->second->material;
      const int number = given != nullptr ? find(*given) : 0;
      used_.insert(number);
      rule_.of_body[i] = own_of(number, i);
    }
  }
  void give_scenery(const Value& node) {
    for (std::size_t k = 0; k < node.entries.size(); ++k) {
      const ValueEntry* given = node.entries[k].value->find("material");
      if (given == nullptr) continue;
      const int number = find(*given->value);
      used_.insert(number);
      if (sinks_[static_cast<std::size_t>(number)])
        refuse(
            given->value->at,
            fmt::format("found scenery made of '{}', which says how deep a body sinks by its own weight, and scenery "
                        "has none; expected a material with a stiffness, or with neither",
                        rule_.materials[static_cast<std::size_t>(number)].name));
      rule_.of_body[scene_.model.links.size() + k] = number;
    }
  }
  // Damping acts with a stiffness, be it that of what it touches.
  void remark_on_idle_damping() const {
    const auto soft = [](const SurfaceLaw& law) { return law.compliance > 0; };
    const bool any = std::ranges::any_of(rule_.materials, soft, &Material::law) ||
                     std::ranges::any_of(rule_.pairs, soft, &MaterialRule::Pair::law) ||
                     std::ranges::any_of(sinks_, [](const auto& sinks) { return sinks.has_value(); });
    if (any) return;
    for (const Place& at : dampings_)
      remark(at, "'damping' has no effect: nothing gives way, since no material has a stiffness or sinks");
  }
  // When everything has its material. Of a pair that names an idle material the pair is said, not the material again.
  void remark_on_idle() const {
    std::set<int> said;
    for (const GivenPair& p : pairs_given_)
      for (const int number : {p.a, p.b}) {
        if (number == 0 || used_.contains(number) || !said.insert(number).second) continue;
        remark(p.at, fmt::format("this pair has no effect: nothing is made of '{}'", name_of(number)));
      }
    for (const auto& [number, at] : given_)
      if (!used_.contains(number) && !said.contains(number))
        remark(at, fmt::format("the material '{}' has no effect: nothing is made of it", name_of(number)));
  }
  MaterialRule take() { return std::move(rule_); }

 private:
  void add(const ValueEntry& entry) {
    check_name(entry, "material");
    MapReader map(*entry.value, key_table("material"));
    SurfaceLaw law;
    read_law(map, law);
    if (map.has("damping")) dampings_.push_back(map.key_place("damping"));
    std::optional<double> sinks;
    if (const Value* n = map.get("sinks")) {
      sinks = read_number(*n, kinds::length, Range::positive);
      if (map.has("stiffness"))
        refuse(n->at, "found 'sinks' beside 'stiffness'; expected one of them: each says how the material gives way");
      if (norm(scene_.model.params.gravity) == 0)
        remark(map.key_place("sinks"), "'sinks' has no effect without gravity: nothing has a weight to sink by");
    }
    remark_on_restitution(map, law.compliance > 0 || sinks);
    if (entry.key == of_all_others) {
      rule_.materials[0].law = law, sinks_[0] = sinks;
      return;
    }
    numbers_[entry.key] = static_cast<int>(rule_.materials.size());
    given_.push_back({numbers_[entry.key], entry.key_at});
    rule_.materials.push_back({entry.key, law});
    sinks_.push_back(sinks);
  }
  void add_pair(const Value& node) {
    MapReader map(node, key_table("material_pair"));
    const Value& between = map.need("between");
    if (between.kind != Value::Kind::list || between.items.size() != 2)
      refuse_value(between, "two materials: [rubber, ice]");
    const int a = find(*between.items[0]), b = find(*between.items[1]);
    SurfaceLaw law =
        mixed(rule_.materials[static_cast<std::size_t>(a)].law, rule_.materials[static_cast<std::size_t>(b)].law);
    read_law(map, law);
    if (map.has("damping")) dampings_.push_back(map.key_place("damping"));
    remark_on_restitution(map, law.compliance > 0);
    for (const GivenPair& p : pairs_given_)
      if ((p.a == a && p.b == b) || (p.a == b && p.b == a))
        refuse(between.at, fmt::format("found a second pair of '{}' and '{}'; expected one for two materials",
                                       name_of(a), name_of(b)));
    rule_.pairs.push_back({a, b, law});
    pairs_given_.push_back({a, b, between.at});
  }
  static void remark_on_restitution(const MapReader& map, bool gives_way) {
    if (gives_way && map.has("restitution"))
      remark(map.key_place("restitution"),
             "'restitution' has no effect on what gives way, which bounces by its stiffness and damping");
  }
  int find(const Value& node) const {
    const std::string word = read_text(node);
    const auto found = numbers_.find(word);
    if (found != numbers_.end()) return found->second;
    std::vector<std::string> words;
    for (const auto& [name, unused] : numbers_) words.push_back(name);
    refuse(node.at, fmt::format("found the unknown material {};{} expected one of those under 'materials'",
                                found_text(word), did_you_mean(word, words)));
  }
  // W7: stiffness from the weight of the body and the depth to which it may sink, m g = k δ. Each body has its own then.
  int own_of(int number, std::size_t link) {
    const std::optional<double> sinks = sinks_[static_cast<std::size_t>(number)];
    if (!sinks) return number;
    const double weight = mass_of_figure(link) * norm(scene_.model.params.gravity);
    if (!(weight > 0)) return number;
    Material own = rule_.materials[static_cast<std::size_t>(number)];
    own.name += fmt::format(" ({})", scene_.model.names[link]);
    own.law.compliance = *sinks / weight;
    const int copy = static_cast<int>(rule_.materials.size());
    for (std::size_t k = 0, n = rule_.pairs.size(); k < n; ++k) {  // pairs hold for it too
      MaterialRule::Pair pair = rule_.pairs[k];
      if (pair.a != number && pair.b != number) continue;
      (pair.a == number ? pair.a : pair.b) = copy;
      rule_.pairs.push_back(pair);
    }
    rule_.materials.push_back(std::move(own));
    sinks_.emplace_back();
    return copy;
  }
  double mass_of_figure(std::size_t link) const {
    const std::vector<std::string>& names = scene_.model.names;
    const std::string figure = names[link].substr(0, names[link].find('.'));
    double mass = 0;
    for (std::size_t i = 1; i < names.size(); ++i)
      if (names[i].substr(0, names[i].find('.')) == figure) mass += scene_.model.params.links[i].I.m;
    return mass;
  }

  const std::string& name_of(int number) const { return rule_.materials[static_cast<std::size_t>(number)].name; }

  struct GivenPair {
    int a, b;
    Place at;
  };
  const FiguresDraft& draft_;
  const Scene& scene_;
  MaterialRule rule_;
  std::vector<std::pair<int, Place>> given_;
  std::vector<Place> dampings_;
  std::vector<GivenPair> pairs_given_;
  std::set<int> used_;
  std::map<std::string, int> numbers_;
  std::vector<std::optional<double>> sinks_;  // [materials]
};

}  // namespace

MaterialRule read_materials(const MaterialValues& values, const FiguresDraft& draft, const Scene& scene) {
  MaterialReader reader(draft, scene);
  if (values.materials) reader.add_all(*values.materials);
  if (values.pairs) reader.add_pairs(*values.pairs);
  reader.give_links();
  if (values.scenery) reader.give_scenery(*values.scenery);
  if (values.materials && !scene.collide)
    remark(values.materials->at, "'materials' has no effect: nothing may touch, since there is no 'collide'");
  else
    reader.remark_on_idle(), reader.remark_on_idle_damping();
  return reader.take();
}

}  // namespace marey
