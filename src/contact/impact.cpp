// Impact of several contacts at once.
//
// Contacts are sorted into groups that influence each other (blocks of A that are not zero). A group of one, by
// Coulomb's law, is followed along its impulse (slip_impact.h). A larger group, with Stronge's or Poisson's hypothesis:
//   compression   u_c = A P_c + u⁻      0 ≤ u_c,n ⊥ P_c,n ≥ 0, Coulomb's law with the slip u_c,t                    (1)
//   restitution   u⁺ = A P_r + u_c      P_r,n ≥ κ e P_c,n ⊥ u⁺_n ≥ 0, Coulomb's law with the slip u⁺_t              (2)
//   Poisson: κ = 1.  Stronge: κ such that Σ P_r,n (u_c,n + u⁺_n)/2 = −Σ e² P_c,n (u⁻_n + u_c,n)/2                   (3)
// Work is impulse · mean velocity. That of (1) alone cannot be positive: it is P_c · u_c − P_c · A P_c / 2, where
// P_c · u_c ≤ 0 by the laws and A is positive semidefinite. With κ = 0 nothing follows (1); so there is
// always a κ that creates no energy, and where (3) does create some, κ is lowered until it does not.
// Without friction (3) gives κ = 1 and, for equal e, u⁺_n = −e u⁻_n wherever it is possible.
//
// Newton's hypothesis and the kinds rough and stick prescribe velocities after the impact:
//   u⁺ = A P + u⁻,  0 ≤ u⁺_n + e min(u⁻_n, 0) ⊥ P_n ≥ 0,  u⁺_t = −u⁻_t (rough), 0 (stick), Coulomb's law else       (4)
// A floor cannot pull and an impact cannot create energy: where (4) asks for that, the group is solved by (1)–(3) with
// Coulomb's law instead.
//
// Should no solution of (1) be found, the contacts are struck one after the other with e = 0 until none approaches;
// each such impact takes energy.
#include <algorithm>
#include <cmath>

#include "contact/scratch.h"
#include "contact/slip_impact.h"

namespace marey {

const char* name_of(ImpactKind kind) {
  constexpr const char* names[] = {"coulomb", "smooth", "rough", "stick"};
  return names[static_cast<int>(kind)];
}
const char* name_of(Hypothesis hypothesis) {
  constexpr const char* names[] = {"stronge", "poisson", "newton"};
  return names[static_cast<int>(hypothesis)];
}

namespace {

using Scratch = ContactWorkspace::Scratch;
constexpr double jammed = 1e-9;  // as a part of the work that restitution should do

double friction_of(const ImpulseLaw& law) { return law.kind == ImpactKind::smooth ? 0 : law.friction; }
bool prescribes(const ImpulseLaw& law) {
  return law.kind == ImpactKind::rough || law.kind == ImpactKind::stick || law.hypothesis == Hypothesis::newton;
}

// One group, gathered.
struct Group {
  std::size_t m;
  std::span<const double> A, u_minus;
  std::span<const ImpulseLaw> laws;
  std::span<double> P, u_plus;
  std::span<ImpactOfContact> reports;
  Scratch& scratch;

  std::size_t n() const { return 3 * m; }
  double block(std::size_t i, std::size_t r, std::size_t c) const { return A[(3 * i + r) * n() + 3 * i + c]; }
  void velocities() const {
    for (std::size_t i = 0; i < n(); ++i) {
      u_plus[i] = u_minus[i];
      for (std::size_t j = 0; j < n(); ++j) u_plus[i] += A[i * n() + j] * P[j];
    }
  }
  double work(std::size_t i) const {
    double w = 0;
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) w += 0.5 * P[k] * (u_minus[k] + u_plus[k]);
    return w;
  }
  // Total work, and what rounding may make of nothing.
  bool creates_energy() const {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < m; ++i) sum += work(i);
    for (std::size_t k = 0; k < n(); ++k) size += std::abs(P[k]) * (std::abs(u_minus[k]) + std::abs(u_plus[k]));
    return sum > 1e-13 * size;
  }
  void mark(unsigned course) const {
    for (ImpactOfContact& r : reports) r.course |= course;
  }
};

