// What each kind of force and torque tells the step-size adviser (src/force/adviser.cpp), against how its force changes: a kind that
// says it makes nothing swing or decay must not, and one that says how stiff it is must be so, to the extent that steps depend on
// it. A new kind is in here by its line in the list (src/force/element_forms.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "marey/dynamics.h"
#include "unit/io/element_examples.h"

namespace marey::element_stiffness_test {
namespace {
using namespace marey::element_examples;

// The element at a state, with links, joints and velocities that can be changed one by one, whether or not they fit together.
struct Varied {
  const Element& element;
  const Model& model;
  Placed<double> placed;
  double t;
  std::vector<double> modes;

  Varied(const Element& e, const Model& m, const State& state)
      : element(e), model(m), placed(place(m, state)), t(state.t), modes(static_cast<std::size_t>(mode_count(e)), 1.0) {
    if (switches_at_corners_alone(e)) start_modes(e, placed.instant(), true, modes);
  }
  ForceSum<double> force() const {
    ForceSum<double> sum(model);
    evaluate<double>(element, placed.instant(), modes, sum);
    return sum;
  }
  // How fast `read` of its force falls as x grows.
  template <class Read>
  double resistance(double& x, Read read) {
    const double was = x, h = 1e-5;
    x = was + h;
    const double ahead = read(force());
    x = was - h;
    const double behind = read(force());
    x = was;
    return (behind - ahead) / (2 * h);
  }
};

double& part(V3& a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

// Of a force that stays as it is, in the axes of the world or of its link, none of these is above 0: a force on a link as the link
// is shifted, and a force or moment as it moves; the force in a joint of one freedom as that bends, and bends faster; and a moment
// as the link turns about the direction of its force, which is where the lever of a force that stays does not change it.
double largest_resistance(Varied x) {
  double worst = 0;
  const ForceSum<double> now = x.force();
  for (std::size_t i = 1; i < x.model.links.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto f = [&](ForceSum<double> s) { return part(s.F_Bo_W[i].f, k); };
      const auto n = [&](ForceSum<double> s) { return part(s.F_Bo_W[i].n, k); };
      worst = std::max(worst, x.resistance(part(x.placed.X_WB[i].p, k), f));
      worst = std::max(worst, x.resistance(part(x.placed.V_WB[i].v, k), f));
      worst = std::max(worst, x.resistance(part(x.placed.V_WB[i].w, k), n));
    }
    const V3 f = now.F_Bo_W[i].f, u = norm(f) > 0 ? (1 / norm(f)) * f : V3{0.6, 0, 0.8};
    const Mat3<double> R = x.placed.X_WB[i].R;
    const auto moment_turned = [&](double angle) {
      x.placed.X_WB[i].R = rotation(quaternion_about(u, angle)) * R;
      return dot(u, x.force().F_Bo_W[i].n);
    };
    worst = std::max(worst, (moment_turned(-1e-5) - moment_turned(1e-5)) / 2e-5);
    x.placed.X_WB[i].R = R;
    const LinkTopology& link = x.model.links[i];
    if (freedom_count(link) != 1) continue;
    const auto tau = [&](const ForceSum<double>& s) { return s.tau[static_cast<std::size_t>(link.v)]; };
    worst = std::max(worst, x.resistance(x.placed.q[static_cast<std::size_t>(link.q)], tau));
    worst = std::max(worst, x.resistance(x.placed.v[static_cast<std::size_t>(link.v)], tau));
  }
  return worst;
}

Model weightless(const Scene& scene) {
  Model model = scene.model;
  model.params.gravity = {};
  return model;
}
StepAdvice advice_on(const Model& model, const Element& e, const State& state) {
  return advise_step(model, std::span(&e, 1), state);
}
double size_of(const ForceSum<double>& sum) {
  double size = 0;
  for (const double x : sum.tau) size = std::max(size, std::abs(x));
  for (const Wrench<double>& F : sum.F_Bo_W) size = std::max({size, norm(F.n), norm(F.f)});
  return size;
}

TEST(ElementStiffness, WhoTellsTheAdviserNothingResistsNothing) {
  std::map<std::string, int> silent;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.value);
    const Scene scene = parse_scene(example.text(), "example");
    const Model model = weightless(scene);
    on_random_states(scene, [&](const Element& e, const State& state) {
      if (advice_on(model, e, state).unstable_step != forever) return;
      ++silent[word_of(e)];
      const Varied x(e, model, state);
      // Round-off of the quotients is 1e-16/1e-5 of the force.
      EXPECT_LE(largest_resistance(x), 1e-9 * (1 + size_of(x.force())))
          << "'" << word_of(e) << "' resists, and its stiffness() does not say so";
    });
  }
  EXPECT_GT(silent["push"], 0);
}

