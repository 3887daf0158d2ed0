// Expr: a scalar that remembers how it was computed. Running an algorithm on Expr records its formula, which can then be
// evaluated, and its operations counted.
//
//   ExprGraph graph;
//   ExprScope scope(graph);  // expressions made in this thread go into `graph` while it lives
//   Expr x = Expr::variable("x"), y = x * x + 1.0;
//   evaluate(graph, std::array{y}, std::array{3.0})[0];  // 10
//
// A graph is an arena of nodes, each after its arguments. Equal expressions are one node. A constant lives in the handle
// itself and enters a graph only as an argument, so constants (and the default, zero) need no scope and no graph.
//
// Simplified while recording: constants among themselves; x + 0, x - 0, 0 - x, x - x; 0 x, 1 x, -1 x; 0 / x, x / 1,
// x / -1; -(-x), x + (-y), x - (-y); and a select whose mask is known or whose branches are equal. Those with 0 x, 0 / x
// and x - x hold for finite x only.
//
// Using an expression with variables without a scope, or in the scope of another graph, throws std::logic_error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "marey/scalar/traits.h"

namespace marey {

// clang-format off
enum class ExprOp : std::uint8_t {
  constant, variable,                                      // leaves
  add, sub, mul, div, neg,                                 // arithmetic
  sqrt, sin, cos, atan2, exp, log, abs, min, max,          // functions
  less, less_equal, logical_and, logical_or, logical_not,  // masks
  select,
};
// clang-format on

class Expr;
class ExprMask;

struct ExprNode {
  ExprOp op = ExprOp::constant;
  std::int32_t arg[3] = {-1, -1,
                         -1};  // nodes, all before this one; of a variable: arg[0] is its place among the inputs
  double value = 0.0;          // of a constant (a mask: 0 or 1)
};

class ExprGraph {
 public:
  ExprGraph();
  ~ExprGraph();
  ExprGraph(const ExprGraph&) = delete;
  ExprGraph& operator=(const ExprGraph&) = delete;

  Expr variable(const char* name);  // the same name is the same variable

  int n_nodes() const;
  const ExprNode& node(int i) const;
  int n_variables() const;
  const char* variable_name(int i) const;  // in the order they were made, which is the order of the inputs

  // The node of an expression or mask; of a constant, the node it would be, or -1 if the graph has none such.
  int index_of(const Expr& x) const;

 private:
  friend struct ExprRecorder;
  struct Store;
  Store* store_;
};

// The graph this thread records into, for as long as the scope lives; scopes nest.
class ExprScope {
 public:
  explicit ExprScope(ExprGraph& graph);
  ~ExprScope();
  ExprScope(const ExprScope&) = delete;
  ExprScope& operator=(const ExprScope&) = delete;

 private:
  ExprGraph* previous_;
};

// A yes or no that is not known yet: it has no conversion to bool.
class ExprMask {
 public:
  ExprMask() = default;                             // false
  ExprMask(bool constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)

  friend ExprMask operator&(const ExprMask& a, const ExprMask& b);
  friend ExprMask operator|(const ExprMask& a, const ExprMask& b);
  friend ExprMask operator!(const ExprMask& a);
  friend Expr select(const ExprMask& mask, const Expr& a, const Expr& b);

 private:
  friend struct ExprRecorder;
  std::int32_t node_ = -1;  // -1: a constant
  std::uint32_t graph_ = 0;
  bool constant_ = false;
};

class Expr {
 public:
  using Mask = ExprMask;

  Expr() = default;  // zero
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor)
  requires std::is_arithmetic_v<U> Expr(U constant) : constant_(static_cast<double>(constant)) {}

  static Expr variable(const char* name);  // in the graph of the current scope

  bool is_constant() const { return node_ < 0; }
  double constant() const { return constant_; }         // its value, if is_constant()
  friend bool identical(const Expr& a, const Expr& b);  // the same node, or the same constant

  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }
  Expr& operator/=(const Expr& b) { return *this = *this / b; }

  friend Expr operator+(const Expr& a) { return a; }
  friend Expr operator-(const Expr& a);
  friend Expr operator+(const Expr& a, const Expr& b);
  friend Expr operator-(const Expr& a, const Expr& b);
  friend Expr operator*(const Expr& a, const Expr& b);
  friend Expr operator/(const Expr& a, const Expr& b);

  friend ExprMask operator<(const Expr& a, const Expr& b);
  friend ExprMask operator<=(const Expr& a, const Expr& b);
  friend ExprMask operator>(const Expr& a, const Expr& b) { return b < a; }
  friend ExprMask operator>=(const Expr& a, const Expr& b) { return b <= a; }

  friend Expr select(const ExprMask& mask, const Expr& a, const Expr& b);
  friend Expr min(const Expr& a, const Expr& b);
  friend Expr max(const Expr& a, const Expr& b);
  friend Expr abs(const Expr& a);
  friend Expr sqrt(const Expr& a);
  friend Expr sin(const Expr& a);
  friend Expr cos(const Expr& a);
  friend Expr exp(const Expr& a);
  friend Expr log(const Expr& a);
  friend Expr atan2(const Expr& y, const Expr& x);
  friend void sincos(const Expr& a, Expr& s, Expr& c) {
    const Expr angle = a;  // s or c may be a itself
    s = sin(angle);
    c = cos(angle);
  }

  // NaN for an expression with variables in it; lane: the same.
  friend double value_of(const Expr& a) { return a.is_constant() ? a.constant_ : __builtin_nan(""); }
  friend double lane(const Expr& a, int) { return value_of(a); }
  friend bool all_finite(const Expr& a) { return !a.is_constant() || isfinite(a.constant_); }

 private:
  friend struct ExprRecorder;
  std::int32_t node_ = -1;  // -1: a constant
  std::uint32_t graph_ = 0;
  double constant_ = 0.0;
};

template <>
struct ScalarTraits<Expr> {
  using Mask = ExprMask;
  using Real = double;
  static constexpr int lanes = 1;
};

// The outputs for one set of inputs, given in the order of the variables: one sweep over the nodes.
std::vector<double> evaluate(const ExprGraph& graph, std::span<const Expr> outputs, std::span<const double> inputs);

struct OperationCounts {
  int add = 0;  // additions and subtractions
  int mul = 0;
  int div = 0;
  int negate = 0;
  int sqrt = 0;
  int transcendental = 0;  // sin, cos, atan2, exp, log
  int abs_min_max = 0;
  int compare = 0;
  int logic = 0;
  int select = 0;

  int total() const {
    return add + mul + div + negate + sqrt + transcendental + abs_min_max + compare + logic + select;
  }
};

// Over the nodes the outputs depend on, each counted once.
OperationCounts count_operations(const ExprGraph& graph, std::span<const Expr> outputs);

}  // namespace marey
