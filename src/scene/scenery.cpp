#include "scene/scenery.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/force/link_names.h"
#include "marey/scene/keys.h"
#include "scene/contacts.h"
#include "scene/figures.h"
#include "scene/shapes.h"

namespace marey {

namespace {

std::set<std::string> figures_of(const Model& model) {
  std::set<std::string> figures;
  for (int i = 1; i < model.nlink(); ++i) {
    const std::string& name = model.names[static_cast<std::size_t>(i)];
    figures.insert(name.substr(0, name.find('.')));
  }
  return figures;
}

SceneryPiece read_piece(const ValueEntry& entry, SolidReader& solids) {
  MapReader map(*entry.value, key_table("scenery"));
  SceneryPiece piece;
  piece.name = entry.key;
  map.get("material");  // by read_materials(), later
  const std::string form = map.one_of({"shape", "plane"});
  if (form.empty()) refuse(entry.value->at, "found scenery without extent; expected 'shape' or 'plane'");
  if (form == "plane") {
    piece.plane = read_plane(map.need("plane"));
    map.done("beside 'plane'");
    return piece;
  }
  const Value& shape = map.need("shape");
  const Transform<double> X_WB = read_pose(map);
  for (const ShapeDraft& draft : read_shapes(shape, solids)) {
    if (draft.mass || draft.density)
      refuse(shape.at, "found the mass or density of scenery, which never moves; expected a shape alone");
    piece.shapes.push_back({draft.shape.solid, X_WB * draft.shape.X_BS});
  }
  return piece;
}

// ---- who may touch whom
// Everything that can be named: links, figures, scenery, groups, all.
class BodyNames {
 public:
  BodyNames(const Model& model, const std::vector<SceneryPiece>& scenery)
      : count_(model.links.size() + scenery.size()) {
    for (int i = 1; i < model.nlink(); ++i) {
      const std::string& name = model.names[static_cast<std::size_t>(i)];
      const std::string figure = name.substr(0, name.find('.'));
      for (const std::string& word : {name, figure, figure + ".*"}) bodies_[word].push_back(i);
      bodies_["all"].push_back(i);
    }
    for (std::size_t k = 0; k < scenery.size(); ++k) {
      const int body = static_cast<int>(model.links.size() + k);
      bodies_[scenery[k].name].push_back(body);
      bodies_["all"].push_back(body);
    }
  }
  std::size_t count() const { return count_; }

  const std::vector<int>& find(const Value& node) {
    const std::string word = read_text(node);
    idle_groups_.erase(word);
    const auto found = bodies_.find(word);
    if (found != bodies_.end()) return found->second;
    if (is_name_pattern(word)) {
      std::set<int> all;
      for (const auto& [name, bodies] : bodies_)
        if (name != "all" && name_matches(word, name)) all.insert(bodies.begin(), bodies.end());
      if (!all.empty()) return bodies_[word] = {all.begin(), all.end()};
    }
    std::vector<std::string> words;
    for (const auto& [name, unused] : bodies_) words.push_back(name);
    refuse(node.at, fmt::format("found the unknown name {};{} expected a link, a figure, scenery, a group or all",
                                found_text(word), did_you_mean(word, words)));
  }
  std::vector<int> find_all(const Value& node) {
    if (node.kind != Value::Kind::list) return find(node);
    std::set<int> all;
    for (const ValuePtr& item : node.items) all.insert(find(*item).begin(), find(*item).end());
    if (all.empty()) refuse_value(node, "at least one name");
    return {all.begin(), all.end()};
  }
  void add_group(const ValueEntry& entry) {
    check_name(entry, "group");
    if (bodies_.contains(entry.key))
      refuse(entry.key_at,
             fmt::format("found the group '{}', which is the name of a figure, a link, scenery or another "
                         "group; expected another name",
                         printable(entry.key)));
    std::vector<int> members = find_all(*entry.value);
    bodies_[entry.key] = std::move(members);
    idle_groups_.emplace(entry.key, entry.key_at);
  }
  // When all of `collide` is read.
  void remark_on_idle_groups() const {
    for (const auto& [name, at] : idle_groups_)
      remark(at, fmt::format("the group '{}' has no effect: nothing in 'collide' names it", printable(name)));
  }

