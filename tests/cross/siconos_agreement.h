// Random contact problems solved by Marey and by Siconos, and what is said of the two answers.
//
// Every answer is judged by the certificate. Velocities are compared where they can be unique: without friction, or where five
// starts of Marey's solver (nothing, three at random, Siconos's answer) lead to the same ones. How far they may be apart follows
// from the certificates: natural maps are at least 1/condition of the distance to a solution, condition being λmax/λmin of A
// over the eigenvalues that are not zero.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "marey/dynamics/dense_algebra.h"
#include "support/islands.h"

namespace siconos {

using islands::Numbers;
using islands::Random;

inline std::string program() { return std::string(MAREY_BIN_DIR) + "/cones_siconos"; }
inline bool is_there() { return access(program().c_str(), X_OK) == 0; }

inline Numbers problem_number(unsigned k) {
  Random random(k);
  const islands::RandomOptions options{.moments = false};
  return k % 2 ? islands::random_planted(random, options) : islands::random_motion(random, options);
}

struct Answer {
  bool converged = false;
  std::vector<double> P;
};
// Of the problems from first up to (not including) end; fewer where the program breaks down.
inline std::vector<Answer> ask_once(unsigned first, unsigned end) {
  char name[] = "/tmp/marey_cones_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return {};
  FILE* out = fdopen(file, "w");
  std::fprintf(out, "%u\n", end - first);
  for (unsigned k = first; k < end; ++k) {
    const Numbers p = problem_number(k);
    std::fprintf(out, "%zu\n", p.blocks.size());
    for (const double x : p.A) std::fprintf(out, "%.17g ", x);
    for (const double x : p.u_free) std::fprintf(out, "%.17g ", x);
    for (const marey::RowBlock& b : p.blocks) std::fprintf(out, "%.17g ", b.friction);
    std::fprintf(out, "\n");
  }
  std::fclose(out);
  std::vector<Answer> answers;
  // One thread: its matrices are small.
  const std::string command = "OPENBLAS_NUM_THREADS=1 timeout 60 '" + program() + "' < " + name + " 2>/dev/null";
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char mark[8] = "";
    int info = 0;
    // It also prints words of its own: an answer begins with "P:".
    while (answers.size() < end - first && std::fscanf(pipe, "%7s", mark) == 1) {
      if (std::string(mark) != "P:" || std::fscanf(pipe, "%d", &info) != 1) continue;
      Answer a;
      a.converged = info == 0, a.P.resize(problem_number(first + static_cast<unsigned>(answers.size())).size());
      for (double& x : a.P)
        if (std::fscanf(pipe, "%lf", &x) != 1 || !std::isfinite(x)) a.converged = false;
      answers.push_back(std::move(a));
    }
    pclose(pipe);
  }
  unlink(name);
  return answers;
}
// All of them: one on which it breaks down counts as not converged, and it is asked about the next ones again.
inline std::vector<Answer> ask(unsigned first, unsigned count) {
  std::vector<Answer> all;
  while (all.size() < count) {
    const unsigned from = first + static_cast<unsigned>(all.size()), end = std::min(from + 100, first + count);
    const std::vector<Answer> some = ask_once(from, end);
    all.insert(all.end(), some.begin(), some.end());
    if (some.size() < end - from) all.emplace_back();
  }
  return all;
}

inline double condition(const Numbers& p) {
  const int n = static_cast<int>(p.size());
  marey::Matrix A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = p.A[static_cast<std::size_t>(i * n + j)];
  const marey::Vector values = marey::eigenvalues(A);
  const double most = values[n - 1];
  for (int i = 0; i < n; ++i)
    if (values[i] > 1e-13 * most) return most / values[i];
  return 1;
}

inline double apart(const Numbers& p, const std::vector<double>& u, const std::vector<double>& w) {
  double most = 0;
  for (std::size_t i = 0; i < u.size(); ++i) most = std::max(most, std::abs(u[i] - w[i]));
  return most / p.scale;
}
inline bool smooth(const Numbers& p) {
  return std::all_of(p.blocks.begin(), p.blocks.end(), [](const auto& b) { return b.friction == 0; });
}
// Whether Marey's solver comes to the same velocities from everywhere.
inline bool five_starts_agree(marey::ConeSolver& solver, const Numbers& p, const std::vector<double>& u,
                              const std::vector<double>& theirs, double bound) {
  Random random(77);
  for (int start = 0; start < 4; ++start) {
    std::vector<double> P(p.size()), w(p.size());
    for (std::size_t i = 0; i < P.size(); ++i) P[i] = random.between(-1, 3) * p.scale / p.A[i * (p.size() + 1)];
    if (start == 3) P = theirs;
    if (!solver.solve(p.problem(), P, w).converged || apart(p, u, w) > bound) return false;
  }
  return true;
}

struct Count {
  int all = 0, certified = 0, theirs_converged = 0, theirs_certified = 0;
  int compared = 0, agree = 0, close = 0, not_unique = 0, iterations = 0, unshared = 0, first_attempt = 0;
  double worst = 0, worst_apart = 0;  // natural map; difference over its bound
  std::string failures;
};
constexpr double bound = 1e-8;

inline void judge(marey::ConeSolver& solver, unsigned k, const Answer& theirs, Count& count) {
  const Numbers p = problem_number(k);
  std::vector<double> P(p.size()), u(p.size());
  const marey::ConeReport report = solver.solve(p.problem(), P, u);
  const double ours = marey::certify(p.problem(), P).natural_map;
  ++count.all, count.iterations += report.iterations, count.unshared += !report.shared;
  count.first_attempt += report.attempts == 1;
  count.worst = std::max(count.worst, ours);
  if (ours <= bound)
    ++count.certified;
  else
    count.failures += " " + std::to_string(k);
  if (!theirs.converged) return;
  ++count.theirs_converged;
  const double other = marey::certify(p.problem(), theirs.P).natural_map;
  if (other > bound) return;
  ++count.theirs_certified;
  const double allowed = (bound + ours + other) * condition(p);
  if (!smooth(p) && !five_starts_agree(solver, p, u, theirs.P, allowed)) {
    ++count.not_unique;
    return;
  }
  ++count.compared;
  const double difference = apart(p, u, p.velocities(theirs.P)) / allowed;
  count.close += difference * allowed <= 10 * bound;
  count.worst_apart = std::max(count.worst_apart, difference);
  count.agree += difference <= 1;
}

inline Count compared(unsigned first, unsigned count, bool with_siconos) {
  const std::vector<Answer> theirs = with_siconos ? ask(first, count) : std::vector<Answer>{};
  marey::ConeSolver solver;
  Count out;
  for (unsigned k = 0; k < count; ++k) judge(solver, first + k, k < theirs.size() ? theirs[k] : Answer{}, out);
  std::printf(
      "%d problems: Marey certified at 1e-8 %d (largest %.1e; %d at the first attempt, %.1f iterations on average, %d "
      "without "
      "sharing)\nSiconos converged on %d, certified %d; compared %d: velocities agree on %d (within 1e-7 on %d; "
      "largest difference %.1e "
      "of its "
      "bound); not unique %d\n",
      out.all, out.certified, out.worst, out.first_attempt, static_cast<double>(out.iterations) / out.all, out.unshared,
      out.theirs_converged, out.theirs_certified, out.compared, out.agree, out.close, out.worst_apart, out.not_unique);
  return out;
}

}  // namespace siconos
