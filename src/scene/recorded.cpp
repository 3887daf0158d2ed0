#include "scene/recorded.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/core/index.h"
#include "marey/force/link_names.h"
#include "marey/scene/keys.h"
#include "marey/sim/compare.h"
#include "marey/sim/touching_items.h"
#include "marey/spec/values.h"

namespace marey {

namespace {

// Bodies by their names, figures by theirs.
class TouchNames {
 public:
  explicit TouchNames(const Scene& scene) : names_(touching_list(scene).names) {
    for (std::size_t i = 1; i < scene.model.names.size(); ++i) {
      const std::string figure = names_[i].substr(0, names_[i].rfind('.'));
      if (figures_.empty() || figures_.back() != figure) figures_.push_back(figure);
    }
    std::ranges::sort(figures_);
    figures_.erase(std::ranges::unique(figures_).begin(), figures_.end());
    links_ = scene.model.names.size();
  }
  TouchSum find(const Value& node) const {
    TouchSum sum;
    sum.name = read_text(node);
    const std::size_t plus = sum.name.find('+');
    sum.a = bodies(node, sum.name.substr(0, plus));
    if (plus != std::string::npos) sum.b = bodies(node, sum.name.substr(plus + 1));
    if (plus == std::string::npos && sum.a.size() == 1)
      refuse(node.at, fmt::format("found '{0}', one body; expected a figure of several links, or two: what touches one "
                                  "body is recorded as touch/{1}/force without being asked for",
                                  sum.name, names_[index(sum.a[0])]));
    for (const int body : sum.a)
      if (std::ranges::find(sum.b, body) != sum.b.end())
        refuse(node.at, fmt::format("found '{}' with '{}' on both sides; expected two that have no body in common",
                                    sum.name, names_[index(body)]));
    return sum;
  }

 private:
  std::vector<int> bodies(const Value& node, const std::string& name) const {
    std::vector<int> found;
    for (std::size_t i = 1; i < names_.size(); ++i)
      if (names_[i] == name || (i < links_ && names_[i].substr(0, names_[i].rfind('.')) == name))
        found.push_back(static_cast<int>(i));
    if (!found.empty()) return found;
    std::vector<std::string> all = figures_;
    all.insert(all.end(), names_.begin() + 1, names_.end());
    refuse(node.at,
           fmt::format("found the unknown body '{}';{} expected a figure, figure.link, a piece of scenery or a "
                       "contact, or two of them: human-1+floor",
                       name, did_you_mean(name, all)));
  }

  std::vector<std::string> names_, figures_;
  std::size_t links_ = 0;
};

void read_touch(const Value& node, Scene& scene) {
  if (!has_touching(scene))
    refuse(node.at, "found sums of contacts of a scene in which nothing touches; expected 'collide' or 'contacts'");
  const TouchNames names(scene);
  const auto add = [&](const Value& item) {
    TouchSum sum = names.find(item);
    if (std::ranges::find(scene.record.touch, sum.name, &TouchSum::name) == scene.record.touch.end())
      scene.record.touch.push_back(std::move(sum));
  };
  if (node.kind != Value::Kind::list) return add(node);
  if (node.items.empty()) refuse_value(node, "figures or pairs of bodies, such as [human-1, human-1+floor]");
  for (const ValuePtr& item : node.items) add(*item);
}

}  // namespace

void read_recorded(const Value* node, bool recorded, Scene& scene) {
  if (!node) return;
  const auto get = [&](const char* key) -> const Value* {  // read_record() has looked at the keys
    const ValueEntry* entry = node->find(key);
    return entry ? entry->value.get() : nullptr;
  };
  const LinkNames names(scene.model);
  if (const Value* links = get("paths")) scene.record.paths = names.find_moving(*links);
  if (const Value* links = get("euler_zyz")) {
    scene.record.euler_zyz = names.find_moving(*links);
    for (const int link : scene.record.euler_zyz)
      if (scene.model.links[index(link)].joint == JointType::point && scene.model.links[index(link)].parent == 0)
        refuse(links->at, fmt::format("found the angles of '{}', which never turns; expected links that do",
                                      scene.model.names[index(link)]));
  }
  if (const Value* sums = get("touch")) read_touch(*sums, scene);
  const Value* compare = get("compare");
  if (!compare) return;
  MapReader forms(*compare, key_table("compare"));
  if (compare->entries.empty()) refuse_value(*compare, "closed forms and their links, such as throw: stone.*");
  for (const ClosedFormKind* form : closed_forms()) {
    const Value* links = forms.get(form->word);
    if (!links) continue;
    std::vector<Comparison> wanted;
    for (const int link : names.find_moving(*links)) wanted.push_back({form->word, link});
    if (const std::string why = recorded ? "" : refusal(scene, wanted); !why.empty()) refuse(links->at, "found " + why);
    scene.record.compare.insert(scene.record.compare.end(), wanted.begin(), wanted.end());
  }
}

}  // namespace marey
