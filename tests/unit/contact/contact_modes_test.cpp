// Contact that lasts: multipliers, modes, what ends them, Painlevé's cases.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_cases.h"

namespace {

using namespace marey;
using cases::Random;
using cases::Rod;

struct Chosen {
  ModeChoice result;
  std::vector<ContactMode> modes;
  std::vector<double> lambda, a;
};
Chosen choose(std::span<const double> A, std::span<const double> a_free, std::span<const ContactPoint> points,
              std::vector<ContactMode> before = {}) {
  ContactWorkspace ws(static_cast<int>(points.size()));
  before.resize(points.size());
  Chosen c{{}, std::move(before), std::vector<double>(a_free.size()), std::vector<double>(a_free.size())};
  c.result = choose_modes(A, a_free, points, 1e-9, ws, c.modes, c.lambda, c.a);
  return c;
}
ContactPoint rubbing(double mu_s, double mu_k, double x = 0, double y = 0) {
  ContactPoint p;
  p.friction_static = mu_s, p.friction_kinetic = mu_k, p.slip = {x, y};
  return p;
}
// Every law of contact.h, from λ and a alone; returns the largest violation.
double violation(std::span<const double> A, std::span<const double> a_free, std::span<const ContactPoint> points,
                 std::span<const double> lambda, std::span<const double> a) {
  const std::size_t n = a_free.size();
  double worst = 0, most = 1e-300;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = a_free[i];
    for (std::size_t j = 0; j < n; ++j) sum += A[i * n + j] * lambda[j];
    worst = std::max(worst, std::abs(sum - a[i]));
    most = std::max(most, std::abs(a_free[i]));
  }
  for (std::size_t c = 0; c < points.size(); ++c) {
    const double* l = lambda.data() + 3 * c;
    const double* x = a.data() + 3 * c;
    const ContactPoint& p = points[c];
    const double scale = A[3 * c * n + 3 * c];
    const double l_t = std::hypot(l[1], l[2]), a_t = std::hypot(x[1], x[2]), speed = std::hypot(p.slip[0], p.slip[1]);
    worst = std::max({worst, -x[0], -l[0] * scale, std::min(std::abs(x[0]), std::abs(l[0] * scale))});
    if (speed > 0) {
      worst = std::max(worst, scale * std::hypot(l[1] + p.friction_kinetic * l[0] * p.slip[0] / speed,
                                                 l[2] + p.friction_kinetic * l[0] * p.slip[1] / speed));
    } else {
      const double sticks = std::max(a_t, scale * (l_t - p.friction_static * l[0]));
      const double slips = a_t == 0 ? 1e300
                                    : scale * std::hypot(l[1] + p.friction_kinetic * l[0] * x[1] / a_t,
                                                         l[2] + p.friction_kinetic * l[0] * x[2] / a_t);
      worst = std::max(worst, std::min(sticks, slips));
    }
  }
  return worst / most;
}

