// What is CVODES' own: stiff figures by BDF with the exact Jacobian, steps of almost no length, errors that are said.
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "unit/integrate/figure_flow.h"

namespace {

using marey::Integrator, marey::JointType, marey::Method;
using namespace tumbling;

constexpr Integrator both[] = {Integrator::adams, Integrator::bdf};

// Springs and brakes so stiff that explicit methods crawl: BDF walks. Without the exact Jacobian it would not.
TEST(Cvodes, BdfDoesNotMindStiffJoints) {
  const Model model = figure(JointType::ball, true, true);
  FigureFlow flow(model, {0.1, 30, 1e6, 1e5});
  State start = neutral_state(model);
  for (std::size_t i = 0; i < start.v.size(); ++i) start.v[i] = 0.2 * std::sin(1.0 + static_cast<double>(i));
  const double duration = 2;
  const auto count = [&](Integrator integrator, double tolerance, Outcome& end) {
    const auto method = marey::make_method({integrator, tolerance, tolerance}, flow);
    end = run(*method, flow, start, duration, 0);
    std::printf("%-5s %.0e: %lld evaluations, %lld Jacobians, %lld rejected\n", name_of(integrator), tolerance,
                method->tally().evaluations, method->tally().jacobians, method->tally().rejected);
    return method->tally();
  };
  Outcome bdf, adams, exact;
  const marey::Tally stiff = count(Integrator::bdf, 1e-5, bdf), loose = count(Integrator::adams, 1e-5, adams);
  count(Integrator::bdf, 1e-10, exact);
  EXPECT_LT(10 * stiff.evaluations, loose.evaluations);
  EXPECT_LT(between(model, bdf, exact).q, 1e-4);
  EXPECT_LT(between(model, adams, exact).q, 1e-4);
}

// What a Jacobian says about making a quaternion longer has no meaning, and does no harm.
class Boastful final : public FigureFlow {
 public:
  using FigureFlow::FigureFlow;
  void jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) override {
    FigureFlow::jacobian(t, q, v, rows);
    const std::size_t n = q.size() + v.size();
    for (const LinkTopology& link : model().links) {
      if (!has_attitude(link.joint)) continue;
      for (std::size_t i = 0; i < v.size(); ++i)
        for (int k = link.q; k < link.q + 4; ++k) rows[i * n + k] += 1e8 * q[k];
    }
  }
};
TEST(Cvodes, BdfOnlyHeedsVariationsThatKeepAQuaternionUnit) {
  const Model model = figure(JointType::free, true, true);
  const Drive drive{0.1, 10, 1e4, 1e4};
  FigureFlow modest(model, drive);
  Boastful boastful(model, drive);
  const State start = tumble(model);
  const auto a = marey::make_method({Integrator::bdf}, modest), b = marey::make_method({Integrator::bdf}, boastful);
  const Difference d = between(model, run(*a, modest, start, 1, 0), run(*b, boastful, start, 1, 0));
  std::printf("%lld and %lld evaluations\n", a->tally().evaluations, b->tally().evaluations);
  EXPECT_LT(d.q, 1e-4);
  EXPECT_LT(static_cast<double>(b->tally().evaluations), 1.05 * static_cast<double>(a->tally().evaluations));
}

