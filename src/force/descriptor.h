// What a kind of element is: everything that the engine asks of it, in one struct of its own file (src/force/kinds).
//
//   template <>
//   struct Descriptor<Drag> {
//     static constexpr const char* word = "drag";               // what messages call it
//     static constexpr Nature nature = Nature::passive;         // or nature(const Drag&), where it depends
//     template <class T>
//     static void act(const Drag&, const Instant<T>&, std::span<const double> modes, ForceSum<T>&);
//     static std::string refusal(const Model&, const Drag&);    // members `link` and `links` are already checked
//     static void stiffness(const Drag&, AdviserRows&);         // or `static constexpr NoStiffness stiffness{}`
//     static void numbers(Drag&, Numbers&);                     // what may be changed while it acts
//   };
//   MAREY_ELEMENT(Drag)
//
// A kind with a potential has energy(), and energy_rate() if its own parameters change; one that switches has
// mode_count(), start_modes(), next_instant(), switch_count(), switch_values() and switch_modes(); one that looks back
// has delay(); one that acts in a joint may say by slope_in_joint() that it depends on less than all of it. One that has states of
// its own, which are integrated along, has source(const Element&), a Source (marey/source.h) that does all of this in a run; act() is then
// what it does with all its states 0. The compiler refuses what is inconsistent: a conservative kind without energy(), modes without switches.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "force/adviser_rows.h"
#include "force/refusals.h"
#include "marey/core/index.h"
#include "marey/force.h"
#include "marey/force/joint_slope.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {

// Mutants are compiled for double only, and linked with layers that are not: the interface has to be the same.
#if defined(MAREY_ONLY_DOUBLE)
#define MAREY_LEFT_OUT(X) X(float) X(Dual1) X(PackF16) X(PackD8) X(Expr)
#else
#define MAREY_LEFT_OUT(X)
#endif

// It makes nothing swing or decay that the adviser would have to know about.
struct NoStiffness {};

// Numbers of an element by name, each in one or several places.
struct Numbers {
  struct Number {
    std::string name;
    std::vector<double*> places;
  };
  std::vector<Number> all;

  void add(const char* name, double& x) { all.push_back({name, {&x}}); }
  void add(const std::string& name, Vec3<double>& v) {
    all.push_back({name + "/x", {&v.x}});
    all.push_back({name + "/y", {&v.y}});
    all.push_back({name + "/z", {&v.z}});
  }
  // The same number of every member of a net.
  template <class Members, class Member>
  void add_every(const char* name, Members& members, double Member::*number) {
    Number& n = all.emplace_back();
    n.name = name;
    for (Member& m : members) n.places.push_back(&(m.*number));
  }
};

template <class K>
struct Descriptor;

class Source;

// The same behind one interface; values are of the kind it describes.
class ElementLaw {
 public:
  virtual ~ElementLaw() = default;

  virtual const char* word() const = 0;
  virtual Nature nature(const ElementKind&) const = 0;
  virtual std::string refusal(const Model&, const ElementKind&) const = 0;
  virtual double delay(const ElementKind&) const = 0;
  virtual bool acts_in_joint() const = 0;  // only in that link's joint
  virtual JointSlope slope_in_joint(const ElementKind&, std::span<const double> modes) const = 0;
  virtual bool stiffness_in_joint(const ElementKind&, const Instant<double>&, std::span<const double> modes,
                                  JointStiffness&) const = 0;
  virtual int link(const ElementKind&) const = 0;  // that it acts on, or in whose joint; 0 for none or several
  virtual std::shared_ptr<const Source> source(const Element&) const = 0;  // where it has states; null: none

  // ---- laws
#define MAREY_LAWS(T)                                                                                             \
  virtual void act(const ElementKind&, const Instant<T>&, std::span<const double> modes, ForceSum<T>&) const = 0; \
  virtual T energy(const ElementKind&, const Instant<T>&) const = 0;                                              \
  virtual T energy_rate(const ElementKind&, const Instant<T>&) const = 0;
  MAREY_FOR_EACH_SCALAR(MAREY_LAWS)
  MAREY_LEFT_OUT(MAREY_LAWS)
#undef MAREY_LAWS