// A block (one point, A = 1/m) on a slope of angle β: holds up to tan β = μ_s, then slides with g (sin β − μ_k cos β).
TEST(ContactModes, BlockOnASlope) {
  const double m = 2, g = 9.81, mu_s = 0.5, mu_k = 0.4;
  const std::array<double, 9> A{1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
  for (const double beta : {0.1, 0.4, 0.46, 0.47, 0.8}) {
    const std::array<double, 3> free{-g * std::cos(beta), g * std::sin(beta), 0};
    const std::array<ContactPoint, 1> p{rubbing(mu_s, mu_k)};
    const Chosen c = choose(A, free, p);
    EXPECT_EQ(c.result.choice, Choice::consistent);
    EXPECT_NEAR(c.lambda[0], m * g * std::cos(beta), 1e-12);
    if (std::tan(beta) < mu_s) {
      EXPECT_EQ(c.modes[0].mode, Mode::stick);
      EXPECT_NEAR(c.lambda[1], -m * g * std::sin(beta), 1e-12);
    } else {
      EXPECT_EQ(c.modes[0].mode, Mode::slide);
      EXPECT_NEAR(c.modes[0].direction[0], 1, 1e-12);
      EXPECT_NEAR(c.a[1], g * (std::sin(beta) - mu_k * std::cos(beta)), 1e-12);
    }
    const std::array<ContactPoint, 1> up{rubbing(mu_s, mu_k, -3, 0)};
    const Chosen d = choose(A, free, up);
    EXPECT_EQ(d.modes[0].mode, Mode::slide);
    EXPECT_NEAR(d.a[1], g * (std::sin(beta) + mu_k * std::cos(beta)), 1e-12);
    EXPECT_EQ(d.modes[0].direction[0], -1);
  }
  const Chosen up = choose(A, std::array<double, 3>{0.1, 5, 0}, std::array<ContactPoint, 1>{rubbing(mu_s, mu_k)});
  EXPECT_EQ(up.modes[0].mode, Mode::free);
  EXPECT_EQ(up.lambda[0], 0);
}

// What ends a mode crosses zero where it must.
TEST(ContactModes, EndsOfModes) {
  const double m = 2, g = 9.81;
  const std::array<double, 9> A{1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
  const ContactPoint p = rubbing(0.5, 0.4);
  ContactMotion motion;
  motion.gap = 0.3, motion.velocity = {-2, 1.5, -2};
  const auto ends = [&](Mode mode, std::array<double, 2> s, std::array<double, 3> lambda, std::array<double, 3> a) {
    return mode_ends(A, p, {mode, s}, motion, lambda, a);
  };
  const ModeEnds flying = ends(Mode::free, {}, {}, {});
  EXPECT_EQ(flying.touch.value, 0.3);
  EXPECT_EQ(flying.touch.rate, -2);
  EXPECT_EQ(flying.lift_off.value, unbounded);
  const ModeEnds held = ends(Mode::stick, {}, {m * g, 3, -4}, {});
  EXPECT_EQ(held.lift_off.value, m * g);
  EXPECT_NEAR(held.slip.value, 0.5 * m * g - 5, 1e-14);
  EXPECT_EQ(held.stop.value, unbounded);
  const ModeEnds sliding = ends(Mode::slide, {0.6, -0.8}, {m * g, 0, 0}, {0, -3, 4});
  EXPECT_NEAR(sliding.stop.value, 2.5, 1e-15);
  EXPECT_NEAR(sliding.stop.rate, -5, 1e-15);
  EXPECT_EQ(sliding.jam.value, 1 / m);
  const ModeEnds idle = ends(Mode::idle, {}, {}, {0.25, 0, 0});
  EXPECT_EQ(idle.lift_off.value, 0.25);
}

TEST(ContactModes, DirectionOfSlipDoesNotTurnRoundWhenItStops) {
  const std::array<double, 2> s{0.6, 0.8};
  const auto at = [&](double x, double y) { return slip_direction(std::array{x, y}, s, 1e-9); };
  EXPECT_NEAR(at(3e-3, 4e-3)[0], 0.6, 1e-15);
  EXPECT_NEAR(at(-3e-3, -4e-3)[0], 0.6, 1e-15);
  EXPECT_NEAR(at(4, 3)[0], 0.8, 1e-15);
  EXPECT_EQ(at(1e-10, 0), s);
}

TEST(ContactModes, ACheckpointKeepsThem) {
  const ContactMode mode{Mode::slide, {0.6, -0.8}};
  std::array<double, contact_mode_doubles> x{};
  save(mode, x);
  const ContactMode back = load(x);
  EXPECT_EQ(back.mode, mode.mode);
  EXPECT_EQ(back.direction, mode.direction);
}

struct Table {
  double m = 4, a = 0.5, b = 0.3, h = 0.2;
  std::vector<double> A() const {
    const auto J = Sym3<double>::diagonal(m / 3 * (b * b + h * h), m / 3 * (a * a + h * h), m / 3 * (a * a + b * b));
    return cases::free_body(m, J, {{a, b, -h}, {-a, b, -h}, {-a, -b, -h}, {a, -b, -h}});
  }
  // Accelerations of the corners under gravity and a downward force F at (x, y) of the top.
  std::vector<double> a_free(double F, double x, double y) const {
    const double wx = -y * F / (m / 3 * (b * b + h * h)), wy = x * F / (m / 3 * (a * a + h * h));
    const double cx[4] = {a, -a, -a, a}, cy[4] = {b, b, -b, -b};
    std::vector<double> f(12);
    for (std::size_t i = 0; i < 4; ++i) {
      f[3 * i] = -9.81 - F / m + wx * cy[i] - wy * cx[i];
      f[3 * i + 1] = -wy * h, f[3 * i + 2] = wx * h;
    }
    return f;
  }
};

// Four legs, three freedoms: the least norm is the plane λ = F/4 (1 + x X/a² + y Y/b²) as long as it pushes everywhere.
TEST(ContactModes, FourLegsShareByLeastNorm) {
  const Table t;
  const auto A = t.A();
  const double F = 20, x = 0.1, y = -0.05, W = t.m * 9.81;
  const std::vector<ContactPoint> p(4, rubbing(0, 0));
  const Chosen c = choose(A, t.a_free(F, x, y), p);
  EXPECT_EQ(c.result.choice, Choice::consistent);
  const double cx[4] = {t.a, -t.a, -t.a, t.a}, cy[4] = {t.b, t.b, -t.b, -t.b};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(c.a[3 * i], 0, 1e-12);
    EXPECT_NEAR(c.lambda[3 * i], (W + F) / 4 + F / 4 * (x * cx[i] / (t.a * t.a) + y * cy[i] / (t.b * t.b)), 1e-10) << i;
  }
}

// Pressed near a corner, the opposite leg would have to pull: it idles, and three legs carry.
TEST(ContactModes, AnIdleLeg) {
  const Table t;
  const auto A = t.A();
  const double F = 400, x = 0.4, y = 0.22;
  for (const double mu : {0.0, 0.6}) {
    const std::vector<ContactPoint> p(4, rubbing(mu, mu));
    const auto free = t.a_free(F, x, y);
    const Chosen c = choose(A, free, p);
    EXPECT_EQ(c.result.choice, Choice::consistent);
    EXPECT_EQ(c.modes[2].mode, Mode::idle);
    EXPECT_NEAR(c.a[6], 0, 1e-9);
    EXPECT_EQ(c.lambda[6], 0);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_GE(c.lambda[3 * i], 0);
      sum += c.lambda[3 * i];
    }
    EXPECT_NEAR(sum, F + t.m * 9.81, 1e-9);
    EXPECT_LT(violation(A, free, p, c.lambda, c.a), 1e-9);
    // The same modes give the same multipliers.
    ContactWorkspace ws(4);
    std::vector<double> lambda(12), a(12);
    EXPECT_TRUE(contact_multipliers(A, free, p, c.modes, ws, lambda, a));
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(lambda[k], c.lambda[k], 1e-9);
  }
  // Pressed outside, it tips: that leg goes up.
  const Chosen c = choose(A, t.a_free(F, 0.8, 0.0), std::vector<ContactPoint>(4, rubbing(0, 0)));
  EXPECT_EQ(c.modes[1].mode, Mode::free);
  EXPECT_EQ(c.modes[2].mode, Mode::free);
  EXPECT_GT(c.a[3], 1);
  EXPECT_EQ(c.lambda[3], 0);
}

