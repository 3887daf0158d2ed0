// marey bench batch: many humans on one core. The 39-DOF human stepped by armstrong and semi-implicit Euler, once as double,
// once as Pack<float,16> and Pack<double,8>: sixteen or eight humans per register. No contact; fresh torques every
// step.
#include <random>

#include "marey/batch/human_step.h"
#include "marey/integrate.h"
#include "marey/scalar/instantiate.h"
#include "report.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

// Steps a whole pack of humans; lanes start in different states.
template <class T>
class Humans {
 public:
  explicit Humans(const Model& model)
      : model_(model), params_(convert<T>(model.params)), ws_(model), vdot_(model.nv), xi_(model.nv) {
    params_.gravity = {};
  }
  void start(const std::vector<State>& lanes) {
    q.assign(model_.nq, T(0));
    v.assign(model_.nv, T(0));
    tau.assign(model_.nv, T(0));
    for (int i = 0; i < model_.nq; ++i) q[i] = gather(lanes, [i](const State& s) { return s.q[i]; });
    for (int i = 0; i < model_.nv; ++i) v[i] = gather(lanes, [i](const State& s) { return s.v[i]; });
  }
  void step(double h) {
    tau[turn_++ % tau.size()] += T(1e-3);
    armstrong<T>(model_, params_, q, v, {tau, {}}, ws_, vdot_);
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] += T(h) * vdot_[i];
      xi_[i] = T(h) * v[i];
    }
    advance<T>(model_, q, xi_, Turn::first_order, q);
  }
  std::vector<T> q, v, tau;

 private:
  template <class Get>
  static T gather(const std::vector<State>& lanes, Get get) {
    if constexpr (ScalarTraits<T>::lanes == 1) {
      return T(get(lanes[0]));
    } else {
      T x;
      for (int l = 0; l < ScalarTraits<T>::lanes; ++l)
        x.set(l, static_cast<typename ScalarTraits<T>::Real>(get(lanes[l])));
      return x;
    }
  }

  const Model& model_;
  Params<T> params_;
  ArmstrongWorkspace<T> ws_;
  std::vector<T> vdot_, xi_;
  std::size_t turn_ = 0;
};

State random_state(const Model& model, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  State s = neutral_state(model);
  std::vector<double> xi(model.nv);
  for (double& x : xi) x = 0.5 * normal(random);
  for (double& x : s.v) x = 0.5 * normal(random);
  advance<double>(model, s.q, xi, Turn::exponential, s.q);
  return s;
}

template <class T>
void time_humans(Report& report, const Model& model, const std::vector<State>& lanes, const char* subject) {
  constexpr int steps = 500;
  constexpr double h = 1e-4;
  Humans<T> humans(model);
  humans.start(lanes);
  const double seconds = best_seconds(20,
                                      [&] {
                                        for (int k = 0; k < steps; ++k) humans.step(h);
                                      }) /
                         steps;
  report.row("human39", subject, "one step of the pack", 1e9 * seconds, "ns");
  report.row("human39", subject, "humans", ScalarTraits<T>::lanes / seconds, "human-steps/s");
}

// Largest difference of a coordinate, over all lanes, from the same humans stepped one by one in double.
template <class T>
void compare_humans(Report& report, const Model& model, const std::vector<State>& lanes, const char* subject) {
  constexpr int steps = 1000;
  constexpr double h = 1e-4;
  Humans<T> pack(model);
  pack.start(lanes);
  for (int k = 0; k < steps; ++k) pack.step(h);
  double worst = 0;
  for (int l = 0; l < ScalarTraits<T>::lanes; ++l) {
    Humans<double> exact(model);
    exact.start({lanes[l]});
    for (int k = 0; k < steps; ++k) exact.step(h);
    for (int i = 0; i < model.nq; ++i)
      worst = std::max(worst, std::abs(static_cast<double>(lane(pack.q[i], l)) - exact.q[i]));
  }
  report.row("human39", subject, "error after 1000 steps of 0.1 ms", worst, "of a quaternion or m");
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("Humans of 39 degrees of freedom on one core: armstrong, semi-implicit Euler, no contact");
  const Model model = freeze(figures::human39());
  std::mt19937_64 random(3);
  std::vector<State> lanes;
  lanes.reserve(16);
  for (int l = 0; l < 16; ++l) lanes.push_back(random_state(model, random));
  time_humans<double>(report, model, lanes, "double");
  time_humans<float>(report, model, lanes, "float");
  time_humans<PackD8>(report, model, lanes, "Pack<double,8>");
  time_humans<PackF16>(report, model, lanes, "Pack<float,16>");
  compare_humans<PackD8>(report, model, lanes, "Pack<double,8>");
  compare_humans<PackF16>(report, model, lanes, "Pack<float,16>");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