  // ---- switches
  virtual bool switches_at_corners_alone() const = 0;
  virtual int mode_count(const ElementKind&) const = 0;
  virtual void start_modes(const ElementKind&, const Instant<double>&, bool smooth, std::span<double> modes) const = 0;
  virtual double next_instant(const ElementKind&, double t, std::span<const double> modes) const = 0;
  virtual int switch_count(const ElementKind&) const = 0;
  virtual void switch_values(const ElementKind&, const Instant<double>&, std::span<const double> modes,
                             std::span<double> values) const = 0;
  virtual void switch_modes(const ElementKind&, const Instant<double>&, int which, std::span<double> modes) const = 0;
  virtual double fastest_switch(const ElementKind&, const Instant<double>& end, std::span<const double> v_start,
                                double h) const = 0;

  // ---- the adviser, and what may be changed
  virtual void stiffness(const ElementKind&, AdviserRows&) const = 0;
  virtual bool holds_up(const ElementKind&) const = 0;  // its link, against gravity
  virtual std::string describe(const Model&, const Element&) const = 0;
  virtual Numbers numbers(ElementKind&) const = 0;
};

// ---- the interface, made from the struct
template <class K>
class Described final : public ElementLaw {
  using D = Descriptor<K>;
  static const K& of(const ElementKind& kind) { return *kind.get_if<K>(); }

  static constexpr bool nature_depends = requires(const K& e) { D::nature(e); };
  static constexpr bool has_energy = requires(const K& e, const Instant<double>& at) { D::energy(e, at); };
  static constexpr bool has_energy_rate = requires(const K& e, const Instant<double>& at) { D::energy_rate(e, at); };
  static constexpr bool has_modes = requires { &D::mode_count; };
  static constexpr bool is_stiff = requires(const K& e, AdviserRows& rows) { D::stiffness(e, rows); };

  static constexpr bool potential_fits() {
    if constexpr (nature_depends)
      return true;
    else
      return has_energy == (D::nature == Nature::conservative);
  }
  static_assert(potential_fits(), "a conservative kind has an energy(), and no other has");
  static_assert(has_energy || !has_energy_rate, "an energy_rate() goes with an energy()");
  static_assert(has_modes || !(
                                 requires { &D::start_modes; } || requires { &D::next_instant; } ||
                                 requires { &D::switch_count; } || requires { &D::switch_values; } ||
                                 requires { &D::switch_modes; }),
                "a kind that switches has a mode_count()");
  static_assert(
      is_stiff || requires { NoStiffness(D::stiffness); },
      "a kind says what it does to the shortest period: stiffness(), or that it does nothing: NoStiffness");

