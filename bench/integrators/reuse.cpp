// R15: what it saves to factor the mass matrix only when it has changed enough.
//
// The states are the stages of rk4 along a motion, in order; each solver goes through all of them.
#include <cmath>

#include "integrators/parts.h"
#include "marey/dynamics/crba_reuse.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

struct Stages {
  Model model;
  std::vector<State> states;
};

// Chains hang from the world, bent, and swing; the human floats and tumbles.
Stages motion(const ModelSpec& spec, double h, int steps) {
  Stages s{freeze(spec), {}};
  State state = neutral_state(s.model);
  for (int i = 0; i < s.model.nv; ++i) state.v[i] = std::sin(1.0 + 3.0 * i);
  if (s.model.nq == s.model.nv)
    for (int i = 0; i < s.model.nq; ++i) state.q[i] = 0.3 * std::cos(1.0 + 2.0 * i);
  AbaWorkspace<double> ws(s.model);
  Stepper<double> stepper(s.model, Integrator::rk4, 0);
  for (int k = 0; k < steps; ++k)
    stepper.step(
        k * h, h, state.q, state.v, {},
        [&](double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot, std::span<double>) {
          State stage = state;
          stage.t = t, stage.q.assign(q.begin(), q.end()), stage.v.assign(v.begin(), v.end());
          s.states.push_back(stage);
          aba<double>(s.model, s.model.params, q, v, {}, ws, vdot);
        });
  return s;
}

ModelSpec hinges(int n) {
  ModelSpec spec = figures::chain(n);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge, link.axis = {0, 1, 0};
  return spec;
}

// Relative to the largest.
double difference_of(const std::vector<double>& a, const std::vector<double>& exact) {
  double size = 0, off = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    size = std::max(size, std::abs(exact[i])), off = std::max(off, std::abs(a[i] - exact[i]));
  return off / size;
}

void one_figure(const std::string& name, const ModelSpec& spec, double h, const Settings& settings, Report& report) {
  const int steps = settings.quick ? 50 : spec.links.size() > 60 ? 50 : 200;
  const Stages s = motion(spec, h, steps);
  const Model& model = s.model;
  const auto calls = static_cast<double>(s.states.size());
  std::vector<double> vdot(static_cast<std::size_t>(model.nv)), exact(vdot);
  const int rounds = settings.quick ? 1 : 3;
  const auto ns = [&](auto&& solve) {
    return 1e9 / calls * best_seconds(rounds, [&] {
             for (const State& state : s.states) solve(state);
           });
  };
  AbaWorkspace<double> aba_ws(model);
  CrbaWorkspace<double> crba_ws(model);
  const auto run_aba = [&](const State& x) { aba<double>(model, model.params, x.q, x.v, {}, aba_ws, exact); };
  const double ns_aba = ns(run_aba);
  const double ns_crba = ns([&](const State& x) { crba<double>(model, model.params, x.q, x.v, {}, crba_ws, vdot); });
  report.title(fmt::format("  {:<20}{:<14}{:>12.0f}{:>10.2f}", name, "aba", ns_aba, ns_aba / ns_crba));
  double crba_off = 0;
  for (const State& x : s.states) {
    crba<double>(model, model.params, x.q, x.v, {}, crba_ws, vdot);
    run_aba(x);
    crba_off = std::max(crba_off, difference_of(vdot, exact));
  }
  report.title(fmt::format("  {:<20}{:<14}{:>12.0f}{:>10.2f}{:>14.3f}{:>10}{:>12.1e}", name, "crba", ns_crba, 1.0, 1.0,
                           "", crba_off));
  report.detail(name, "aba", "time per call", ns_aba, "ns");
  report.detail(name, "crba", "time per call", ns_crba, "ns");
  for (const double limit : {1e-3, 0.03, 0.3}) {
    ReuseWorkspace once(model);
    double worst = 0;
    for (const State& x : s.states) {
      crba_reuse(model, model.params, x.q, x.v, {}, limit, once, vdot);
      run_aba(x);
      worst = std::max(worst, difference_of(vdot, exact));
    }
    ReuseWorkspace ws(model);
    const double t = ns([&](const State& x) { crba_reuse(model, model.params, x.q, x.v, {}, limit, ws, vdot); });
    const std::string subject = fmt::format("reuse {:g}", limit);
    report.title(fmt::format("  {:<20}{:<14}{:>12.0f}{:>10.2f}{:>14.3f}{:>10.1f}{:>12.1e}", name, subject, t,
                             t / ns_crba, static_cast<double>(once.factorisations) / calls,
                             static_cast<double>(once.rounds) / calls, worst));
    report.detail(name, subject, "time per call", t, "ns");
    report.detail(name, subject, "time over that of crba", t / ns_crba, "");
    report.detail(name, subject, "factorisations per call", static_cast<double>(once.factorisations) / calls, "");
    report.detail(name, subject, "rounds of refinement per call", static_cast<double>(once.rounds) / calls, "");
    report.detail(name, subject, "largest difference from aba", worst, "");
  }
}

}  // namespace

void reused_factors(const Settings& settings, Report& report) {
  report.title(
      "\nReuse of the factored mass matrix (R15): accelerations at the stages of rk4 with steps of 1 and 0.1 ms along "
      "a "
      "motion;\ntimes of the solver alone, and over that of crba, which factors every time; largest difference from "
      "aba, "
      "relative");
  report.title(fmt::format("  {:<20}{:<14}{:>12}{:>10}{:>14}{:>10}{:>12}", "figure", "solver", "ns per call", "ratio",
                           "factored", "rounds", "difference"));
  for (const double h : {1e-3, 1e-4}) {
    const auto named = [&](const std::string& name) { return fmt::format("{}, {:g} ms", name, 1e3 * h); };
    one_figure(named("human"), figures::human39(), h, settings, report);
    for (const int n : {10, 20, 50, 100, 200})
      if (!settings.quick || n <= 50) one_figure(named(fmt::format("{} hinges", n)), hinges(n), h, settings, report);
  }
}

}  // namespace marey::bench