std::array<double, 9> own_block(const Group& g, std::size_t i) {
  std::array<double, 9> A{};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) A[3 * r + c] = g.block(i, r, c);
  return A;
}

// A group of one.
bool follow_slip(const Group& g) {
  const ImpulseLaw& law = g.laws[0];
  const std::array<double, 9> A = own_block(g, 0);
  const std::span<const double, 3> u_minus(g.u_minus.data(), 3);
  const auto attempt = [&](Hypothesis hypothesis) {
    SlipImpact impact(A, u_minus, friction_of(law), law.restitution, hypothesis);
    const bool ended = impact.run(false);
    std::copy(impact.P.begin(), impact.P.end(), g.P.begin());
    g.velocities();
    g.reports[0].course |= impact.course;
    return ended;
  };
  const bool ended = attempt(law.hypothesis);
  if (law.hypothesis == Hypothesis::stronge || !g.creates_energy()) return ended;
  g.reports[0].course = course_rule_replaced;
  return attempt(Hypothesis::stronge);
}

// (4)
bool prescribed(const Group& g) {
  Scratch& s = g.scratch;
  for (std::size_t i = 0; i < g.m; ++i) {
    const ImpulseLaw& law = g.laws[i];
    ConePoint& p = s.points[i] = {};
    p.mu_stick = p.mu_slide = friction_of(law);
    p.holds_always = law.kind == ImpactKind::rough || law.kind == ImpactKind::stick;
    const double again = law.kind == ImpactKind::rough ? 2 : 1;
    s.b[3 * i] = g.u_minus[3 * i] + law.restitution * std::min(g.u_minus[3 * i], 0.0);
    for (std::size_t k = 1; k < 3; ++k) s.b[3 * i + k] = again * g.u_minus[3 * i + k];
    s.modes[i] = ModeSolver::guess(p);
  }
  const ModeProblem problem{g.A, std::span(s.b).first(g.n()), std::span(s.points).first(g.m)};
  if (!s.cones.search(problem, std::span(s.modes).first(g.m))) return false;
  std::ranges::copy(s.cones.P(), g.P.begin());
  g.velocities();
  return !g.creates_energy();
}

// (1)
bool compress(const Group& g) {
  Scratch& s = g.scratch;
  for (std::size_t i = 0; i < g.m; ++i) {
    s.points[i] = {};
    s.points[i].mu_stick = s.points[i].mu_slide = friction_of(g.laws[i]);
    s.modes[i] = ModeSolver::guess(s.points[i]);
    if (g.u_minus[3 * i] > 0) s.modes[i] = {};
  }
  const ModeProblem problem{g.A, g.u_minus, std::span(s.points).first(g.m)};
  if (!s.cones.search(problem, std::span(s.modes).first(g.m))) return false;
  std::ranges::copy(s.cones.P(), s.P_c.begin());
  std::ranges::copy(s.cones.u(), s.u_c.begin());
  return true;
}

// (2): the whole impulse goes to P; returns the normal work of the restitution.
bool restore(const Group& g, double kappa, double& normal_work) {
  Scratch& s = g.scratch;
  for (std::size_t i = 0; i < g.m; ++i) {
    s.points[i].least = kappa * g.laws[i].restitution * s.P_c[3 * i];
    const bool loaded = s.points[i].least > 0;
    if (loaded && s.modes[i].normal == ConeMode::Normal::held) s.modes[i].normal = ConeMode::Normal::open;
    if (!loaded) s.modes[i] = {};
  }
  const ModeProblem problem{g.A, std::span(s.u_c).first(g.n()), std::span(s.points).first(g.m)};
  if (!s.cones.search(problem, std::span(s.modes).first(g.m))) return false;
  normal_work = 0;
  for (std::size_t i = 0; i < g.m; ++i) normal_work += 0.5 * s.cones.P()[3 * i] * (s.u_c[3 * i] + s.cones.u()[3 * i]);
  for (std::size_t k = 0; k < g.n(); ++k) g.P[k] = s.P_c[k] + s.cones.P()[k];
  g.velocities();
  return true;
}

