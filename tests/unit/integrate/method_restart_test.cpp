// Beginning again: the same state in gives the same bits out, whatever the method did before; and a step taken again,
// shorter, is the step that would have been taken.
#include <gtest/gtest.h>

#include "unit/integrate/figure_flow.h"

namespace {

using marey::Integrator, marey::JointType, marey::Method, marey::Segment;
using namespace tumbling;

class Restart : public testing::TestWithParam<Integrator> {
 protected:
  Integrator integrator() const { return GetParam(); }
  std::unique_ptr<Method> make() { return marey::make_method({integrator(), 1e-7, 1e-7}, flow); }
  bool keeps_its_history() const { return marey::has_long_memory(integrator()); }

  Model model = figure(JointType::free, true, true);
  FigureFlow flow{model, {0.1, 0.02, 5}};
  State start = tumble(model), other = tumble(model, 5);
  const double h = 0.01;
};

void append(std::vector<double>& out, std::span<const double> x) { out.insert(out.end(), x.begin(), x.end()); }

// Everything that a run of `steps` steps shows.
std::vector<double> trace(Method& method, double h, int steps) {
  std::vector<double> out;
  for (int i = 0; i < steps; ++i) {
    method.step(method.t() + h);
    const Segment& s = method.segment();
    const auto rows = static_cast<std::size_t>(s.degree) + 1;
    append(out, std::vector<double>{method.t(), s.t_0, s.h, static_cast<double>(s.degree)});
    append(out, method.q());
    append(out, method.v());
    append(out, std::span(s.v).first(rows * method.v().size()));
    append(out, std::span(s.integrals).first(rows * 3));
    append(out, std::span(s.x).first(rows * method.v().size()));
  }
  return out;
}

TEST_P(Restart, forgets_what_was_before) {
  const auto clean = make(), used = make();
  clean->restart(start.t, start.q, start.v);
  const std::vector<double> memory = clean->memory();
  used->restart(3, other.q, other.v);
  trace(*used, 0.037, 60);
  used->restart(start.t, start.q, start.v);
  used->recall(memory);
  EXPECT_EQ(trace(*clean, h, 100), trace(*used, h, 100));
}

// As after a checkpoint: one run goes on from it, another begins with what it holds.
TEST_P(Restart, resumes_to_the_bit) {
  const auto first = make(), second = make(), through = make();
  first->restart(start.t, start.q, start.v);
  trace(*first, h, 70);
  const std::vector<double> q(first->q().begin(), first->q().end()), v(first->v().begin(), first->v().end());
  const std::vector<double> memory = first->memory();
  const double t = first->t();
  for (Method* method : {first.get(), second.get()}) {
    method->restart(t, q, v);
    method->recall(memory);
  }
  const std::vector<double> resumed = trace(*second, h, 130);
  EXPECT_EQ(trace(*first, h, 130), resumed);
  if (keeps_its_history()) return;
  // Where nothing is forgotten the restart itself leaves no trace.
  through->restart(start.t, start.q, start.v);
  trace(*through, h, 70);
  EXPECT_EQ(trace(*through, h, 130), resumed);
}

TEST_P(Restart, takes_a_step_again) {
  const auto method = make(), direct = make();
  for (Method* m : {method.get(), direct.get()}) {
    m->restart(start.t, start.q, start.v);
    for (int i = 1; i <= 5; ++i) m->step(h * i);
    if (integrator() == Integrator::rk45) hope_for(*m, 1);  // not shorter than asked for
  }
  ASSERT_EQ(method->t(), direct->t());
  const double begin = method->t();
  method->step(begin + h);
  const std::vector<double> q(method->q().begin(), method->q().end());
  const double s = 0.37 * h;
  if (keeps_its_history()) {
    EXPECT_FALSE(method->retake(s));
    EXPECT_EQ(largest(method->q(), q), 0);
    return;
  }
  ASSERT_TRUE(method->retake(s));
  direct->step(begin + s);
  EXPECT_EQ(method->t(), direct->t());
  EXPECT_EQ(method->segment().t_0, begin);
  EXPECT_EQ(method->segment().end(), direct->segment().end());
  // An implicit method may come to its solution from elsewhere.
  const double round_off = integrator() == Integrator::midpoint ? 1e-14 : 0;
  const auto same = [&] {
    const Segment &a = method->segment(), &b = direct->segment();
    EXPECT_LE(largest(method->q(), direct->q()), round_off);
    EXPECT_LE(largest(method->v(), direct->v()), 10 * round_off);
    EXPECT_LE(largest(a.x, b.x), 10 * round_off);
    EXPECT_LE(largest(a.v, b.v), 10 * round_off);
    EXPECT_LE(largest(a.integrals, b.integrals), 10 * round_off);
  };
  same();
  // And what follows builds on the shorter step.
  if (integrator() == Integrator::rk45) method->recall(direct->memory());
  method->step(begin + h), direct->step(begin + h);
  same();
}

INSTANTIATE_TEST_SUITE_P(Every, Restart,
                         testing::ValuesIn(marey::all_integrators().begin(), marey::all_integrators().end()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
