// The graph behind Expr: interned nodes, simplification while recording, evaluation and counting in one
// sweep.
#include "marey/scalar/expr.h"

#include <atomic>
#include <bit>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace marey {

struct ExprGraph::Store {
  std::uint32_t id = 0;  // tells the handles of one graph from those of another
  std::vector<ExprNode> nodes;
  std::vector<std::int32_t> table;  // open addressing: node or -1; its size is a power of two
  std::deque<std::string> names;    // a deque, so that variable_name stays valid
  std::unordered_map<std::string_view, std::int32_t> place_of;  // by name; the views point into `names`
};

namespace {

thread_local ExprGraph* current_graph = nullptr;

std::uint32_t next_graph_id() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

std::uint64_t mixed(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

std::uint64_t hash(const ExprNode& n) {
  std::uint64_t h = mixed(0, static_cast<std::uint64_t>(n.op));
  for (std::int32_t a : n.arg) h = mixed(h, static_cast<std::uint32_t>(a));
  return mixed(h, std::bit_cast<std::uint64_t>(n.value));
}

bool equal(const ExprNode& a, const ExprNode& b) {
  return a.op == b.op && a.arg[0] == b.arg[0] && a.arg[1] == b.arg[1] && a.arg[2] == b.arg[2] &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

// clang-format off
double apply(ExprOp op, double a, double b, double c) {
  switch (op) {
    case ExprOp::constant:
    case ExprOp::variable: break;
    case ExprOp::add: return a + b;
    case ExprOp::sub: return a - b;
    case ExprOp::mul: return a * b;
    case ExprOp::div: return a / b;
    case ExprOp::neg: return -a;
    case ExprOp::sqrt: return sqrt(a);
    case ExprOp::sin: return sin(a);
    case ExprOp::cos: return cos(a);
    case ExprOp::atan2: return atan2(a, b);
    case ExprOp::exp: return exp(a);
    case ExprOp::log: return log(a);
    case ExprOp::abs: return abs(a);
    case ExprOp::min: return min(a, b);
    case ExprOp::max: return max(a, b);
    case ExprOp::less: return a < b;
    case ExprOp::less_equal: return a <= b;
    case ExprOp::logical_and: return a != 0.0 && b != 0.0;
    case ExprOp::logical_or: return a != 0.0 || b != 0.0;
    case ExprOp::logical_not: return a == 0.0;
    case ExprOp::select: return a != 0.0 ? b : c;
  }
  throw std::logic_error("Expr: a leaf has no operation");
}
// clang-format on

bool is_commutative(ExprOp op) {
  return op == ExprOp::add || op == ExprOp::mul || op == ExprOp::logical_and || op == ExprOp::logical_or;
}

}  // namespace

// The one door between handles and nodes.
struct ExprRecorder {
  static ExprGraph::Store& current() {
    if (!current_graph) throw std::logic_error("Expr: no ExprScope is open in this thread");
    return *current_graph->store_;
  }

  static std::size_t slot(const ExprGraph::Store& s, const ExprNode& n) {
    const std::size_t wrap = s.table.size() - 1;
    std::size_t i = hash(n) & wrap;
    while (s.table[i] >= 0 && !equal(s.nodes[s.table[i]], n)) i = (i + 1) & wrap;
    return i;
  }

  static void grow(ExprGraph::Store& s) {
    s.table.assign(2 * s.table.size(), -1);
    for (std::size_t k = 0; k < s.nodes.size(); ++k) s.table[slot(s, s.nodes[k])] = static_cast<std::int32_t>(k);
  }

  static std::int32_t intern(ExprGraph::Store& s, const ExprNode& n) {
    const std::size_t i = slot(s, n);
    if (s.table[i] >= 0) return s.table[i];
    const auto index = static_cast<std::int32_t>(s.nodes.size());
    s.nodes.push_back(n);
    s.table[i] = index;
    if (2 * s.nodes.size() > s.table.size()) grow(s);
    return index;
  }

  static ExprNode constant_node(double value) {
    ExprNode n;
    n.value = value;
    return n;
  }

  template <class Handle>
  static std::int32_t argument(ExprGraph::Store& s, const Handle& x) {
    if (x.node_ < 0) return intern(s, constant_node(static_cast<double>(x.constant_)));
    if (x.graph_ != s.id) throw std::logic_error("Expr: the expression belongs to another graph");
    return x.node_;
  }

  template <class Handle>
  static bool is_constant(const Handle& x) {
    return x.node_ < 0;
  }
  static bool is(const Expr& x, double value) { return x.node_ < 0 && x.constant_ == value; }

  template <class Handle>
  static bool same(const Handle& a, const Handle& b) {
    if (a.node_ >= 0 || b.node_ >= 0) return a.node_ == b.node_ && a.graph_ == b.graph_;
    return std::bit_cast<std::uint64_t>(static_cast<double>(a.constant_)) ==
           std::bit_cast<std::uint64_t>(static_cast<double>(b.constant_));
  }

  // The node op(arguments), or its value when they are all constants.
  template <class Result, class... Handle>
  static Result record(ExprOp op, const Handle&... x) {
    Result r;
    if ((is_constant(x) && ...)) {
      double v[3] = {0.0, 0.0, 0.0};
      int k = 0;
      ((v[k++] = static_cast<double>(x.constant_)), ...);
      return Result(static_cast<decltype(r.constant_)>(apply(op, v[0], v[1], v[2])));
    }
    ExprGraph::Store& s = current();
    ExprNode n;
    n.op = op;
    int k = 0;
    ((n.arg[k++] = argument(s, x)), ...);
    if (is_commutative(op) && n.arg[0] > n.arg[1]) std::swap(n.arg[0], n.arg[1]);
    r.node_ = intern(s, n);
    r.graph_ = s.id;
    return r;
  }

  // If x is -y, then y.
  static bool negated(const Expr& x, Expr& y) {
    if (x.node_ < 0 || !current_graph) return false;
    const ExprGraph::Store& s = *current_graph->store_;
    if (x.graph_ != s.id || s.nodes[x.node_].op != ExprOp::neg) return false;
    y = x;
    y.node_ = s.nodes[x.node_].arg[0];
    return true;
  }

  static Expr variable(ExprGraph::Store& s, const char* name) {
    auto found = s.place_of.find(name);
    if (found == s.place_of.end()) {
      const auto place = static_cast<std::int32_t>(s.names.size());
      found = s.place_of.emplace(s.names.emplace_back(name), place).first;
    }
    ExprNode n;
    n.op = ExprOp::variable;
    n.arg[0] = found->second;
    Expr x;
    x.node_ = intern(s, n);
    x.graph_ = s.id;
    return x;
  }

  static std::int32_t index_in(const ExprGraph::Store& s, const Expr& x) {
    if (x.node_ < 0) return s.table[slot(s, constant_node(x.constant_))];
    if (x.graph_ != s.id) throw std::logic_error("Expr: the expression belongs to another graph");
    return x.node_;
  }
};

ExprGraph::ExprGraph() : store_(new Store) {
  store_->id = next_graph_id();
  store_->table.assign(256, -1);
}
ExprGraph::~ExprGraph() { delete store_; }
Expr ExprGraph::variable(const char* name) { return ExprRecorder::variable(*store_, name); }
int ExprGraph::n_nodes() const { return static_cast<int>(store_->nodes.size()); }
const ExprNode& ExprGraph::node(int i) const { return store_->nodes.at(i); }
int ExprGraph::n_variables() const { return static_cast<int>(store_->names.size()); }
const char* ExprGraph::variable_name(int i) const { return store_->names.at(i).c_str(); }
int ExprGraph::index_of(const Expr& x) const { return ExprRecorder::index_in(*store_, x); }

ExprScope::ExprScope(ExprGraph& graph) : previous_(std::exchange(current_graph, &graph)) {}
ExprScope::~ExprScope() { current_graph = previous_; }

Expr Expr::variable(const char* name) { return ExprRecorder::variable(ExprRecorder::current(), name); }
bool identical(const Expr& a, const Expr& b) { return ExprRecorder::same(a, b); }

Expr operator-(const Expr& a) {
  Expr inner;
  if (ExprRecorder::negated(a, inner)) return inner;
  return ExprRecorder::record<Expr>(ExprOp::neg, a);
}

Expr operator+(const Expr& a, const Expr& b) {
  if (ExprRecorder::is(a, 0.0)) return b;
  if (ExprRecorder::is(b, 0.0)) return a;
  Expr inner;
  if (ExprRecorder::negated(b, inner)) return a - inner;
  if (ExprRecorder::negated(a, inner)) return b - inner;
  return ExprRecorder::record<Expr>(ExprOp::add, a, b);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (ExprRecorder::is(b, 0.0)) return a;
  if (ExprRecorder::is(a, 0.0)) return -b;
  if (!a.is_constant() && identical(a, b)) return Expr(0.0);
  Expr inner;
  if (ExprRecorder::negated(b, inner)) return a + inner;
  return ExprRecorder::record<Expr>(ExprOp::sub, a, b);
}

Expr operator*(const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return Expr(a.constant_ * b.constant_);
  if (ExprRecorder::is(a, 0.0) || ExprRecorder::is(b, 0.0)) return Expr(0.0);
  if (ExprRecorder::is(a, 1.0)) return b;
  if (ExprRecorder::is(b, 1.0)) return a;
  if (ExprRecorder::is(a, -1.0)) return -b;
  if (ExprRecorder::is(b, -1.0)) return -a;
  return ExprRecorder::record<Expr>(ExprOp::mul, a, b);
}

Expr operator/(const Expr& a, const Expr& b) {
  if (!b.is_constant() && ExprRecorder::is(a, 0.0)) return Expr(0.0);
  if (ExprRecorder::is(b, 1.0)) return a;
  if (ExprRecorder::is(b, -1.0)) return -a;
  return ExprRecorder::record<Expr>(ExprOp::div, a, b);
}

ExprMask operator<(const Expr& a, const Expr& b) { return ExprRecorder::record<ExprMask>(ExprOp::less, a, b); }
ExprMask operator<=(const Expr& a, const Expr& b) { return ExprRecorder::record<ExprMask>(ExprOp::less_equal, a, b); }

ExprMask operator&(const ExprMask& a, const ExprMask& b) {
  if (ExprRecorder::is_constant(a)) return a.constant_ ? b : a;
  if (ExprRecorder::is_constant(b)) return b.constant_ ? a : b;
  if (ExprRecorder::same(a, b)) return a;
  return ExprRecorder::record<ExprMask>(ExprOp::logical_and, a, b);
}
ExprMask operator|(const ExprMask& a, const ExprMask& b) {
  if (ExprRecorder::is_constant(a)) return a.constant_ ? a : b;
  if (ExprRecorder::is_constant(b)) return b.constant_ ? b : a;
  if (ExprRecorder::same(a, b)) return a;
  return ExprRecorder::record<ExprMask>(ExprOp::logical_or, a, b);
}
ExprMask operator!(const ExprMask& a) { return ExprRecorder::record<ExprMask>(ExprOp::logical_not, a); }

Expr select(const ExprMask& mask, const Expr& a, const Expr& b) {
  if (ExprRecorder::is_constant(mask)) return mask.constant_ ? a : b;
  if (identical(a, b)) return a;
  return ExprRecorder::record<Expr>(ExprOp::select, mask, a, b);
}

Expr min(const Expr& a, const Expr& b) { return ExprRecorder::record<Expr>(ExprOp::min, a, b); }
Expr max(const Expr& a, const Expr& b) { return ExprRecorder::record<Expr>(ExprOp::max, a, b); }
Expr abs(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::abs, a); }
Expr sqrt(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::sqrt, a); }
Expr sin(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::sin, a); }
Expr cos(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::cos, a); }
Expr exp(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::exp, a); }
Expr log(const Expr& a) { return ExprRecorder::record<Expr>(ExprOp::log, a); }
Expr atan2(const Expr& y, const Expr& x) { return ExprRecorder::record<Expr>(ExprOp::atan2, y, x); }