// (3): κ by bracketing and false position (Illinois); the normal work grows with κ.
double energetic_kappa(const Group& g, double wanted) {
  double work = 0;
  if (!restore(g, 1, work)) return 0;
  if (std::abs(work) <= jammed * wanted) return 0;  // no impulse brings them away from where friction holds them
  if (std::abs(work - wanted) <= 1e-13 * wanted) return 1;
  double low = 0, f_low = -wanted, high = 1, f_high = work - wanted;
  for (int i = 0; i < 10 && f_high < 0; ++i) {
    low = high, f_low = f_high, high *= 2;
    if (!restore(g, high, work)) return low;
    f_high = work - wanted;
  }
  if (f_high < 0) return low;
  int side = 0;
  for (int i = 0; i < 60 && high - low > 1e-15 * high; ++i) {
    const double kappa = std::clamp((low * f_high - high * f_low) / (f_high - f_low), low, high);
    if (!restore(g, kappa, work)) break;
    const double f = work - wanted;
    if (std::abs(f) <= 1e-13 * wanted) return kappa;
    if (f < 0) {
      low = kappa, f_low = f;
      if (side == -1) f_high *= 0.5;
      side = -1;
    } else {
      high = kappa, f_high = f;
      if (side == 1) f_low *= 0.5;
      side = 1;
    }
  }
  return low;
}

// (1)–(3)
bool energetic(const Group& g, bool poisson) {
  Scratch& s = g.scratch;
  if (!compress(g)) return false;
  double wanted = 0;
  for (std::size_t i = 0; i < g.m; ++i) {
    const double e = g.laws[i].restitution;
    wanted += e * e * std::max(0.0, -0.5 * s.P_c[3 * i] * (g.u_minus[3 * i] + s.u_c[3 * i]));
  }
  double work = 0, kappa = wanted == 0 ? 0 : poisson ? 1 : energetic_kappa(g, wanted), low = 0;
  if (kappa > 0 && restore(g, kappa, work) && !g.creates_energy()) return true;
  // Down to the largest κ, to a thousandth, that creates no energy.
  for (int i = 0; kappa > 0 && i < 10; ++i) {
    const double middle = 0.5 * (low + kappa);
    (restore(g, middle, work) && !g.creates_energy() ? low : kappa) = middle;
  }
  if (low > 0 && restore(g, low, work)) return true;
  std::copy_n(s.P_c.begin(), g.n(), g.P.begin());
  g.velocities();
  return true;
}

// One after the other, without restitution, on top of the impulses in P.
bool one_by_one(const Group& g) {
  g.velocities();
  double fastest = 0;
  for (const double u : g.u_minus) fastest = std::max(fastest, std::abs(u));
  bool approaching = true;
  for (int round = 0; round < 1000 && approaching; ++round) {
    approaching = false;
    for (std::size_t i = 0; i < g.m; ++i) {
      if (g.u_plus[3 * i] >= -1e-12 * fastest) continue;
      approaching = true;
      SlipImpact impact(own_block(g, i), std::span<const double, 3>(g.u_plus.data() + 3 * i, 3), friction_of(g.laws[i]),
                        0, Hypothesis::stronge);
      impact.run(false);
      for (std::size_t k = 0; k < 3; ++k) g.P[3 * i + k] += impact.P[k];
      g.velocities();
    }
  }
  g.mark(course_one_by_one);
  return !approaching;
}

