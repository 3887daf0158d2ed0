#include "scene/recorded.h"

#include <fmt/core.h>

#include "marey/core/index.h"
#include "marey/force/link_names.h"
#include "marey/scene/keys.h"
#include "marey/sim/compare.h"
#include "marey/spec/values.h"

namespace marey {

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