// Random systems: the laws hold.
TEST(ContactModes, LawsHoldOnRandomSystems) {
  Random random(23);
  int by_kind[4] = {};
  int modes[4] = {};
  for (int i = 0; i < 4000; ++i) {
    const int m = 1 + random.below(4);
    const std::size_t n = static_cast<std::size_t>(3 * m);
    const auto A = i % 2 ? cases::random_body(random, m) : cases::random_matrix(random, m, i % 4 == 0 ? 3 : 3 * m);
    auto free = cases::in_range(A, cases::random_vector(random, n));
    std::vector<ContactPoint> p;
    const double mu = random.between(0, 0.8);
    for (int k = 0; k < m; ++k) {
      const double mu_s = random.chance(0.2) ? 0 : mu;
      const bool slips = !random.chance(0.6);
      const double u_1 = slips ? random.normal() : 0, u_2 = slips ? random.normal() : 0;
      p.push_back(slips ? rubbing(mu_s, mu_s, u_1, u_2) : rubbing(mu_s, mu_s));
    }
    const Chosen c = choose(A, free, p);
    ++by_kind[static_cast<int>(c.result.choice)];
    if (c.result.choice == Choice::inconsistent || c.result.choice == Choice::unresolved) continue;
    for (const ContactMode& mode : c.modes) ++modes[static_cast<int>(mode.mode)];
    EXPECT_LT(violation(A, free, p, c.lambda, c.a), 1e-8) << i;
  }
  std::printf("consistent %d, indeterminate %d, inconsistent %d, unresolved %d\n", by_kind[0], by_kind[1], by_kind[2],
              by_kind[3]);
  std::printf("free %d, idle %d, slide %d, stick %d\n", modes[0], modes[1], modes[2], modes[3]);
  EXPECT_EQ(by_kind[3], 0);
  for (const Mode mode : {Mode::free, Mode::slide, Mode::stick}) EXPECT_GT(modes[static_cast<int>(mode)], 100);
}