bool strike(const Group& g) {
  bool struck = false, by_velocity = false, poisson = true;
  for (std::size_t i = 0; i < g.m; ++i) {
    struck = struck || g.u_minus[3 * i] < 0;
    by_velocity = by_velocity || prescribes(g.laws[i]);
    poisson = poisson && g.laws[i].hypothesis == Hypothesis::poisson;
  }
  std::ranges::fill(g.P, 0);
  g.velocities();
  if (!struck) return true;
  if (g.m > 1) g.mark(course_simultaneous);
  const bool coulomb = g.laws[0].kind == ImpactKind::coulomb || g.laws[0].kind == ImpactKind::smooth;
  if (g.m == 1 && coulomb) return follow_slip(g);
  if (by_velocity) {
    if (prescribed(g)) return true;
    g.mark(course_rule_replaced);
    if (g.m == 1) {
      ImpulseLaw law = g.laws[0];
      law.hypothesis = Hypothesis::stronge;
      Group again = g;
      again.laws = {&law, 1};
      return follow_slip(again);
    }
  }
  if (energetic(g, poisson)) return true;
  std::ranges::fill(g.P, 0);
  return one_by_one(g);
}

// A group in which friction presses contacts into the floor: sliding, with u_n = 0, and no consistent accelerations.
// u⁺ = A P + u⁻ + h a_free with the laws of (1) has a solution for each h > 0; since P/h has no limit for h → 0 (that
// would be consistent forces), P has one that is not zero. With the modes found for a small h, h = 0 gives the impulse
// itself where slip stops; where it goes on, that system is singular, and the impulse for the small h is taken.
bool jam_together(const Group& g, std::span<const double> a_free) {
  Scratch& s = g.scratch;
  double slip = 0, push = 1e-300;
  for (std::size_t k = 0; k < g.n(); ++k)
    slip = std::max(slip, std::abs(g.u_minus[k])), push = std::max(push, std::abs(a_free[k]));
  const auto presses = [&] {
    double most = 0;
    for (std::size_t i = 0; i < g.m; ++i) most = std::max(most, s.cones.P()[3 * i] * g.block(i, 0, 0));
    return most > 1e-3 * slip;
  };
  ModeProblem problem{g.A, std::span(s.b).first(g.n()), std::span(s.points).first(g.m)};
  const std::span<ConeMode> modes = std::span(s.modes).first(g.m);
  for (const double small : {1e-8, 1e-6, 1e-4}) {
    for (std::size_t k = 0; k < g.n(); ++k) s.b[k] = g.u_minus[k] + small * slip / push * a_free[k];
    for (std::size_t i = 0; i < g.m; ++i) {
      s.points[i] = {};
      s.points[i].mu_stick = s.points[i].mu_slide = friction_of(g.laws[i]);
      modes[i] = ModeSolver::guess(s.points[i]);
    }
    if (!s.cones.search(problem, modes) || !presses()) continue;
    std::ranges::copy(s.cones.P(), g.P.begin());
    problem.b = g.u_minus;
    if (s.cones.search(problem, modes) && presses()) std::ranges::copy(s.cones.P(), g.P.begin());
    g.velocities();
    if (!g.creates_energy()) return true;
    std::ranges::fill(g.P, 0);
    problem.b = std::span(s.b).first(g.n());
  }
  return false;
}

// The contacts that friction presses, each as if it were alone; then what that makes approach.
bool jam_one_by_one(const Group& g) {
  g.velocities();
  double most = 0;
  for (std::size_t i = 0; i < g.m; ++i) {
    SlipImpact impact(own_block(g, i), std::array<double, 3>{0, g.u_plus[3 * i + 1], g.u_plus[3 * i + 2]},
                      friction_of(g.laws[i]), g.m == 1 ? g.laws[i].restitution : 0, Hypothesis::stronge);
    if (!impact.run(true) || impact.P[0] == 0) continue;
    g.reports[i].course |= impact.course;
    most = std::max(most, impact.P[0]);
    for (std::size_t k = 0; k < 3; ++k) g.P[3 * i + k] += impact.P[k];
    g.velocities();
  }
  return most > 0 && (g.m == 1 || one_by_one(g));
}

bool jam(const Group& g, std::span<const double> a_free) {
  if (g.m == 1) return a_free[0] <= 0 && jam_one_by_one(g);
  if (!jam_together(g, a_free)) return jam_one_by_one(g);
  g.mark(course_simultaneous);
  return true;
}

