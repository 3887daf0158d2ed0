// Siconos (numerics): contact problems with friction, from standard input to standard output.
//
// In:  how many; then for each the number of contacts m, A [3m × 3m], u_free [3m], μ [m].
// Out: for each a line "P:", what the solver returned (0: it converged), and P [3m]; other lines are its own.
// Gauss–Seidel over the contacts first, and where that does not converge the method of Newton of Alart and Curnier.
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

std::vector<double> read_numbers(int count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& v : x)
    if (std::scanf("%lf", &v) != 1) v = std::nan("");
  return x;
}

int solve_with(int solver, int iterations, FrictionContactProblem* problem, std::vector<double>& P,
               std::vector<double>& u) {
  SolverOptions* options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  const int info = fc3d_driver(problem, P.data(), u.data(), options);
  solver_options_delete(options);
  return info;
}

}  // namespace

int main() {
  int count = 0;
  if (std::scanf("%d", &count) != 1) return 1;
  for (int k = 0; k < count; ++k) {
    int m = 0;
    if (std::scanf("%d", &m) != 1) return 1;
    std::vector<double> A = read_numbers(9 * m * m), u_free = read_numbers(3 * m), mu = read_numbers(m);
    std::vector<double> P(u_free.size()), u(u_free.size());
    NumericsMatrix* M = NM_create_from_data(NM_DENSE, 3 * m, 3 * m, A.data());
    FrictionContactProblem* problem = frictionContactProblem_new_with_data(3, m, M, u_free.data(), mu.data());
    int info = solve_with(SICONOS_FRICTION_3D_NSGS, 5000, problem, P, u);
    if (info != 0) {
      std::vector<double> Q = P, w = u;
      if (solve_with(SICONOS_FRICTION_3D_NSN_AC, 200, problem, Q, w) == 0) info = 0, P = Q;
    }
    std::printf("P: %d", info);
    for (const double x : P) std::printf(" %.17g", x);
    std::printf("\n");
    std::fflush(stdout);
  }
}