 public:
  const char* word() const override { return D::word; }
  Nature nature(const ElementKind& kind) const override {
    if constexpr (nature_depends)
      return D::nature(of(kind));
    else
      return D::nature;
  }
  std::string refusal(const Model& model, const ElementKind& kind) const override {
    const K& e = of(kind);
    if constexpr (requires { e.link; })
      if (std::string reason = refusal_of_link(model, e.link); !reason.empty()) return reason;
    if constexpr (requires { e.links; })
      if (std::string reason = refusal_of_links(model, e.links, true); !reason.empty()) return reason;
    return D::refusal(model, e);
  }
  double delay(const ElementKind& kind) const override {
    if constexpr (requires(const K& e) { D::delay(e); })
      return D::delay(of(kind));
    else
      return 0;
  }
  bool acts_in_joint() const override {
    return requires { D::acts_in_joint; };
  }
  JointSlope slope_in_joint([[maybe_unused]] const ElementKind& kind,
                            [[maybe_unused]] std::span<const double> modes) const override {
    if constexpr (requires(const K& e) { D::slope_in_joint(e, modes); })
      return D::slope_in_joint(of(kind), modes);
    else
      return {acts_in_joint() ? JointSlope::Kind::of_both : JointSlope::Kind::none};
  }
  bool stiffness_in_joint([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<double>& at,
                          [[maybe_unused]] std::span<const double> modes,
                          [[maybe_unused]] JointStiffness& out) const override {
    if constexpr (requires(const K& e) { D::stiffness_in_joint(e, at, modes, out); })
      return D::stiffness_in_joint(of(kind), at, modes, out);
    else
      return false;
  }
  double fastest_switch([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<double>& end,
                        [[maybe_unused]] std::span<const double> v_start, [[maybe_unused]] double h) const override {
    if constexpr (requires(const K& e) { D::fastest_switch(e, end, v_start, h); })
      return D::fastest_switch(of(kind), end, v_start, h);
    else
      return forever;
  }
  int link(const ElementKind& kind) const override {
    const K& e = of(kind);
    if constexpr (requires { e.link; })
      return e.link;
    else
      return 0;
  }

  std::shared_ptr<const Source> source([[maybe_unused]] const Element& e) const override {
    if constexpr (requires { D::source(e); })
      return D::source(e);
    else
      return nullptr;
  }

#define MAREY_LAWS(T)                                                                                             \
  void act(const ElementKind& kind, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum)        \
      const override {                                                                                            \
    D::act(of(kind), at, modes, sum);                                                                             \
  }                                                                                                               \
  T energy([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<T>& at) const override {      \
    if constexpr (has_energy)                                                                                     \
      return D::energy(of(kind), at);                                                                             \
    else                                                                                                          \
      return T(0);                                                                                                \
  }                                                                                                               \
  T energy_rate([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<T>& at) const override { \
    if constexpr (has_energy_rate)                                                                                \
      return D::energy_rate(of(kind), at);                                                                        \
    else                                                                                                          \
      return T(0);                                                                                                \
  }
  MAREY_FOR_EACH_SCALAR(MAREY_LAWS)
#undef MAREY_LAWS
#define MAREY_LAWS(T)                                                                                      \
  void act(const ElementKind&, const Instant<T>&, std::span<const double>, ForceSum<T>&) const override {} \
  T energy(const ElementKind&, const Instant<T>&) const override { return T(0); }                          \
  T energy_rate(const ElementKind&, const Instant<T>&) const override { return T(0); }
  MAREY_LEFT_OUT(MAREY_LAWS)
#undef MAREY_LAWS

  bool switches_at_corners_alone() const override {
    return requires { D::switches_at_corners_alone; };
  }
  int mode_count([[maybe_unused]] const ElementKind& kind) const override {
    if constexpr (has_modes)
      return D::mode_count(of(kind));
    else
      return 0;
  }
  void start_modes([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<double>& at,
                   [[maybe_unused]] bool smooth, [[maybe_unused]] std::span<double> modes) const override {
    if constexpr (has_modes) D::start_modes(of(kind), at, smooth, modes);
  }
  double next_instant([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] double t,
                      [[maybe_unused]] std::span<const double> modes) const override {
    if constexpr (has_modes)
      return D::next_instant(of(kind), t, modes);
    else
      return forever;
  }
  int switch_count([[maybe_unused]] const ElementKind& kind) const override {
    if constexpr (has_modes)
      return D::switch_count(of(kind));
    else
      return 0;
  }
  void switch_values([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<double>& at,
                     [[maybe_unused]] std::span<const double> modes,
                     [[maybe_unused]] std::span<double> values) const override {
    if constexpr (has_modes) D::switch_values(of(kind), at, modes, values);
  }
  void switch_modes([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] const Instant<double>& at,
                    [[maybe_unused]] int which, [[maybe_unused]] std::span<double> modes) const override {
    if constexpr (has_modes) D::switch_modes(of(kind), at, which, modes);
  }

  void stiffness([[maybe_unused]] const ElementKind& kind, [[maybe_unused]] AdviserRows& rows) const override {
    if constexpr (is_stiff) D::stiffness(of(kind), rows);
  }
  bool holds_up(const ElementKind&) const override {
    return requires { D::holds_up; };
  }
  std::string describe(const Model& model, const Element& element) const override {
    const std::string name = "'" + element.name + "'";
    const K& e = of(element.kind);
    if constexpr (requires { D::describe(model, e, name); })
      return D::describe(model, e, name);
    else if constexpr (requires { e.link; })
      return std::string(D::word) + " " + name + " of '" + model.names[index(e.link)] + "'";
    else
      return std::string(D::word) + " " + name;
  }
  Numbers numbers(ElementKind& kind) const override {
    Numbers numbers;
    D::numbers(*kind.get_if<K>(), numbers);
    return numbers;
  }
};

// To be used after the kind's Descriptor.
#define MAREY_ELEMENT(Kind)                 \
  const ElementLaw& law_of(const Kind*) {   \
    static const Described<Kind> described; \
    return described;                       \
  }

}  // namespace marey
