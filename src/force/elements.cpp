// Elements of any kind: every call is passed to the kind's own descriptor (src/force/kinds).
#include "force/descriptor.h"
#include "marey/source.h"

namespace marey {

const char* word_of(const Element& e) { return e.kind.law().word(); }
Nature nature_of(const Element& e) { return e.kind.law().nature(e.kind); }
std::string refusal(const Model& model, const Element& e) { return e.kind.law().refusal(model, e.kind); }
double delay_of(const Element& e) { return e.kind.law().delay(e.kind); }
bool acts_in_joint(const Element& e) { return e.kind.law().acts_in_joint(); }
JointSlope slope_in_joint(const Element& e, std::span<const double> modes) {
  return e.kind.law().slope_in_joint(e.kind, modes);
}
bool stiffness_in_joint(const Element& e, const Instant<double>& at, std::span<const double> modes,
                        JointStiffness& out) {
  return e.kind.law().stiffness_in_joint(e.kind, at, modes, out);
}
double fastest_switch(const Element& e, const Instant<double>& end, std::span<const double> v_start, double h) {
  return e.kind.law().fastest_switch(e.kind, end, v_start, h);
}
int link_of(const Element& e) { return e.kind.law().link(e.kind); }
std::shared_ptr<const Source> source_of(const Element& e) { return e.kind.law().source(e); }

// ---- laws
template <class T>
void evaluate(const Element& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
  sum.begin_element();
  e.kind.law().act(e.kind, at, modes, sum);
}
template <class T>
T potential(const Element& e, const Instant<T>& at) {
  return e.kind.law().energy(e.kind, at);
}
template <class T>
T potential_rate(const Element& e, const Instant<T>& at) {
  return e.kind.law().energy_rate(e.kind, at);
}

#define MAREY_INSTANTIATE(T)                                                                        \
  template void evaluate(const Element&, const Instant<T>&, std::span<const double>, ForceSum<T>&); \
  template T potential(const Element&, const Instant<T>&);                                          \
  template T potential_rate(const Element&, const Instant<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

// ---- switches
bool switches_at_corners_alone(const Element& e) { return e.kind.law().switches_at_corners_alone(); }
int mode_count(const Element& e) { return e.kind.law().mode_count(e.kind); }
void start_modes(const Element& e, const Instant<double>& at, bool smooth, std::span<double> modes) {
  e.kind.law().start_modes(e.kind, at, smooth, modes);
}
double next_instant(const Element& e, double t, std::span<const double> modes) {
  return e.kind.law().next_instant(e.kind, t, modes);
}
int switch_count(const Element& e) { return e.kind.law().switch_count(e.kind); }
void switch_values(const Element& e, const Instant<double>& at, std::span<const double> modes,
                   std::span<double> values) {
  e.kind.law().switch_values(e.kind, at, modes, values);
}
void switch_modes(const Element& e, const Instant<double>& at, int which, std::span<double> modes) {
  e.kind.law().switch_modes(e.kind, at, which, modes);
}

// ---- numbers that may be changed
// What would require its modes, the past or the ledger's layout to be set up again (links, schedules, delays, tables,
// formulas) is not among them.
std::vector<std::string> numbers_of(const Element& e) {
  ElementKind copy = e.kind;
  std::vector<std::string> names;
  for (const Numbers::Number& n : copy.law().numbers(copy).all) names.push_back(n.name);
  return names;
}
double number_of(const Element& e, std::size_t which) {
  ElementKind copy = e.kind;
  const Numbers numbers = copy.law().numbers(copy);
  const std::vector<double*>& places = numbers.all.at(which).places;
  return places.empty() ? 0 : *places.front();
}
void set_number(Element& e, std::size_t which, double value) {
  const Numbers numbers = e.kind.law().numbers(e.kind);
  for (double* x : numbers.all.at(which).places) *x = value;
}

}  // namespace marey
