// marey bench test_forces: what it costs to prescribe m accelerations of a figure with n degrees of freedom (P4), in
// O(m n + m³).
//
//   bench_test_forces [--json]
//
// Chains of ball joints; the rows are unit vectors spread over the chain. The accelerations come from one call of aba,
// which is timed with them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "marey/rows.h"
#include "report.h"
#include "support/figures.h"
#include "support/random_figure.h"

namespace marey::bench {
namespace {

class Case {
 public:
  Case(int links, int rows)
      : figure_(figures::with_random_state(figures::chain(links), 5)),
        rows_(figure_.model, std::max(1, rows)),
        aba_(figure_.model),
        forces_(figure_.model, std::max(1, rows)),
        vdot_(static_cast<std::size_t>(figure_.model.nv)) {
    for (int i = 0; i < rows; ++i) {
      Row row;
      row.target = 1;
      rows_.add(row)[static_cast<std::size_t>((2 * i + 1) * figure_.model.nv / (2 * rows))] = 1;
    }
  }
  int freedoms() const { return figure_.model.nv; }
  double call() {
    const Model& model = figure_.model;
    aba<double>(model, model.params, figure_.state.q, figure_.state.v, {figure_.tau, {}}, aba_, vdot_);
    if (rows_.size() > 0) forces_.prescribe(model, model.params, aba_, rows_, vdot_);
    return vdot_[0];
  }
  // µs, of the fastest of several rounds
  double time() {
    double best = 1e300, sum = 0;
    for (int round = 0; round < 12; ++round) {
      int calls = 0;
      const double start = cpu_seconds();
      while (cpu_seconds() - start < 5e-3) sum += call(), ++calls;
      best = std::min(best, 1e6 * (cpu_seconds() - start) / calls);
    }
    return std::isfinite(sum) ? best : std::nan("");
  }

 private:
  figures::Figure figure_;
  RowSet rows_;
  AbaWorkspace<double> aba_;
  TestForces forces_;
  std::vector<double> vdot_;
};

double slope(double x_1, double y_1, double x_2, double y_2) { return std::log(y_2 / y_1) / std::log(x_2 / x_1); }

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("Accelerations prescribed by test forces: time of aba and the forces, and of the forces alone");
  constexpr int links[] = {8, 32, 128, 512}, counts[] = {1, 4, 16, 64};
  double alone[4][4] = {};
  for (int a = 0; a < 4; ++a) {
    const double free = Case(links[a], 0).time();
    for (int b = 0; b < 4; ++b) {
      Case c(links[a], counts[b]);
      if (counts[b] > c.freedoms()) continue;
      const double whole = c.time();
      alone[a][b] = whole - free;
      const std::string subject = "n = " + std::to_string(c.freedoms()) + ", m = " + std::to_string(counts[b]);
      report.row(subject, "aba and test forces", "time", whole, "us");
      report.row(subject, "test forces", "time", alone[a][b], "us");
    }
  }
  for (int b = 0; b < 3; ++b)
    report.row("m = " + std::to_string(counts[b]), "test forces", "exponent of time over n, 32 to 512 links",
               slope(links[1], alone[1][b], links[3], alone[3][b]), "(1: linear)");
  report.row("n = 1536", "test forces", "exponent of time over m, 1 to 16", slope(1, alone[3][0], 16, alone[3][2]),
             "(1: linear)");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