 private:
  std::size_t count_;
  std::map<std::string, std::vector<int>> bodies_;
  std::map<std::string, Place> idle_groups_;
};

struct NamedPair {
  const Value *a, *b;
};
std::vector<NamedPair> read_pairs(const Value& node) {
  if (node.kind != Value::Kind::list || node.items.empty()) refuse_value(node, "pairs of names: [[ball, floor], …]");
  std::vector<NamedPair> pairs;
  for (const ValuePtr& item : node.items) {
    if (item->kind != Value::Kind::list || item->items.size() != 2) refuse_value(*item, "two names: [ball, floor]");
    pairs.push_back({item->items[0].get(), item->items[1].get()});
  }
  return pairs;
}

// Each name is a group of its own, with a bit.
class RuleMaker {
 public:
  RuleMaker(BodyNames& names, const Model& model) : names_(names), model_(model) { rule_.bodies.resize(names.count()); }

  void all() { rule_ = everybody_may_touch(names_.count()); }
  void pair(const NamedPair& p) {
    remark_on_idle(p);
    const std::uint32_t a = bit_of(*p.a), b = bit_of(*p.b);
    for (const int body : names_.find(*p.a)) at(body).meets |= b;
    for (const int body : names_.find(*p.b)) at(body).meets |= a;
  }
  void except(const NamedPair& p) {
    constexpr std::size_t most = 1'000'000;
    const std::vector<int>&as = names_.find(*p.a), &bs = names_.find(*p.b);
    if (rule_.except.size() + as.size() * bs.size() > most)
      refuse(p.a->at,
             fmt::format("found {} × {} pairs to leave out; expected at most {} in all", as.size(), bs.size(), most));
    bool any = false;
    for (const int a : as)
      for (const int b : bs) {
        any = any || may_touch(a, b);
        rule_.except.emplace_back(a, b);
      }
    if (!any) remark(p.a->at, "this exception has no effect: without it, they may not touch either");
    left_out_.insert(rule_.except.end() - static_cast<std::ptrdiff_t>(as.size() * bs.size()), rule_.except.end());
  }
  void sensor(int body) { at(body).sensor = true; }
  void self(const std::string& figure) { rule_.self.push_back(figure); }
  bool said_of_idle() const { return said_; }
  // Whether any two of not too many bodies may; joints and constraints, which keep some apart, are not looked at.
  bool any_may_touch() const {
    constexpr int most = 1000;
    const int count = static_cast<int>(names_.count());
    if (count > most) return true;
    for (int a = 1; a < count; ++a)
      for (int b = a + 1; b < count; ++b)
        if (may_touch(a, b)) return true;
    return false;
  }
  CollideRule take() { return std::move(rule_); }

