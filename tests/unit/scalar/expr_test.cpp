// Expr: what is recorded, what is simplified, and that evaluation and counting see the same graph.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "marey/scalar.h"

namespace marey {
namespace {

double value(const ExprGraph& graph, const Expr& x, std::vector<double> inputs) {
  return evaluate(graph, std::array{x}, inputs)[0];
}

struct InAGraph : testing::Test {
  ExprGraph graph;
  ExprScope scope{graph};
  Expr x = Expr::variable("x"), y = Expr::variable("y");
};
using ExprRecording = InAGraph;
using ExprEvaluation = InAGraph;

TEST_F(ExprRecording, EqualExpressionsAreOneNode) {
  EXPECT_TRUE(identical(x + y, y + x));
  EXPECT_TRUE(identical(x * y, y * x));
  EXPECT_FALSE(identical(x - y, y - x));
  EXPECT_FALSE(identical(x / y, y / x));
  EXPECT_TRUE(identical(sin(x * 2.0 + 1.0), sin(1.0 + 2.0 * x)));
  EXPECT_FALSE(identical(sin(x), cos(x)));
  const int before = graph.n_nodes();
  EXPECT_FALSE((sin(x * 2.0 + 1.0) + (x - y) + x * y).is_constant());
  EXPECT_EQ(graph.n_nodes(), before + 2);  // the two outer sums
  EXPECT_TRUE(identical(Expr::variable("x"), x));
  EXPECT_TRUE(identical(graph.variable("y"), y));
  EXPECT_EQ(graph.n_variables(), 2);
  EXPECT_EQ(std::string(graph.variable_name(1)), "y");
}

TEST_F(ExprRecording, SimplifiesWhatIsKnown) {
  const Expr sum = x + y;
  EXPECT_TRUE(identical(sum + 0.0, sum));
  EXPECT_TRUE(identical(0.0 + sum, sum));
  EXPECT_TRUE(identical(sum - 0.0, sum));
  EXPECT_TRUE(identical(0.0 - sum, -sum));
  EXPECT_TRUE(identical(sum - sum, Expr(0.0)));
  EXPECT_TRUE(identical(0.0 * sum, Expr(0.0)));
  EXPECT_TRUE(identical(sum * 0.0, Expr(0.0)));
  EXPECT_TRUE(identical(1.0 * sum, sum));
  EXPECT_TRUE(identical(sum * 1.0, sum));
  EXPECT_TRUE(identical(sum * -1.0, -sum));
  EXPECT_TRUE(identical(-1.0 * sum, -sum));
  EXPECT_TRUE(identical(0.0 / sum, Expr(0.0)));
  EXPECT_TRUE(identical(sum / 1.0, sum));
  EXPECT_TRUE(identical(sum / -1.0, -sum));
  EXPECT_TRUE(identical(-(-sum), sum));
  EXPECT_TRUE(identical(x + (-y), x - y));
  EXPECT_TRUE(identical(-x + y, y - x));
  EXPECT_TRUE(identical(x - (-y), x + y));
  EXPECT_TRUE(identical(select(true, x, y), x));
  EXPECT_TRUE(identical(select(false, x, y), y));
  EXPECT_TRUE(identical(select(Expr(1.0) < Expr(2.0), x, y), x));
  EXPECT_TRUE(identical(select(x < y, x, x), x));
  EXPECT_TRUE(identical(select((x < y) & true, x, y), select(x < y, x, y)));
  EXPECT_TRUE(identical(select((x < y) & false, x, y), y));
  EXPECT_TRUE(identical(select((x < y) | true, x, y), x));
  EXPECT_TRUE(identical(select((x < y) | false, x, y), select(y > x, x, y)));
}

TEST_F(ExprRecording, ConstantsAreComputedAtOnce) {
  const int before = graph.n_nodes();
  const Expr c = sqrt(Expr(2.0)) * sin(Expr(0.3)) / 3.0 - atan2(Expr(1.0), Expr(2.0)) + max(Expr(1.0), Expr(4.0)) +
                 select(Expr(1.0) >= 2.0, Expr(5.0), Expr(6.0)) + abs(Expr(-1.0)) - exp(Expr(0.5)) + log(Expr(3.0));
  EXPECT_TRUE(c.is_constant());
  EXPECT_DOUBLE_EQ(c.constant(), std::sqrt(2.0) * std::sin(0.3) / 3.0 - std::atan2(1.0, 2.0) + 4.0 + 6.0 + 1.0 -
                                     std::exp(0.5) + std::log(3.0));
  EXPECT_EQ(graph.n_nodes(), before);
  EXPECT_TRUE(std::isnan((Expr(0.0) * Expr(std::nan(""))).constant()));
  EXPECT_TRUE(std::isinf((Expr(1.0) / Expr(0.0)).constant()));
  EXPECT_EQ(value_of(c), c.constant());
  EXPECT_TRUE(std::isnan(value_of(x)));
  EXPECT_TRUE(all_finite(x));
}

TEST_F(ExprEvaluation, EveryOperation) {
  const double a = 1.25, b = -0.75;
  const auto at = [&](const Expr& e) { return value(graph, e, {a, b}); };
  EXPECT_EQ(at(x + y), a + b);
  EXPECT_EQ(at(x - y), a - b);
  EXPECT_EQ(at(y - x), b - a);
  EXPECT_EQ(at(x * y), a * b);
  EXPECT_EQ(at(x / y), a / b);
  EXPECT_EQ(at(-x), -a);
  EXPECT_EQ(at(sqrt(x)), std::sqrt(a));
  EXPECT_EQ(at(sin(x)), std::sin(a));
  EXPECT_EQ(at(cos(x)), std::cos(a));
  EXPECT_EQ(at(atan2(y, x)), std::atan2(b, a));
  EXPECT_EQ(at(exp(y)), std::exp(b));
  EXPECT_EQ(at(log(x)), std::log(a));
  EXPECT_EQ(at(abs(y)), 0.75);
  EXPECT_EQ(at(min(x, y)), b);
  EXPECT_EQ(at(max(x, y)), a);
  EXPECT_EQ(at(select(x < y, 1.0, 2.0)), 2.0);
  EXPECT_EQ(at(select(x <= x, 1.0, 2.0)), 1.0);
  EXPECT_EQ(at(select(x > y, 1.0, 2.0)), 1.0);
  EXPECT_EQ(at(select(y >= x, 1.0, 2.0)), 2.0);
  EXPECT_EQ(at(select((x < y) & (x > 0.0), 1.0, 2.0)), 2.0);
  EXPECT_EQ(at(select((x < y) | (x > 0.0), 1.0, 2.0)), 1.0);
  EXPECT_EQ(at(select(!(x < y), x, y)), a);
  Expr s = x, c;
  sincos(s, s, c);
  EXPECT_EQ(at(s), std::sin(a));
  EXPECT_EQ(at(c), std::cos(a));
  Expr z = x;
  z += y;
  z *= 3.0;
  z -= y;
  z /= x;
  EXPECT_EQ(at(z), ((a + b) * 3.0 - b) / a);
  EXPECT_EQ(at(Expr(4.0)), 4.0);
}

TEST_F(ExprEvaluation, SeveralOutputsInOneSweep) {
  const Expr r = sqrt(x * x + y * y);
  const std::vector<double> out = evaluate(graph, std::array{r, x / r, Expr(2.0), x}, std::array{3.0, 4.0});
  EXPECT_EQ(out, (std::vector<double>{5.0, 0.6, 2.0, 3.0}));
  EXPECT_THROW(evaluate(graph, std::array{r}, std::array{3.0}), std::invalid_argument);
}

TEST_F(ExprEvaluation, AVeryLongChainNeedsNoStack) {
  Expr sum = x;
  for (int i = 0; i < 300000; ++i) sum = sum * 0.5 + y;
  EXPECT_NEAR(value(graph, sum, {100.0, 1.0}), 2.0, 1e-15);
  EXPECT_EQ(count_operations(graph, std::array{sum}).total(), 600000);
}

TEST_F(ExprEvaluation, CountsOnlyWhatTheOutputsNeed) {
  const Expr unused = exp(x) / y;
  const Expr r = sqrt(x * x + y * y);                         // 2 mul, 1 add, 1 sqrt
  const Expr out = select((x < r) & !(y < 0.0), sin(r), -r);  // 2 compare, 2 logic, 1 select, 1 sin, 1 negate
  const Expr other = min(abs(r), x * x) / r - 3.0;            // 2 abs_min_max, 1 div, 1 add; x x is there already
  const OperationCounts c = count_operations(graph, std::array{out, other, out});
  EXPECT_EQ(c.mul, 2);
  EXPECT_EQ(c.add, 2);
  EXPECT_EQ(c.sqrt, 1);
  EXPECT_EQ(c.compare, 2);
  EXPECT_EQ(c.logic, 2);
  EXPECT_EQ(c.select, 1);
  EXPECT_EQ(c.transcendental, 1);
  EXPECT_EQ(c.negate, 1);
  EXPECT_EQ(c.abs_min_max, 2);
  EXPECT_EQ(c.div, 1);
  EXPECT_EQ(c.total(), 15);
  EXPECT_EQ(count_operations(graph, std::array{unused}).total(), 2);
  EXPECT_EQ(count_operations(graph, std::array{Expr(3.0)}).total(), 0);
  EXPECT_EQ(count_operations(graph, std::array{x}).total(), 0);
}

TEST(ExprScopes, ConstantsNeedNone) {
  struct Workspace {
    Expr numbers[6];
    std::vector<Expr> more = std::vector<Expr>(3);
  };
  Workspace w;
  w.numbers[1] = 2.0;
  w.numbers[2] = w.numbers[0] + w.numbers[1] * 3;
  EXPECT_EQ(w.numbers[2].constant(), 6.0);
  EXPECT_TRUE(identical(w.numbers[5], w.more[2]));
  ExprGraph graph;
  EXPECT_EQ(value(graph, w.numbers[2], {}), 6.0);
}

TEST(ExprScopes, MistakesAreRefused) {
  ExprGraph graph, other;
  const Expr x = graph.variable("x");
  EXPECT_THROW(x + 1.0, std::logic_error);
  EXPECT_THROW(Expr::variable("z"), std::logic_error);
  EXPECT_THROW((void)(x < 1.0), std::logic_error);
  {
    ExprScope scope(other);
    EXPECT_THROW(x + 1.0, std::logic_error);
    EXPECT_THROW(-x, std::logic_error);
    EXPECT_THROW(value(other, x, {}), std::logic_error);
    EXPECT_FALSE(identical(x, other.variable("x")));
  }
  ExprScope scope(graph);
  EXPECT_NO_THROW(x + 1.0);
}

TEST(ExprScopes, NestAndBelongToTheirThread) {
  ExprGraph outer, inner;
  ExprScope scope(outer);
  const Expr x = Expr::variable("x");
  {
    ExprScope nested(inner);
    Expr::variable("y");
  }
  EXPECT_NO_THROW(x + 1.0);  // the outer scope is back
  EXPECT_EQ(inner.n_variables(), 1);
  bool refused = false;
  std::thread([&] {
    try {
      Expr::variable("z");
    } catch (const std::logic_error&) {
      refused = true;
    }
  }).join();
  EXPECT_TRUE(refused);
  EXPECT_EQ(outer.n_variables(), 1);
}

TEST(ExprScopes, ArgumentsComeBeforeTheirNode) {
  ExprGraph graph;
  ExprScope scope(graph);
  const Expr x = Expr::variable("x");
  Expr e = 0.1;
  for (int i = 0; i < 2000; ++i) e = sin(e * x + i);  // makes the table grow several times
  for (int i = 0; i < graph.n_nodes(); ++i)
    if (graph.node(i).op != ExprOp::variable) {
      for (int a : graph.node(i).arg) EXPECT_LT(a, i);
    }
  const int before = graph.n_nodes();
  Expr again = 0.1;
  for (int i = 0; i < 2000; ++i) again = sin(again * x + i);
  EXPECT_TRUE(identical(e, again));
  EXPECT_EQ(graph.n_nodes(), before);
  EXPECT_EQ(graph.index_of(Expr(1999)) >= 0, true);
  EXPECT_EQ(graph.index_of(Expr(-5.0)), -1);
}

}  // namespace
}  // namespace marey
