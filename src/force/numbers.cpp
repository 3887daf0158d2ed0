// Numbers of elements that may be changed while they act. What would need a new start of its modes, of the past or of the
// ledger's layout (links, schedules, delays, tables, formulas) is not among them.
#include <string>

#include "marey/force.h"

namespace marey {
namespace {

struct Found {
  std::string name;
  std::vector<double*> values;  // that have this number
};

void add(std::vector<Found>& out, const std::string& name, Vec3<double>& v) {
  out.push_back({name + "/x", {&v.x}});
  out.push_back({name + "/y", {&v.y}});
  out.push_back({name + "/z", {&v.z}});
}

struct Finder {
  std::vector<Found> out;
  void one(const char* name, double& x) { out.push_back({name, {&x}}); }
  // The same number of every member of a net.
  template <class Members, class Number>
  void every(const char* name, Members& members, Number number) {
    Found& found = out.emplace_back();
    found.name = name;
    for (auto& m : members) found.values.push_back(&(m.*number));
  }

  void operator()(JointFriction& e) { one("coefficient", e.coefficient); }
  void operator()(SupportSpring& e) {
    one("stiffness", e.stiffness), one("turning_stiffness", e.turning_stiffness);
    add(out, "to", e.target_W);
  }
  void operator()(SupportDamper& e) { one("damping", e.damping), one("turning_damping", e.turning_damping); }
  void operator()(Push& e) { add(out, "force", e.force), add(out, "torque", e.torque); }
  void operator()(SpringNet& e) {
    every("stiffness", e.springs, &SpringNet::Spring::stiffness), every("rest", e.springs, &SpringNet::Spring::rest);
  }
  void operator()(DamperNet& e) { every("damping", e.dampers, &DamperNet::Damper::damping); }
  void operator()(Attraction& e) { one("strength", e.strength), one("softening", e.softening); }
  void operator()(MutualAttraction& e) { one("constant", e.constant), one("softening", e.softening); }
  void operator()(Drag& e) { one("linear", e.linear), one("quadratic", e.quadratic); }
  void operator()(Reflex& e) { one("target", e.target), one("stiffness", e.stiffness), one("damping", e.damping); }
  void operator()(FreePlay&) {}
  void operator()(Field&) {}
  void operator()(MovingFrame&) {}
};

std::vector<Found> found_in(Element& e) {
  Finder finder;
  std::visit(finder, e.kind);
  return std::move(finder.out);
}

}  // namespace

std::vector<std::string> numbers_of(const Element& element) {
  Element copy = element;
  std::vector<std::string> names;
  for (const Found& f : found_in(copy)) names.push_back(f.name);
  return names;
}

double number_of(const Element& element, std::size_t which) {
  Element copy = element;
  const std::vector<Found> all = found_in(copy);
  return all.at(which).values.empty() ? 0 : *all[which].values.front();
}

void set_number(Element& element, std::size_t which, double value) {
  const std::vector<Found> all = found_in(element);
  for (double* x : all.at(which).values) *x = value;
}

}  // namespace marey
