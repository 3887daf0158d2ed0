// marey bench growth: how the cost of a solver grows with the number of links, in instructions as callgrind counts
// them, which other work on the machine does not disturb, along with the time. Chains of ball-jointed links, 16 …
// 4,096.
//
// The program is built for x86-64-v3 with its own copy of the solvers, since valgrind 3.19 does not know AVX-512.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "marey/dynamics/baraff.h"
#include "marey/dynamics/multipliers.h"
#include "report.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

constexpr std::array<const char*, 5> solvers{"armstrong", "aba", "multipliers", "baraff", "rnea"};
constexpr std::array<int, 5> sizes{16, 64, 256, 1024, 4096};

class Subject {
 public:
  Subject(const std::string& solver, int n)
      : solver_(solver),
        model_(freeze(figures::chain(n))),
        armstrong_(model_),
        aba_(model_),
        multipliers_(model_),
        baraff_(model_),
        rnea_(model_) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    state_ = neutral_state(model_);
    for (double& x : state_.q) x += 0.1 * normal(random);
    for (double& x : state_.v) x = 0.1 * normal(random);
    tau_.assign(model_.nv, 0.01);
    out_.assign(model_.nv, 0.0);
  }
  void call() {
    const std::span<const double> q(state_.q), v(state_.v);
    if (solver_ == "armstrong") return armstrong<double>(model_, model_.params, q, v, {tau_, {}}, armstrong_, out_);
    if (solver_ == "aba") return aba<double>(model_, model_.params, q, v, {tau_, {}}, aba_, out_);
    if (solver_ == "multipliers")
      return multipliers<double>(model_, model_.params, q, v, {tau_, {}}, multipliers_, out_);
    if (solver_ == "baraff") return baraff(model_, model_.params, q, v, {tau_, {}}, baraff_, out_);
    rnea<double>(model_, model_.params, q, v, tau_, {}, rnea_, out_);
  }

 private:
  std::string solver_;
  Model model_;
  ArmstrongWorkspace<double> armstrong_;
  AbaWorkspace<double> aba_;
  MultiplierWorkspace<double> multipliers_;
  BaraffWorkspace baraff_;
  RneaWorkspace<double> rnea_;
  State state_;
  std::vector<double> tau_, out_;
};

// Instructions of this program's own run with the given number of calls; negative when callgrind cannot say.
double counted(const std::string& self, const char* solver, int n, int calls) {
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' --one {} {} {} 2>&1", self, solver, n, calls);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return -1;
  double count = -1;
  char line[512];
  while (std::fgets(line, sizeof line, pipe))
    if (const char* at = std::strstr(line, "Collected : ")) count = std::atof(at + std::strlen("Collected : "));
  return pclose(pipe) == 0 ? count : -1;
}

// Slope of log y over log x by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double n = static_cast<double>(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void grow(Report& report, const std::string& self, const char* solver) {
  std::vector<double> links, instructions, seconds;
  for (const int n : sizes) {
    const int calls = std::max(1, 2048 / n);
    const double more = counted(self, solver, n, 2 * calls), less = counted(self, solver, n, calls);
    Subject subject(solver, n);
    subject.call();
    links.push_back(n);
    instructions.push_back((more - less) / calls);
    seconds.push_back(best_seconds(15,
                                   [&] {
                                     for (int k = 0; k < 4 * calls; ++k) subject.call();
                                   }) /
                      (4 * calls));
    const std::string which = fmt::format("chain {}", n);
    if (more > 0 && less > 0) report.row(which, solver, "instructions per call", instructions.back(), "");
    report.row(which, solver, "time per call", 1e9 * seconds.back(), "ns");
    if (more <= 0 || less <= 0) instructions.back() = std::nan("");
  }
  if (std::isfinite(instructions.front()))
    report.row("chain 16…4096", solver, "exponent of instructions", exponent(links, instructions),
               "(goal 1.00 ± 0.02)");
  report.row("chain 16…4096", solver, "exponent of time", exponent(links, seconds), "");
}

int run_benchmark(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--one") == 0) {
    Subject subject(argv[2], std::atoi(argv[3]));
    for (int k = 0; k < std::atoi(argv[4]); ++k) subject.call();
    return 0;
  }
  Report report(argc, argv);
  const bool can_count = std::system("valgrind --version > /dev/null 2>&1") == 0;
  report.title("Growth with the number of links, chains of ball joints, double, one thread");
  if (!can_count) report.title("valgrind is not installed: instructions are left out");
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  for (const char* solver : solvers) grow(report, self, solver);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
