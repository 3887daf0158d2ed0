// marey bench derivatives: what exact derivatives cost, in multiples of the dynamics they belong to.
//
//   bench_derivatives [--json]
//
// The human of 39 degrees of freedom and chains of ball-jointed rods; one thread, double precision. Calls take the
// states of a small ring in turn, with fresh torques. Subjects are timed in interleaved rounds in thread CPU time; the
// mean of the fastest tenth is printed. The multiple of another engine is quoted, not measured here: Pinocchio 3.7
// needs 22.8 µs for the derivatives of forward dynamics of the same human where its aba needs 4.69 µs, on a Sapphire
// Rapids core; for those of inverse dynamics 7.6 µs against 0.99 µs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "marey/dynamics/derivatives.h"
#include "marey/scalar/instantiate.h"
#include "report.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

constexpr int ring_size = 8, rounds = 60;
constexpr double quoted_forward = 22.8 / 4.689, quoted_inverse = 7.6 / 0.992;

struct Subject {
  std::string name;
  std::function<double(const figures::Figure&)> call;  // returns one of the numbers, so that the work is kept
  std::vector<double> ns = {};
  double best() {
    std::ranges::sort(ns);
    const std::size_t n = std::max<std::size_t>(1, ns.size() / 10);
    return std::accumulate(ns.begin(), ns.begin() + static_cast<std::ptrdiff_t>(n), 0.0) / static_cast<double>(n);
  }
};

double time_ns(Subject& subject, const std::vector<figures::Figure>& ring, int calls) {
  double sum = 0;
  const double start = cpu_seconds();
  for (int i = 0; i < calls; ++i) sum += subject.call(ring[static_cast<std::size_t>(i % ring_size)]);
  const double ns = 1e9 * (cpu_seconds() - start) / calls;
  return std::isfinite(sum) ? ns : std::nan("");
}

// ∂v̇/∂(q, v, τ) by one dual direction after the other: 3 nv calls of aba in dual numbers.
class DualSweeps {
 public:
  explicit DualSweeps(const Model& model)
      : model_(model), params_(convert<Dual1>(model.params)), aba_(model), out_(static_cast<std::size_t>(model.nv)) {}
  double operator()(const figures::Figure& f) {
    std::vector<Dual1> q(f.state.q.begin(), f.state.q.end()), v(f.state.v.begin(), f.state.v.end()),
        tau(f.tau.begin(), f.tau.end());
    double sum = 0;
    for (std::vector<Dual1>* x : {&q, &v, &tau})
      for (std::size_t k = 0; k < v.size(); ++k) {  // as many directions as degrees of freedom
        (*x)[k].d[0] = 1;
        aba<Dual1>(model_, params_, q, v, {tau, {}}, aba_, out_);
        (*x)[k].d[0] = 0;
        sum += out_[0].d[0];
      }
    return sum;
  }

 private:
  const Model& model_;
  Params<Dual1> params_;
  AbaWorkspace<Dual1> aba_;
  std::vector<Dual1> out_;
};

void run_case(Report& report, const std::string& name, const ModelSpec& spec) {
  std::vector<figures::Figure> ring;
  ring.reserve(ring_size);
  for (int i = 0; i < ring_size; ++i)
    ring.push_back(figures::with_random_state(spec, static_cast<std::uint64_t>(i + 1)));
  const Model& model = ring[0].model;
  AbaWorkspace<double> aba_ws(model);
  RneaWorkspace<double> rnea_ws(model);
  DerivativesWorkspace ws(model);
  DualSweeps sweeps(model);
  std::vector<double> out(static_cast<std::size_t>(model.nv));
  std::vector<Subject> subjects;
  subjects.push_back({"aba", [&](const figures::Figure& f) {
                        aba<double>(model, model.params, f.state.q, f.state.v, {f.tau, {}}, aba_ws, out);
                        return out[0];
                      }});
  subjects.push_back({"rnea", [&](const figures::Figure& f) {
                        rnea<double>(model, model.params, f.state.q, f.state.v, f.tau, {}, rnea_ws, out);
                        return out[0];
                      }});
  subjects.push_back({"derivatives of aba", [&](const figures::Figure& f) {
                        return aba_derivatives(model, model.params, f.state.q, f.state.v, {f.tau, {}}, ws).q(0, 0);
                      }});
  subjects.push_back(
      {"derivatives of aba, v̇ known", [&](const figures::Figure& f) {
         return aba_derivatives(model, model.params, f.state.q, f.state.v, {f.tau, {}}, ws, f.tau).q(0, 0);
       }});
  subjects.push_back({"derivatives of rnea", [&](const figures::Figure& f) {
                        return rnea_derivatives(model, model.params, f.state.q, f.state.v, f.tau, {}, ws).q(0, 0);
                      }});
  subjects.push_back({"dual sweeps of aba", [&](const figures::Figure& f) { return sweeps(f); }});
  for (int round = 0; round < rounds; ++round)
    for (Subject& s : subjects) {
      const double one = time_ns(s, ring, 2);  // warms the caches, and says how many calls fit
      if (one > 1e6 && round >= 3) continue;   // a slow subject need not be timed often
      s.ns.push_back(time_ns(s, ring, static_cast<int>(std::clamp(1e6 / one, 2.0, 4096.0))));
    }
  std::vector<double> best;
  for (Subject& s : subjects) report.row(name, s.name, "time", best.emplace_back(s.best()), "ns");
  report.row(name, "derivatives of aba", "multiple of one aba", best[2] / best[0], "");
  report.row(name, "derivatives of aba, v̇ known", "multiple of one aba", best[3] / best[0], "");
  report.row(name, "derivatives of rnea", "multiple of one rnea", best[4] / best[1], "");
  report.row(name, "derivatives of aba", "dual sweeps take longer by", best[5] / best[2], "times");
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("Exact derivatives by q, v and τ (v̇); thread CPU time, mean of the fastest tenth of the rounds");
  run_case(report, "human", figures::human39());
  report.row("human", "Pinocchio 3.7, quoted", "derivatives of aba, multiple of its aba", quoted_forward, "");
  report.row("human", "Pinocchio 3.7, quoted", "derivatives of rnea, multiple of its rnea", quoted_inverse, "");
  for (const int n : {4, 16, 64}) run_case(report, "chain " + std::to_string(n), figures::chain(n));
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
