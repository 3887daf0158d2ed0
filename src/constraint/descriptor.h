// What a kind of constraint is: everything that the engine asks of it, in one struct of its own file (src/constraint/kinds).
//
//   template <>
//   struct ConstraintDescriptor<FixedDistance> {
//     static constexpr const char* word = "rod";
//     static int row_count(const FixedDistance&);
//     static void rows(const FixedDistance&, const Ends&, std::span<ConstraintRow>);   // or with (…, const Constraint&,
//                                                                                     // const Instant<double>&, …)
//     static std::string refusal(const Model&, const FixedDistance&);                 // its links are looked at already
//     static void take_as_is(FixedDistance&, Constraint&, const Instant<double>&);    // or `static constexpr
//                                                                                     // NothingToTake take_as_is{}`
//   };
//   MAREY_CONSTRAINT(FixedDistance)
//
// Rows act on the links a and b alone, or in joints (acts_in_joints), which for_each_joint() then names by their links. What they
// are multiplied by, J, depends on time and place, and not on velocities.
//
// take_as_is(): of a constraint that is made on the way, what it takes over so that it holds there; numbers of its own that
// this changes are named by made(), since checkpoints keep them. One with functions of time has for_each_function().
#pragma once

#include <array>
#include <functional>
#include <string>

#include "constraint/ends.h"
#include "marey/constraint.h"

namespace marey {

// Made on the way, it holds as it is given.
struct NothingToTake {};

template <class K>
struct ConstraintDescriptor;

// The same behind one interface; values are of the kind it describes.
class ConstraintLaw {
 public:
  virtual ~ConstraintLaw() = default;
  virtual const char* word() const = 0;
  virtual bool acts_in_joints() const = 0;
  virtual int row_count(const ConstraintKind&) const = 0;
  virtual void rows(const Constraint&, const Instant<double>&, std::span<ConstraintRow>) const = 0;
  virtual std::string refusal(const Model&, const Constraint&) const = 0;
  virtual void take_as_is(Constraint&, const Instant<double>&) const = 0;
  virtual std::array<double*, 2> made(ConstraintKind&) const = 0;
  virtual void for_each_joint(const ConstraintKind&, const std::function<void(int link)>&) const = 0;
  using UseFunction = std::function<void(const TimeFunction&)>;
  virtual void for_each_function(const ConstraintKind&, const UseFunction&) const = 0;
};

template <class K>
class DescribedConstraint final : public ConstraintLaw {
  using D = ConstraintDescriptor<K>;
  static const K& of(const ConstraintKind& kind) { return *kind.get_if<K>(); }
  static constexpr bool takes = requires(K & k, Constraint& c, const Instant<double>& now) {
    D::take_as_is(k, c, now);
  };
  static constexpr bool by_ends = requires(const K& k, const Ends& e, std::span<ConstraintRow> rows) {
    D::rows(k, e, rows);
  };
  static constexpr bool in_joints = requires { D::acts_in_joints; };
  static_assert(
      in_joints == requires(const K& k, const std::function<void(int)>& use) { D::for_each_joint(k, use); },
      "a kind that acts in joints names them: for_each_joint()");
  static_assert(
      takes || requires { NothingToTake(D::take_as_is); },
      "a kind says what it takes over when it is made on the way: take_as_is(), or NothingToTake");

 public:
  const char* word() const override { return D::word; }
  bool acts_in_joints() const override {
    return requires { D::acts_in_joints; };
  }
  int row_count(const ConstraintKind& kind) const override { return D::row_count(of(kind)); }
  void rows(const Constraint& c, const Instant<double>& now, std::span<ConstraintRow> rows) const override {
    if constexpr (by_ends)
      D::rows(of(c.kind), ends_of(c, now), rows);
    else
      D::rows(of(c.kind), c, now, rows);
  }
  std::string refusal(const Model& model, const Constraint& c) const override {
    if constexpr (!in_joints)
      if (std::string why = refusal_of_ends(model, c); !why.empty()) return why;
    return D::refusal(model, of(c.kind));
  }
  void take_as_is([[maybe_unused]] Constraint& c, [[maybe_unused]] const Instant<double>& now) const override {
    if constexpr (takes) D::take_as_is(*c.kind.get_if<K>(), c, now);
  }
  std::array<double*, 2> made([[maybe_unused]] ConstraintKind& kind) const override {
    if constexpr (requires(K & k) { D::made(k); })
      return D::made(*kind.get_if<K>());
    else
      return {nullptr, nullptr};
  }
  void for_each_joint([[maybe_unused]] const ConstraintKind& kind,
                      [[maybe_unused]] const std::function<void(int link)>& use) const override {
    if constexpr (in_joints) D::for_each_joint(of(kind), use);
  }
  void for_each_function([[maybe_unused]] const ConstraintKind& kind,
                         [[maybe_unused]] const UseFunction& use) const override {
    if constexpr (requires(const K& k) { D::for_each_function(k, use); }) D::for_each_function(of(kind), use);
  }
};

// After the kind's ConstraintDescriptor.
#define MAREY_CONSTRAINT(Kind)                        \
  const ConstraintLaw& law_of(const Kind*) {          \
    static const DescribedConstraint<Kind> described; \
    return described;                                 \
  }

}  // namespace marey