// In the plane (A has no second tangent) every combination of free, stick, slide left, slide right is a small linear
// system: all of them tried here by Cramer's rule on two contacts.
double det(std::vector<double> M, std::size_t n) {
  double d = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(M[i * n + k]) > std::abs(M[best * n + k])) best = i;
    if (M[best * n + k] == 0) return 0;
    if (best != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(M[k * n + j], M[best * n + j]);
      d = -d;
    }
    d *= M[k * n + k];
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = n; j-- > k;) M[i * n + j] -= M[i * n + k] / M[k * n + k] * M[k * n + j];
  }
  return d;
}
// Distinct accelerations of all consistent combinations.
std::vector<std::array<double, 4>> all_planar(const std::vector<double>& A, const std::array<double, 4>& free,
                                              double mu, const std::array<double, 2>& slip) {
  std::vector<std::array<double, 4>> found;
  for (int c = 0; c < 16; ++c) {
    const int kind[2] = {c % 4, c / 4};  // free, stick, slide +, slide −
    std::vector<double> M(16, 0.0), r(4, 0.0);
    bool allowed = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t row = 2 * i;
      const double s = kind[i] == 2 ? 1 : -1;
      if (slip[i] != 0 && kind[i] != 0 && (kind[i] == 1 || s * slip[i] < 0)) allowed = false;
      const auto use_A = [&](std::size_t k) {
        for (std::size_t j = 0; j < 4; ++j) M[k * 4 + j] = A[k * 4 + j];
        r[k] = -free[k];
      };
      kind[i] == 0 ? void(M[row * 4 + row] = 1) : use_A(row);
      if (kind[i] == 1) {
        use_A(row + 1);
      } else {
        M[(row + 1) * 4 + row + 1] = 1;
        if (kind[i] > 1) M[(row + 1) * 4 + row] = mu * s;
      }
    }
    if (!allowed) continue;
    const double D = det(M, 4);
    std::array<double, 4> x{}, a = free;
    for (std::size_t k = 0; k < 4; ++k) {
      auto N = M;
      for (std::size_t i = 0; i < 4; ++i) N[i * 4 + k] = r[i];
      x[k] = det(N, 4) / D;
    }
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) a[i] += A[i * 4 + j] * x[j];
    bool good = std::isfinite(x[0] + x[1] + x[2] + x[3]);
    for (std::size_t i = 0; i < 2; ++i) {
      const double s = kind[i] == 2 ? 1 : -1;
      if (kind[i] == 0) good = good && a[2 * i] >= -1e-10;
      if (kind[i] != 0) good = good && x[2 * i] >= -1e-10;
      if (kind[i] == 1) good = good && std::abs(x[2 * i + 1]) <= mu * x[2 * i] + 1e-10;
      if (kind[i] > 1 && slip[i] == 0) good = good && s * a[2 * i + 1] >= -1e-10;
    }
    if (!good) continue;
    bool fresh = true;
    for (const auto& f : found) {
      double d = 0;
      for (std::size_t k = 0; k < 4; ++k) d = std::max(d, std::abs(f[k] - a[k]));
      fresh = fresh && d > 1e-7;
    }
    if (fresh) found.push_back(a);
  }
  return found;
}
TEST(ContactModes, AgreesWithAllCombinationsInThePlane) {
  Random random(31);
  int none = 0, one = 0, several = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> G(16), A2(16, 0.0), A(36, 0.0);
    for (double& g : G) g = random.normal();
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t k = 0; k < 4; ++k) A2[r * 4 + c] += G[r * 4 + k] * G[c * 4 + k];
    const std::array<double, 4> free{random.normal(), random.normal(), random.normal(), random.normal()};
    const std::array<double, 2> slip{random.chance(0.5) ? 0 : random.normal(),
                                     random.chance(0.5) ? 0 : random.normal()};
    const double mu = random.between(0.05, 1.2);
    std::vector<double> f(6, 0.0);
    const std::size_t place[4] = {0, 1, 3, 4};
    for (std::size_t r = 0; r < 4; ++r) {
      f[place[r]] = free[r];
      for (std::size_t c = 0; c < 4; ++c) A[place[r] * 6 + place[c]] = A2[r * 4 + c];
    }
    const auto all = all_planar(A2, free, mu, slip);
    const std::array<ContactPoint, 2> p{rubbing(mu, mu, slip[0]), rubbing(mu, mu, slip[1])};
    const Chosen c = choose(A, f, p);
    const bool solved = c.result.choice == Choice::consistent || c.result.choice == Choice::indeterminate;
    EXPECT_EQ(solved, !all.empty()) << i;
    if (c.result.choice == Choice::indeterminate) {
      EXPECT_GT(all.size(), 1U) << i;
    }
    bool listed = false;
    for (const auto& a : all) {
      double d = 0;
      for (std::size_t r = 0; r < 4; ++r) d = std::max(d, std::abs(c.a[place[r]] - a[r]));
      listed = listed || d < 1e-6;
    }
    if (solved) {
      EXPECT_TRUE(listed) << i;
    }
    none += all.empty(), one += all.size() == 1, several += all.size() > 1;
  }
  std::printf("none %d, one %d, several %d\n", none, one, several);
  EXPECT_GT(none, 5);
  EXPECT_GT(several, 5);
}