 private:
  // The figures of some bodies; "" for scenery.
  std::set<std::string> figures_in(const std::vector<int>& bodies) const {
    std::set<std::string> figures;
    for (const int body : bodies) figures.insert(figure_of(body));
    return figures;
  }
  std::string figure_of(int body) const {
    const auto i = static_cast<std::size_t>(body);
    return i < model_.names.size() ? model_.names[i].substr(0, model_.names[i].find('.')) : "";
  }
  // By what is read so far.
  bool may_touch(int a, int b) const {
    const std::string of_a = figure_of(a), of_b = figure_of(b);
    if (a == b || left_out_.contains({a, b}) || left_out_.contains({b, a})) return false;
    if (of_a == of_b && std::ranges::find(rule_.self, of_a) == rule_.self.end())
      return false;  // scenery is of none: ""
    const CollideRule::Body &p = rule_.bodies[static_cast<std::size_t>(a)],
                            &q = rule_.bodies[static_cast<std::size_t>(b)];
    return (p.groups & q.meets) != 0 || (q.groups & p.meets) != 0;
  }
  // Of one figure alone, or of scenery alone.
  void remark_on_idle(const NamedPair& p) {
    const std::set<std::string> as = figures_in(names_.find(*p.a)), bs = figures_in(names_.find(*p.b));
    if (as.size() > 1 || as != bs) return;
    const std::string& figure = *as.begin();
    if (std::ranges::find(rule_.self, figure) != rule_.self.end()) return;
    said_ = true;
    remark(p.a->at, figure.empty() ? "this pair has no effect: scenery never moves"
                                   : fmt::format("this pair has no effect: links of '{}' touch each other only if "
                                                 "collide: {{self: {}}} says so",
                                                 figure, figure));
  }
  CollideRule::Body& at(int body) { return rule_.bodies[static_cast<std::size_t>(body)]; }
  std::uint32_t bit_of(const Value& node) {
    const std::string word = read_text(node);
    const auto [known, is_new] = bits_.try_emplace(word, bits_.size());
    if (known->second >= most_collide_groups)
      refuse(node.at, fmt::format("found more than {} different names in pairs; expected groups of what touches alike",
                                  most_collide_groups));
    const std::uint32_t bit = std::uint32_t{1} << known->second;
    if (is_new)
      for (const int body : names_.find(node)) at(body).groups |= bit;
    return bit;
  }
  BodyNames& names_;
  const Model& model_;
  std::map<std::string, std::size_t> bits_;
  std::set<std::pair<int, int>> left_out_;
  bool said_ = false;  // that a pair has no effect
  CollideRule rule_;
};

CollideRule checked(RuleMaker& rule, const Value& node) {
  if (!rule.said_of_idle() && !rule.any_may_touch())
    remark(node.at, "'collide' has no effect: it lets no two bodies touch, of which one at least moves");
  return rule.take();
}

void read_self(const Value& node, const Model& model, RuleMaker& rule) {
  const std::set<std::string> figures = figures_of(model);
  const auto add = [&](const Value& item) {
    const std::string word = read_text(item);
    if (word == "all") {
      for (const std::string& figure : figures) rule.self(figure);
    } else if (figures.contains(word)) {
      rule.self(word);
    } else {
      refuse(item.at, fmt::format("found the unknown figure {};{} expected the name of a figure, or all",
                                  found_text(word), did_you_mean(word, {figures.begin(), figures.end()})));
    }
  };
  if (node.kind != Value::Kind::list) return add(node);
  for (const ValuePtr& item : node.items) add(*item);
}

void read_groups(const Value& node, BodyNames& names) {
  if (node.kind != Value::Kind::map) refuse_value(node, "groups by name: {hands: [figure.left, figure.right]}");
  for (const ValueEntry& entry : node.entries) names.add_group(entry);
}

}  // namespace

std::vector<SceneryPiece> read_scenery(const Value* node, const Model& model, SolidReader& solids) {
  std::vector<SceneryPiece> scenery;
  if (!node) return scenery;
  if (node->kind != Value::Kind::map || node->entries.empty())
    refuse_value(*node, "scenery by name: {floor: {plane: 0}}");
  const std::set<std::string> figures = figures_of(model);
  for (const ValueEntry& entry : node->entries) {
    check_name(entry, "piece of scenery");
    if (entry.key == "all" || figures.contains(entry.key))
      refuse(entry.key_at, fmt::format("found scenery called '{}', {}; expected another name", entry.key,
                                       entry.key == "all" ? "which means everything" : "as a figure is"));
    scenery.push_back(read_piece(entry, solids));
  }
  return scenery;
}

std::optional<CollideRule> read_collide(const Value* node, const Model& model,
                                        const std::vector<SceneryPiece>& scenery) {
  if (!node) return {};
  BodyNames names(model, scenery);
  if (node->kind == Value::Kind::scalar) {
    if (read_text(*node) != "all")
      refuse_value(*node,
                   "all, pairs of names ([[ball, floor], …]), or a map with pairs, groups, except, self, sensors");
    RuleMaker rule(names, model);
    rule.all();
    return checked(rule, *node);
  }
  if (node->kind == Value::Kind::list) {
    RuleMaker rule(names, model);
    for (const NamedPair& p : read_pairs(*node)) rule.pair(p);
    return checked(rule, *node);
  }
  MapReader map(*node, key_table("collide"));
  if (const Value* groups = map.get("groups")) read_groups(*groups, names);
  RuleMaker rule(names, model);
  const Value* pairs = map.get("pairs");
  if (!pairs) rule.all();
  if (const Value* self = map.get("self")) read_self(*self, model, rule);
  if (pairs)
    for (const NamedPair& p : read_pairs(*pairs)) rule.pair(p);
  if (const Value* except = map.get("except"))
    for (const NamedPair& p : read_pairs(*except)) rule.except(p);
  if (const Value* sensors = map.get("sensors"))
    for (const int body : names.find_all(*sensors)) rule.sensor(body);
  names.remark_on_idle_groups();
  return checked(rule, *node);
}

}  // namespace marey