// The largest real part among the eigenvalues of A, by power iteration on A + s, s its norm.
double fastest(const std::vector<std::vector<double>>& A) {
  const std::size_t n = A.size();
  double s = 0;
  for (const auto& row : A)
    for (const double a : row) s += a * a;
  s = std::sqrt(s);
  if (!(s > 0)) return 0;
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 + 0.1 * static_cast<double>(i);
  double growth = 0;
  for (int round = 0; round < 400; ++round) {
    double from = 0, to = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = s * x[i];
      for (std::size_t j = 0; j < n; ++j) y[i] += A[i][j] * x[j];
      from += x[i] * x[i], to += y[i] * y[i];
    }
    growth = std::sqrt(to / from);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] / std::sqrt(to);
  }
  return growth - s;
}

// The longest step of semi-implicit Euler, (2) of the adviser, with ω² and λ from −∂v̇/∂ξ and −∂v̇/∂v of the force alone.
double unstable_step(const Element& e, const Model& model, const State& state) {
  const std::size_t n = static_cast<std::size_t>(model.nv);
  const Varied base(e, model, state);
  AbaWorkspace<double> space(model);
  const std::vector<double> still(n);
  const auto response = [&](const State& s) {
    Varied at(e, model, s);
    at.modes = base.modes;
    const ForceSum<double> sum = at.force();
    std::vector<double> vdot(n);
    aba<double>(model, model.params, state.q, still, {sum.tau, sum.F_Bo_W}, space, vdot);
    return vdot;
  };
  std::vector<std::vector<double>> springs(n, still), dampers(n, still);
  constexpr double h = 1e-5;
  for (std::size_t j = 0; j < n; ++j) {
    const auto shifted = [&](double by) {
      State s = state;
      s.v.assign(n, 0.0), s.v[j] = 1;
      s.q = moved(model, s, by).q, s.v = state.v;
      return response(s);
    };
    const auto faster = [&](double by) {
      State s = state;
      s.v[j] += by;
      return response(s);
    };
    const std::vector<double> q_ahead = shifted(h), q_behind = shifted(-h), v_ahead = faster(h), v_behind = faster(-h);
    for (std::size_t i = 0; i < n; ++i) {
      springs[i][j] = (q_behind[i] - q_ahead[i]) / (2 * h);
      dampers[i][j] = (v_behind[i] - v_ahead[i]) / (2 * h);
    }
  }
  const double omega = std::sqrt(std::max(0.0, fastest(springs))), decay = std::max(0.0, fastest(dampers));
  return omega + decay > 0 ? 4 / (decay + std::hypot(decay, 2 * omega)) : forever;
}

// The step that the adviser advises is π/10 of the one it calls unstable: as long as that is below 10/π of the true one, a step as
// advised is stable. And what it calls unstable should nearly be so at some state of some example of the kind.
TEST(ElementStiffness, AStepAsAdvisedIsStable) {
  constexpr double margin = 10 / std::numbers::pi;
  std::map<std::string, double> nearest;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.value);
    const Scene scene = parse_scene(example.text(), "example");
    const Model model = weightless(scene);
    int count = 0;
    on_random_states(scene, [&](const Element& e, const State& state) {
      if (count++ % 4 != 0) return;
      const double told = advice_on(model, e, state).unstable_step;
      if (told == forever) return;  // above
      const double found = unstable_step(e, model, state);
      EXPECT_LT(told, margin * found) << word_of(e);
      double& least = nearest.try_emplace(word_of(e), forever).first->second;
      least = std::min(least, found / told);
    });
  }
  for (const auto& [word, least] : nearest) {
    std::printf("%-20s true unstable step / told: %.3g at least\n", word.c_str(), least);
    EXPECT_LT(least, margin) << "'" << word << "' is not nearly as stiff as it says";
  }
  EXPECT_GT(nearest.size(), 8u);
}

}  // namespace
}  // namespace marey::element_stiffness_test