// ---- Painlevé's rod: a thin uniform rod at angle φ to the floor slides on its end. A_nn = (1 + 3 cos²φ)/M and
// A_nt = −3 sin φ cos φ/M with the rod of R 3.3 (its lower end left of the centre). Sliding to the left, s = −1, the
// effective inertia is (1 + 3 cos²φ − 3 μ sin φ cos φ)/M, negative for some φ when μ > 4/3 (at tan φ = 2).
TEST(PainleveModes, UniformRodNeedsFourThirds) {
  for (const double mu : {1.2, 1.33, 1.34, 1.5, 2.0}) {
    bool region = false;
    for (double angle = 0.01; angle < 1.57; angle += 0.001) {
      const Rod rod{2, 1, angle};
      const auto A = rod.A();
      const ContactMode mode{Mode::slide, {-1, 0}};
      const std::array<double, 3> zero{};
      const double jam = mode_ends(A, rubbing(mu, mu), mode, {}, zero, zero).jam.value;
      const double expected =
          (1 + 3 * std::cos(angle) * std::cos(angle) - 3 * mu * std::sin(angle) * std::cos(angle)) / 2;
      ASSERT_NEAR(jam, expected, 1e-13);
      region = region || jam < 0;
    }
    EXPECT_EQ(region, mu > 4.0 / 3) << mu;
  }
}

TEST(PainleveModes, CasesAndTheirNames) {
  const double mu = 2;
  const Rod rod{2, 1, std::atan(2.0)};
  const auto A = rod.A();
  const std::array<ContactPoint, 1> left{rubbing(mu, mu, -1, 0)}, right{rubbing(mu, mu, 1, 0)};
  const std::array<double, 3> down{-9.81, 0, 0}, up{3, 0, 0};
  const Chosen none = choose(A, down, left);
  EXPECT_EQ(none.result.choice, Choice::inconsistent);
  EXPECT_EQ(none.result.contact, 0);
  const Chosen two = choose(A, up, left);
  EXPECT_EQ(two.result.choice, Choice::indeterminate);
  EXPECT_EQ(two.modes[0].mode, Mode::free);
  EXPECT_EQ(two.lambda[0], 0);
  // The other answer exists as well.
  ContactWorkspace ws(1);
  std::vector<double> lambda(3), a(3);
  const std::array<ContactMode, 1> stays{{{Mode::slide, {-1, 0}}}};
  EXPECT_TRUE(contact_multipliers(A, up, left, stays, ws, lambda, a));
  EXPECT_GT(lambda[0], 0);
  const Chosen good = choose(A, down, right);
  EXPECT_EQ(good.result.choice, Choice::consistent);
  EXPECT_EQ(good.modes[0].mode, Mode::slide);
  EXPECT_STREQ(name_of(none.result.choice), "inconsistent");
}