namespace {

// Which nodes the outputs depend on: marked from the last node to the first, since arguments come before
// their node.
std::vector<char> reachable(const ExprGraph& graph, std::span<const Expr> outputs) {
  std::vector<char> mark(graph.n_nodes(), 0);
  for (const Expr& x : outputs)
    if (!x.is_constant()) mark[graph.index_of(x)] = 1;
  for (int i = graph.n_nodes() - 1; i >= 0; --i) {
    const ExprNode& n = graph.node(i);
    if (!mark[i] || n.op == ExprOp::variable) continue;
    for (std::int32_t a : n.arg)
      if (a >= 0) mark[a] = 1;
  }
  return mark;
}

// clang-format off
void count(ExprOp op, OperationCounts& c) {
  switch (op) {
    case ExprOp::constant: case ExprOp::variable: return;
    case ExprOp::add: case ExprOp::sub: ++c.add; return;
    case ExprOp::mul: ++c.mul; return;
    case ExprOp::div: ++c.div; return;
    case ExprOp::neg: ++c.negate; return;
    case ExprOp::sqrt: ++c.sqrt; return;
    case ExprOp::sin: case ExprOp::cos: case ExprOp::atan2:
    case ExprOp::exp: case ExprOp::log: ++c.transcendental; return;
    case ExprOp::abs: case ExprOp::min: case ExprOp::max: ++c.abs_min_max; return;
    case ExprOp::less: case ExprOp::less_equal: ++c.compare; return;
    case ExprOp::logical_and: case ExprOp::logical_or: case ExprOp::logical_not: ++c.logic; return;
    case ExprOp::select: ++c.select; return;
  }
}
// clang-format on

}  // namespace

