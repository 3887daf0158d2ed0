#include "scene/elements.h"

#include <fmt/core.h>

namespace marey {
namespace {

// What links specify themselves: friction of their joints, supports.
void read_links(const FiguresDraft& draft, ElementMaker& maker) {
  for (const LinkDraft& link : draft.links) {
    const int i = maker.links().at(link.spec.name);
    if (link.friction) make_joint_friction(maker, nullptr, false, i, *link.friction);
    if (!link.support) continue;
    const double g = norm(maker.model().params.gravity);
    double weight = 0;
    for (const LinkDraft& other : draft.links)
      if (other.figure == link.figure) weight += g * other.spec.inertia.m;
    make_support(*link.support, i, weight, maker);
  }
}

// What keeps the joints of humans within their ranges.
void read_limits(const FiguresDraft& draft, ElementMaker& maker) {
  for (const LinkDraft& link : draft.links)
    for (const ValuePtr& limit : link.limits) {
      Value body = *limit;
      body.entries.insert(body.entries.begin(), {"joint", body.at, std::make_shared<Value>(Value(link.spec.name))});
      Value entry = Value::map({{"free_play", body}});
      entry.at = body.at, entry.entries[0].key_at = body.at;
      torque_forms().make(entry, maker);
    }
}

void make_tissues(const FiguresDraft& draft, ElementMaker& maker) {
  for (const TissueDraft& t : draft.tissues) {
    const std::string& name = draft.links[t.link].spec.name;
    TissueSpring spring = t.spring;
    TissueDamper damper = t.damper;
    spring.link = damper.link = maker.links().at(name);
    spring.tissue = damper.tissue = maker.links().at(draft.links[t.tissue].spec.name);
    maker.add_checked(name + "/wobble", false, spring, t.at);
    maker.add_checked(name + "/wobble_damping", false, damper, t.at);
  }
}

// The springs within groups of particles; each group is one source in the ledger.
void read_springs(const FiguresDraft& draft, ElementMaker& maker) {
  for (const SpringsDraft& springs : draft.springs) {
    std::vector<SpringPair> pairs;
    for (const SpringsDraft::Pair& pair : springs.pairs)
      pairs.push_back({maker.links().at(draft.links[pair.a].spec.name), maker.links().at(draft.links[pair.b].spec.name),
                       pair.stiffness, pair.damping});
    make_springs(springs.group, pairs, springs.at, maker);
  }
}

void read_list(const Value* list, const ElementForms& forms, ElementMaker& maker) {
  if (!list) return;
  if (list->kind != Value::Kind::list)
    refuse_value(*list, fmt::format("a list of {}s, each on a '- ' line", forms.what));
  for (const ValuePtr& item : list->items) forms.make(*item, maker);
}

}  // namespace

std::vector<Element> read_elements(const FiguresDraft& draft, const Model& model, const State& start,
                                   const Value* torques, const Value* forces, const Value* frame) {
  ElementMaker maker(model, start);
  read_links(draft, maker);
  read_limits(draft, maker);
  make_tissues(draft, maker);
  read_springs(draft, maker);
  if (frame) make_frame(*frame, maker);
  read_list(torques, torque_forms(), maker);
  read_list(forces, force_forms(), maker);
  return maker.take();
}

}  // namespace marey