// The way out: an impact with u_n = 0 before it. By hand, with s = −1: slip stops at p₁ = |u_t| / (A_nt + μ A_tt),
// where u_n = Λ p₁ < 0; then the end sticks (μ is large) and u_n grows by A_nn − A_nt²/A_tt per p.
struct Jammed {
  bool struck = false;
  std::vector<double> P, u;
  std::vector<ImpactOfContact> reports;
};
Jammed jam(std::span<const double> A, std::span<const double> u, std::span<const double> a_free,
           const std::vector<ImpulseLaw>& laws) {
  ContactWorkspace ws(static_cast<int>(laws.size()));
  Jammed j{false, std::vector<double>(u.size()), std::vector<double>(u.size()), {}};
  j.reports.resize(laws.size());
  j.struck = impact_without_collision(A, u, a_free, laws, ws, j.P, j.u, j.reports);
  return j;
}
TEST(PainleveModes, ImpactWithoutCollisionStopsTheSlip) {
  const double mu = 2;
  const Rod rod{2, 1, std::atan(2.0)};
  const auto A = rod.A();
  const std::array<double, 3> u{0, -1.5, 0}, down{-9.81, 0, 0};
  for (const double e : {0.0, 0.5}) {
    const Jammed j = jam(A, u, down, {cases::law(ImpactKind::coulomb, e, mu)});
    const double slowing = A[1] + mu * A[4];
    const double p1 = 1.5 / slowing, gain = A[0] + mu * A[1], u1 = gain * p1;
    ASSERT_LT(u1, 0);
    const double stick = A[0] - A[1] * A[1] / A[4], p2 = -u1 / stick;
    const double taken = 0.5 * (p1 + p2) * -u1, p3 = e * std::sqrt(2 * taken / stick);
    EXPECT_TRUE(j.struck);
    EXPECT_NEAR(j.P[0], p1 + p2 + p3, 1e-13);
    EXPECT_NEAR(j.u[0], stick * p3, 1e-13);
    EXPECT_NEAR(j.u[1], 0, 1e-14);
    EXPECT_LT(j.reports[0].work, 0);
    EXPECT_EQ(j.reports[0].course, course_slid | course_stopped | course_stuck);
  }
  // Where friction does not press there is none.
  const Jammed none = jam(A, std::array<double, 3>{0, 1.5, 0}, down, {cases::law(ImpactKind::coulomb, 0, mu)});
  EXPECT_FALSE(none.struck);
  EXPECT_EQ(none.reports[0].course, course_none);
  EXPECT_EQ(none.P[0], 0);
}

// Several contacts included. Energy falls.
TEST(PainleveModes, InconsistentCasesHaveAWayOut) {
  Random random(53);
  int met[4] = {}, unmet = 0;
  for (int i = 0; i < 6000; ++i) {
    const int m = 1 + random.below(3);
    const std::size_t n = static_cast<std::size_t>(3 * m);
    const auto A = cases::random_matrix(random, m, i % 2 ? 2 + m : 3 * m);
    const auto free = cases::in_range(A, cases::random_vector(random, n));
    auto u = cases::in_range(A, cases::random_vector(random, n));
    // Velocities with u_n = 0 on all: smooth floors that hold take the rest out.
    ContactWorkspace ws(m);
    const std::vector<ContactPoint> smooth(static_cast<std::size_t>(m));
    const std::vector<ContactMode> held(static_cast<std::size_t>(m), ContactMode{Mode::slide, {1, 0}});
    std::vector<double> P(n), start(u);
    contact_multipliers(A, start, smooth, held, ws, P, u);
    if (std::ranges::max(u) < 1e-3) continue;
    std::vector<ContactPoint> p;
    for (int k = 0; k < m; ++k) {
      const std::size_t at = static_cast<std::size_t>(3 * k);
      u[at] = 0;
      p.push_back(rubbing(0.9, 0.9, u[at + 1], u[at + 2]));
    }
    const Chosen c = choose(A, free, p);
    if (c.result.choice != Choice::inconsistent) continue;
    ++met[m];
    const std::vector<ImpulseLaw> laws(static_cast<std::size_t>(m), cases::law(ImpactKind::coulomb, 0, 0.9));
    const Jammed j = jam(A, u, free, laws);
    unmet += !j.struck;
    double work = 0, size = 0;
    for (int k = 0; k < m; ++k) {
      const std::size_t at = static_cast<std::size_t>(3 * k);
      work += j.reports[static_cast<std::size_t>(k)].work;
      size += j.P[at] * std::hypot(u[at + 1], u[at + 2]);
      EXPECT_GE(j.P[at], 0);
      EXPECT_GE(j.u[at], -1e-4 * (1 + std::hypot(u[at + 1], u[at + 2])));
    }
    EXPECT_LE(work, 1e-10 * size);
    // Twice the slip, twice the impulse: there is no other velocity to compare it with. By powers of two, to the bit.
    for (const double scale : {0x1p-10, 0x1p10}) {
      std::vector<double> scaled(u);
      for (double& x : scaled) x *= scale;
      const Jammed other = jam(A, scaled, free, laws);
      EXPECT_EQ(other.struck, j.struck) << i;
      for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(other.P[k], scale * j.P[k]) << i << ", times " << scale;
    }
  }
  std::printf("met with 1, 2, 3 contacts: %d %d %d; without a way out %d\n", met[1], met[2], met[3], unmet);
  EXPECT_GT(met[1], 10);
  EXPECT_GT(met[3], 10);
  EXPECT_LE(unmet, 5);
}