// Gathers each group, has it solved by `solve(group, members)`, and scatters the results.
template <class Solve>
void for_each_group(std::span<const double> A, std::span<const double> u_minus, std::span<const ImpulseLaw> laws,
                    Scratch& s, std::span<double> P, std::span<double> u_plus, std::span<ImpactOfContact> reports,
                    const Solve& solve) {
  const int m = static_cast<int>(laws.size());
  find_groups(A, m, s.group);
  for (int first = 0; first < m; ++first) {
    if (s.group[first] != first) continue;
    std::size_t count = 0;
    for (int i = first; i < m; ++i)
      if (s.group[i] == first) s.members[count++] = i;
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const std::size_t row = static_cast<std::size_t>(3 * s.members[i / 3]) + i % 3;
      s.u_minus[i] = u_minus[row];
      for (std::size_t j = 0; j < 3 * count; ++j)
        s.A[i * 3 * count + j] = A[row * 3 * laws.size() + static_cast<std::size_t>(3 * s.members[j / 3]) + j % 3];
    }
    for (std::size_t i = 0; i < count; ++i) s.laws[i] = laws[s.members[i]], s.reports[i] = {};
    const Group g{count,
                  std::span(s.A).first(9 * count * count),
                  std::span(s.u_minus).first(3 * count),
                  std::span(s.laws).first(count),
                  std::span(s.P).first(3 * count),
                  std::span(s.u_plus).first(3 * count),
                  std::span(s.reports).first(count),
                  s};
    std::ranges::fill(g.P, 0);
    solve(g, std::span<const int>(s.members).first(count));
    g.velocities();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = static_cast<std::size_t>(s.members[i]);
      reports[to] = g.reports[i];
      reports[to].work = g.work(i);
      for (std::size_t k = 0; k < 3; ++k) P[3 * to + k] = g.P[3 * i + k], u_plus[3 * to + k] = g.u_plus[3 * i + k];
    }
  }
}

}  // namespace

int find_groups(std::span<const double> A, int m, std::span<int> group) {
  const std::size_t n = 3 * static_cast<std::size_t>(m);
  const auto influence = [&](int i, int j) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (A[static_cast<std::size_t>(3 * i + r) * n + static_cast<std::size_t>(3 * j + c)] != 0) return true;
    return false;
  };
  int groups = 0;
  for (int i = 0; i < m; ++i) {
    group[i] = i, ++groups;
    for (int j = 0; j < i; ++j) {
      if (group[j] == group[i] || !influence(i, j)) continue;
      const int from = std::max(group[i], group[j]), to = std::min(group[i], group[j]);
      --groups;
      for (int k = 0; k <= i; ++k)
        if (group[k] == from) group[k] = to;
    }
  }
  return groups;
}

bool impact(std::span<const double> A, std::span<const double> u_minus, std::span<const ImpulseLaw> laws,
            ContactWorkspace& ws, std::span<double> P, std::span<double> u_plus, std::span<ImpactOfContact> reports) {
  bool solved = true;
  for_each_group(A, u_minus, laws, ws.scratch(), P, u_plus, reports,
                 [&](const Group& g, std::span<const int>) { solved = strike(g) && solved; });
  return solved;
}

bool impact_without_collision(std::span<const double> A, std::span<const double> u_minus,
                              std::span<const double> a_free, std::span<const ImpulseLaw> laws, ContactWorkspace& ws,
                              std::span<double> P, std::span<double> u_plus, std::span<ImpactOfContact> reports) {
  bool struck = false;
  Scratch& s = ws.scratch();
  for_each_group(A, u_minus, laws, s, P, u_plus, reports, [&](const Group& g, std::span<const int> members) {
    for (std::size_t k = 0; k < g.n(); ++k) s.a_free[k] = a_free[static_cast<std::size_t>(3 * members[k / 3]) + k % 3];
    struck = jam(g, std::span(s.a_free).first(g.n())) || struck;
  });
  return struck;
}

}  // namespace marey