std::vector<double> evaluate(const ExprGraph& graph, std::span<const Expr> outputs, std::span<const double> inputs) {
  if (static_cast<int>(inputs.size()) != graph.n_variables())
    throw std::invalid_argument("Expr: one input is needed for each variable");
  const std::vector<char> needed = reachable(graph, outputs);
  std::vector<double> value(needed.size(), 0.0);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const ExprNode& n = graph.node(static_cast<int>(i));
    const auto arg = [&](int k) { return n.arg[k] >= 0 ? value[n.arg[k]] : 0.0; };
    if (n.op == ExprOp::constant)
      value[i] = n.value;
    else if (n.op == ExprOp::variable)
      value[i] = inputs[n.arg[0]];
    else
      value[i] = apply(n.op, arg(0), arg(1), arg(2));
  }
  std::vector<double> result;
  result.reserve(outputs.size());
  for (const Expr& x : outputs) result.push_back(x.is_constant() ? x.constant() : value[graph.index_of(x)]);
  return result;
}

OperationCounts count_operations(const ExprGraph& graph, std::span<const Expr> outputs) {
  const std::vector<char> needed = reachable(graph, outputs);
  OperationCounts counts;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) count(graph.node(static_cast<int>(i)).op, counts);
  return counts;
}

}  // namespace marey