// ---- ground that gives way
TEST(CompliantGround, ForceIsTheSpringsAndTheDampers) {
  for (const double b : {1.0, 1.5, 3.0}) {
    const CompliantGround g{2e4, b, 30};
    const double z = 0.02, v = 0.7, h = 1e-6;
    const GroundForce f = ground_force(g, z, v);
    EXPECT_NEAR(f.force, 2e4 * std::pow(z, b) + 30 * v, 1e-9);
    const double slope = (ground_force(g, z + h, 0).potential - ground_force(g, z - h, 0).potential) / (2 * h);
    EXPECT_NEAR(slope, ground_force(g, z, 0).force, 1e-6 * f.force);
    EXPECT_NEAR(f.dissipation, -30 * v * v, 1e-9);
    const double rate =
        (ground_force(g, z + h * v, v + h * 5).unclamped - ground_force(g, z - h * v, v - h * 5).unclamped) / (2 * h);
    EXPECT_NEAR(ground_force_rate(g, z, v, 5), rate, 1e-5 * std::abs(rate));
    // It never pulls; what the spring gives back then is lost.
    const GroundForce out = ground_force(g, 1e-5, -2);
    EXPECT_EQ(out.force, 0);
    EXPECT_LT(out.unclamped, 0);
    EXPECT_LE(out.dissipation, 0);
    EXPECT_EQ(ground_force(g, -1e-3, 5).force, 0);
  }
}

// Friction under a given normal force: holds up to μ F, then slides.
TEST(CompliantGround, FrictionUnderAGivenForce) {
  Random random(41);
  for (int i = 0; i < 500; ++i) {
    const auto A = cases::random_body(random, 2);
    const auto free = cases::random_vector(random, 6);
    std::vector<ContactPoint> p(2, rubbing(0.6, 0.5));
    for (ContactPoint& c : p) c.normal_given = true, c.normal_force = random.chance(0.2) ? 0 : random.between(0.1, 4);
    if (i % 3 == 0) p[0].slip = {random.normal(), random.normal()};
    const Chosen c = choose(A, free, p);
    ASSERT_EQ(c.result.choice, Choice::consistent) << i;
    for (std::size_t k = 0; k < 2; ++k) {
      const double l = std::hypot(c.lambda[3 * k + 1], c.lambda[3 * k + 2]), F = p[k].normal_force;
      EXPECT_NEAR(c.lambda[3 * k], F, 1e-12);
      if (F == 0) {
        EXPECT_EQ(c.modes[k].mode, Mode::free);
      }
      if (c.modes[k].mode == Mode::stick) {
        EXPECT_LE(l, 0.6 * F * (1 + 1e-9) + 1e-9);
        EXPECT_NEAR(std::hypot(c.a[3 * k + 1], c.a[3 * k + 2]), 0, 1e-8);
      } else if (F > 0) {
        EXPECT_NEAR(l, 0.5 * F, 1e-9 * (1 + F));
        const auto& s = c.modes[k].direction;
        EXPECT_NEAR(c.lambda[3 * k + 1] * s[0] + c.lambda[3 * k + 2] * s[1], -l, 1e-9 * (1 + l));
      }
    }
  }
}

}  // namespace
