// How elements between links resist, as they tell the adviser (adviser_rows.h).
#include "force/descriptor.h"

namespace marey {

struct StiffRows::Scratch {
  std::vector<AdviserRow> springs, dampers;
};

StiffRows::StiffRows() : scratch_(std::make_unique<Scratch>()) {}
StiffRows::~StiffRows() = default;

std::span<const StiffRow> StiffRows::of(std::span<const Element> elements, const Instant<double>& now) {
  rows_.clear();
  AdviserRows told{now, std::move(scratch_->springs), std::move(scratch_->dampers)};
  told.springs.clear(), told.dampers.clear();
  for (const Element& e : elements)
    if (const ElementLaw& law = e.kind.law(); !law.acts_in_joint()) law.stiffness(e.kind, told);
  const auto add = [&](const AdviserRow& r, double stiffness, double damping) {
    if (!r.through_joint) rows_.push_back({r.link, r.other, r.a, r.b, r.a_other, r.b_other, stiffness, damping});
  };
  for (const AdviserRow& r : told.springs) add(r, r.k, 0);
  for (const AdviserRow& r : told.dampers) add(r, 0, r.k);
  scratch_->springs = std::move(told.springs), scratch_->dampers = std::move(told.dampers);
  return rows_;
}

}  // namespace marey