// A flow in which something goes wrong at a time.
class Broken final : public FigureFlow {
 public:
  enum class How { throws, nan };
  Broken(const Model& model, How how, double from) : FigureFlow(model), how_(how), from_(from) {}
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override {
    if (t > from_ && how_ == How::throws) throw marey::Error(marey::ErrorKind::cannot_go_on, "the rope is torn");
    FigureFlow::evaluate(t, q, v, vdot, rates);
    if (t > from_) vdot[0] = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  How how_;
  double from_;
};

std::string complaint_of(Method& method, double limit) {
  try {
    while (method.t() < limit) method.step(limit);
  } catch (const marey::Error& e) {
    EXPECT_EQ(e.kind(), marey::ErrorKind::cannot_go_on);
    return e.what();
  }
  return "";
}

TEST(Cvodes, SaysWhyItCannotGoOnAndPrintsNothing) {
  const Model model = figure(JointType::free, true);
  const State start = tumble(model);
  for (const Integrator integrator : both) {
    testing::internal::CaptureStderr();
    Broken torn(model, Broken::How::throws, 0.3), nan(model, Broken::How::nan, 0.3), lost(model, Broken::How::nan, -1);
    auto method = marey::make_method({integrator}, torn);
    method->restart(0, start.q, start.v);
    EXPECT_EQ(complaint_of(*method, 1), "the rope is torn");
    EXPECT_LE(method->t(), 0.3);
    // The state before stays to be looked at.
    for (const double q : method->q()) EXPECT_TRUE(std::isfinite(q));
    // Up to the trouble all is well, and again after a restart.
    method->restart(0, start.q, start.v);
    EXPECT_EQ(complaint_of(*method, 0.25), "");

    method = marey::make_method({integrator}, nan);
    method->restart(0, start.q, start.v);
    EXPECT_NE(complaint_of(*method, 1), "");
    EXPECT_NEAR(method->t(), 0.3, 1e-3);

    method = marey::make_method({integrator}, lost);
    method->restart(0, start.q, start.v);
    EXPECT_EQ(complaint_of(*method, 1), "the accelerations or the powers are not finite");

    FigureFlow good(model);
    method = marey::make_method({integrator, 1e-20, 1e-20}, good);
    method->restart(0, start.q, start.v);
    EXPECT_EQ(complaint_of(*method, 1), "the tolerance is finer than the numbers of the state can be told apart");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

// Events may leave next to nothing between two instants; time goes on, and so does the motion.
TEST(Cvodes, TakesStepsOfAlmostNoLength) {
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model, {0.1, 0.02, 5});
  const State start = tumble(model);
  const double tolerance = 1e-9;
  const Outcome exact = reference(flow, {5, start.q, start.v}, 0.5);
  for (const Integrator integrator : both) {
    const auto method = marey::make_method({integrator, tolerance, tolerance}, flow);
    method->restart(5, start.q, start.v);
    std::vector<double> q(model.nq), v(model.nv), part(3);
    Outcome end{{}, {}, std::vector<double>(3)};
    int i = 0;
    for (double limit = 5; method->t() < 5.5; ++i) {
      // After the restart and then now and again: a few units in the last place, or a picosecond.
      const double tiny = i % 3 == 0 ? 2e-15 : 1e-12;
      if (method->t() >= limit) limit = std::min(5.5, i % 7 < 3 ? limit + tiny : limit + 0.01);
      const Outcome before{{method->q().begin(), method->q().end()}, {method->v().begin(), method->v().end()}, {}};
      method->step(limit);
      EXPECT_LE(method->t(), limit);
      EXPECT_EQ(method->segment().end(), method->t());
      // Within next to no time nothing moves by more than next to nothing: the curve begins where the last one ended.
      method->segment().at(model, 0, q, v, part);
      if (method->segment().h < 2e-12) {
        EXPECT_LT(std::max(largest(q, before.q), largest(v, before.v)), 10 * tolerance) << i;
      }
      for (int k = 0; k < 3; ++k) EXPECT_EQ(part[k], 0);
      method->segment().at(model, method->segment().h, q, v, part);
      for (int k = 0; k < 3; ++k) end.integrals[k] += part[k];
      EXPECT_LT(largest(q, method->q()), 1e-13) << i;
      EXPECT_LT(largest(v, method->v()), 1e-12) << i;  // some ten times as large
    }
    end.q.assign(method->q().begin(), method->q().end()), end.v.assign(method->v().begin(), method->v().end());
    const Difference d = between(model, end, exact);
    std::printf("%-5s in %d steps: q %.1e, v %.1e, integrals %.1e\n", name_of(integrator), i, d.q, d.v, d.integrals);
    EXPECT_LT(std::max({d.q, d.v, d.integrals}), 1000 * tolerance);
  }
}

// With a wide tolerance the quaternions' lengths are left to the errors of thousands of steps. The attitude does not
// mind, and before they are much too long or short CVODES begins anew.
TEST(Cvodes, AttitudesStayAttitudes) {
  const Model model = figure(JointType::ball, false);
  FigureFlow flow(model);
  const State start = tumble(model, 5);
  for (const Integrator integrator : both) {
    const auto method = marey::make_method({integrator, 1e-2, 1e-2}, flow);
    method->restart(0, start.q, start.v);
    const auto length = [&](std::span<const double> q, const LinkTopology& link) {
      return std::sqrt(q[link.q] * q[link.q] + q[link.q + 1] * q[link.q + 1] + q[link.q + 2] * q[link.q + 2] +
                       q[link.q + 3] * q[link.q + 3]);
    };
    double longest = 0;
    for (int i = 0; i < 10000; ++i) {
      method->step(1e9);
      const marey::Segment& s = method->segment();
      for (const LinkTopology& link : model.links) {
        if (!has_attitude(link.joint)) continue;
        ASSERT_NEAR(length(method->q(), link), 1, 1e-15) << name_of(integrator) << ' ' << i;
        longest = std::max(longest, length(std::span(s.x), link));  // at the start of the step, as CVODES has it
      }
    }
    std::printf("%-5s longest quaternion %.2f\n", name_of(integrator), longest);
    EXPECT_LT(longest, 2);
  }
}

// A figure that cannot move has time and rates all the same.
TEST(Cvodes, RunsAFigureWithoutFreedoms) {
  marey::ModelSpec spec;
  marey::LinkSpec post;
  post.name = "post", post.joint = JointType::weld;
  post.inertia = figures::hanging_rod(1, 1, 0.1);
  spec.links = {post};
  const Model model = freeze(spec);
  FigureFlow flow(model);
  for (const Integrator integrator : both) {
    const auto method = marey::make_method({integrator}, flow);
    const Outcome end = run(*method, flow, neutral_state(model), 1, 1000);
    EXPECT_EQ(method->t(), 1);
    EXPECT_NEAR(end.integrals[2], (1 - std::cos(3.0)) / 3, 1e-3);  // its steps follow nothing but their limits
  }
}

// The same flow without anything to be integrated along.
class WithoutRates : public FigureFlow {
 public:
  using FigureFlow::FigureFlow;
  std::size_t rate_count() const override { return 0; }
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override {
    EXPECT_TRUE(rates.empty());
    FigureFlow::evaluate(t, q, v, vdot, unused_);
  }

 private:
  std::vector<double> unused_ = std::vector<double>(3);
};

TEST(Cvodes, NeedsNoRates) {
  const Model model = figure(JointType::free, true);
  const State start = tumble(model);
  FigureFlow with(model);
  WithoutRates without(model);
  for (const Integrator integrator : {Integrator::adams, Integrator::bdf}) {
    const auto a = marey::make_method({integrator, 1e-9, 1e-9}, with),
               b = marey::make_method({integrator, 1e-9, 1e-9}, without);
    std::vector<double> q(start.q.size()), v(start.v.size());
    for (const auto& method : {a.get(), b.get()}) {
      method->restart(0, start.q, start.v);
      for (int k = 1; k <= 2; ++k) {
        while (method->t() < 0.1 * k) method->step(0.1 * k);
        method->restart(method->t(), std::vector(method->q().begin(), method->q().end()),
                        std::vector(method->v().begin(), method->v().end()));
      }
    }
    b->step(0.25);
    b->segment().at(model, 0, q, v, {});
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q[i], a->q()[i], 1e-7) << name_of(integrator);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], a->v()[i], 1e-6) << name_of(integrator);
  }
}

}  // namespace
