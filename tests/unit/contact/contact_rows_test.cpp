// Rows, their bias, and the Delassus matrix, on random figures.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/contact.h"
#include "marey/integrate.h"
#include "support/random_figure.h"

namespace {

using namespace marey;
using figures::Figure;
using figures::Random;

Figure figure(int i) {
  figures::Options o = figures::options_of(i);
  o.links = 1 + o.links % 12;
  return figures::random_figure(static_cast<std::uint64_t>(i) + 500, o);
}
FloorContact random_contact(Random& random, const Model& model) {
  FloorContact c;
  c.link = 1 + random.below(model.nlink() - 1);
  c.point_B = random.normal3(0.4);
  c.plane.normal_W = random.normal3(1);
  c.plane.normal_W = (1 / norm(c.plane.normal_W)) * c.plane.normal_W;
  c.plane.offset = random.normal();
  c.friction_static = 0.5, c.friction_kinetic = 0.4;
  return c;
}
ContactMotion motion_at(const Figure& f, const FloorContact& c, std::span<const double> q, std::span<const double> v) {
  Kinematics<double> k(f.model);
  BiasMotion bias(f.model);
  forward_kinematics<double>(f.model, f.model.params, q, v, k);
  bias_motion(f.model, f.model.params, q, v, k, bias);
  return contact_motion(c, k, bias);
}
// Where the figure is after a time h with constant v.
std::vector<double> moved(const Figure& f, std::span<const double> v, double h) {
  std::vector<double> xi(v.begin(), v.end()), q(f.state.q);
  for (double& x : xi) x *= h;
  advance<double>(f.model, f.state.q, xi, Turn::exponential, q);
  return q;
}
// A derivative of order h⁴ of `value(h)` at 0.
template <class Value>
double derivative(const Value& value, double h) {
  return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
}
struct Built {
  Built(const Figure& f, const std::vector<FloorContact>& contacts)
      : rows(f.model, 3 * static_cast<int>(contacts.size())) {
    Kinematics<double> k(f.model);
    BiasMotion bias(f.model);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, k);
    bias_motion(f.model, f.model.params, f.state.q, f.state.v, k, bias);
    for (const FloorContact& c : contacts) {
      motions.push_back(contact_motion(c, k, bias));
      add_rows(f.model, f.model.params, c, k, motions.back(), rows);
    }
  }
  RowSet rows;
  std::vector<ContactMotion> motions;
};

TEST(ContactRows, AxesAreRightHandedAndALevelFloorHasXAndY) {
  const auto level = axes_of({});
  EXPECT_EQ(level[1].x, 1);
  EXPECT_EQ(level[2].y, 1);
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    Plane p;
    p.normal_W = random.normal3(1);
    if (i < 3) p.normal_W = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? -1.0 : 0.0};
    p.normal_W = (1 / norm(p.normal_W)) * p.normal_W;
    const auto a = axes_of(p);
    EXPECT_NEAR(norm(cross(a[0], a[1]) - a[2]), 0, 1e-15);
    EXPECT_NEAR(dot(a[0], a[1]), 0, 1e-15);
    EXPECT_NEAR(norm(a[1]), 1, 1e-15);
  }
}

// J v is the velocity of the point; the gap's rate is its normal part; both against differences of the position.
TEST(ContactRows, JacobianIsTheDerivativeOfThePosition) {
  for (int i = 0; i < 60; ++i) {
    const Figure f = figure(i);
    Random random(static_cast<std::uint64_t>(i));
    const FloorContact c = random_contact(random, f.model);
    const Built b(f, {c});
    const auto axes = axes_of(c.plane);
    const double h = 1e-3;
    for (int k = 0; k < 3; ++k) {
      double rate = 0;
      for (int j = 0; j < f.model.nv; ++j) rate += b.rows[k].J[j] * f.state.v[j];
      EXPECT_NEAR(rate, b.motions[0].velocity[k], 1e-12 * (1 + std::abs(rate)) * 100) << i;
      const auto position = [&](double t) {
        return dot(axes[k], motion_at(f, c, moved(f, f.state.v, t), f.state.v).p_WoC_W);
      };
      EXPECT_NEAR(rate, derivative(position, h), 1e-6 * (1 + std::abs(rate))) << i;  // v⁵h⁴/30 of fast figures
    }
    const auto gap = [&](double t) { return motion_at(f, c, moved(f, f.state.v, t), f.state.v).gap; };
    EXPECT_NEAR(b.motions[0].velocity[0], derivative(gap, h), 1e-6 * (1 + std::abs(b.motions[0].velocity[0])));
  }
}

// J̇ v is the rate of J v while v stays what it is.
TEST(ContactRows, BiasIsTheAccelerationForConstantVelocities) {
  for (int i = 0; i < 60; ++i) {
    const Figure f = figure(i);
    Random random(static_cast<std::uint64_t>(i));
    const FloorContact c = random_contact(random, f.model);
    const Built b(f, {c});
    for (int k = 0; k < 3; ++k) {
      const auto velocity = [&](double t) { return motion_at(f, c, moved(f, f.state.v, t), f.state.v).velocity[k]; };
      const double bias = b.rows[k].bias;
      EXPECT_NEAR(bias, derivative(velocity, 2e-4), 1e-6 * (10 + std::abs(bias))) << i << ' ' << k;
    }
  }
}

// Balls and rims touch with another point of theirs from instant to instant: the gap's rate is that of the point that is there, and
// what the rows say of its second rate, and of u̇ along the plane, has their curvature in it.
TEST(ContactRows, OfSurfacesThatRoll) {
  for (int i = 0; i < 120; ++i) {
    const Figure f = figure(i);
    Random random(static_cast<std::uint64_t>(i));
    FloorContact c = random_contact(random, f.model);
    c.surface.kind = i % 2 == 0 ? ContactSurface::Kind::ball : ContactSurface::Kind::rim;
    c.surface.radius = random.between(0.1, 0.6);
    c.surface.axis_B = random.normal3(1);
    c.surface.axis_B = (1 / norm(c.surface.axis_B)) * c.surface.axis_B;
    const Built b(f, {c});
    const auto motion = [&](double t) { return motion_at(f, c, moved(f, f.state.v, t), f.state.v); };
    const double gap_rate = derivative([&](double t) { return motion(t).gap; }, 2e-4);
    EXPECT_NEAR(b.motions[0].velocity[0], gap_rate, 1e-6 * (10 + std::abs(gap_rate))) << i;
    for (int k = 0; k < 3; ++k) {
      const double bias = b.rows[k].bias, rate = derivative([&](double t) { return motion(t).velocity[k]; }, 1e-5);
      EXPECT_NEAR(bias, rate, 1e-5 * (10 + std::abs(bias))) << i << ' ' << k;
    }
    // No point of the surface is lower.
    Kinematics<double> at(f.model);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, at);
    const Transform<double>& X = at.X_WB[static_cast<std::size_t>(c.link)];
    for (int k = 0; k < 50; ++k) {
      Vec3<double> d = random.normal3(1);
      if (i % 2 != 0) d = cross(d, X.R * c.surface.axis_B);
      const Vec3<double> p = X * c.point_B + c.surface.radius / norm(d) * d;
      EXPECT_GE(dot(c.plane.normal_W, p) - c.plane.offset, b.motions[0].gap - 1e-12) << i;
    }
  }
}

// Two contacts: each has its three rows, the normal first, the first contact's before the second's.
TEST(ContactRows, StandInThreesNormalFirst) {
  for (int i = 0; i < 20; ++i) {
    const Figure f = figure(i);
    Random random(static_cast<std::uint64_t>(i));
    const FloorContact contacts[] = {random_contact(random, f.model), random_contact(random, f.model)};
    const Built b(f, {contacts[0], contacts[1]});
    ASSERT_EQ(b.rows.size(), 6);
    for (int r = 0; r < 6; ++r) {
      const FloorContact& c = contacts[r / 3];
      const auto along = [&](double t) {
        return dot(axes_of(c.plane)[static_cast<std::size_t>(r % 3)],
                   motion_at(f, c, moved(f, f.state.v, t), f.state.v).p_WoC_W);
      };
      double rate = 0;
      for (int j = 0; j < f.model.nv; ++j) rate += b.rows[r].J[j] * f.state.v[j];
      EXPECT_NEAR(rate, derivative(along, 1e-3), 1e-6 * (1 + std::abs(rate))) << i << ' ' << r;
      EXPECT_EQ(b.rows[r].bias, b.motions[r / 3].bias[r % 3]) << i << ' ' << r;
    }
  }
}

// A and the responses against the inverse of the mass matrix (factored by another algorithm), random rows included.
TEST(ContactDelassus, AgreesWithTheMassMatrix) {
  for (int i = 0; i < 60; ++i) {
    const Figure f = figure(i);
    Random random(static_cast<std::uint64_t>(i));
    Built b(f, {random_contact(random, f.model), random_contact(random, f.model)});
    RowSet rows(f.model, 8);
    for (int r = 0; r < 6; ++r) std::ranges::copy(b.rows[r].J, rows.add().begin());
    for (int r = 0; r < 2; ++r) {
      Row soft;
      soft.compliance = 0.1 * r;
      for (double& x : rows.add(soft)) x = random.normal();
    }
    AbaWorkspace<double> aba_ws(f.model);
    std::vector<double> vdot(f.state.v.size());
    aba<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, aba_ws, vdot);
    Delassus d(f.model, 8);
    d.compute(f.model, f.model.params, aba_ws, rows);
    CrbaWorkspace<double> crba_ws(f.model);
    mass_matrix<double>(f.model, f.model.params, f.state.q, crba_ws);
    ltdl_factor<double>(f.model, crba_ws);
    std::vector<double> lambda, sum(f.state.v.size(), 0.0), applied(f.state.v.size(), 0.0);
    for (int r = 0; r < 8; ++r) {
      std::vector<double> x(rows[r].J.begin(), rows[r].J.end());
      ltdl_solve<double>(f.model, crba_ws, x);
      double size = 0;
      for (const double v : x) size = std::max(size, std::abs(v));
      lambda.push_back(random.normal());
      for (std::size_t k = 0; k < x.size(); ++k) {
        EXPECT_NEAR(d.response(r)[k], x[k], 1e-8 * size) << i;
        sum[k] += lambda.back() * x[k];
      }
      for (int s = 0; s < 8; ++s) {
        double a = r == s ? rows[r].compliance : 0;
        for (std::size_t k = 0; k < x.size(); ++k) a += rows[s].J[k] * x[k];
        EXPECT_NEAR(d.A()[static_cast<std::size_t>(r * 8 + s)], a, 1e-8 * (std::abs(a) + size)) << i;
      }
    }
    d.add_response(lambda, applied);
    double size = 0;
    for (const double v : sum) size = std::max(size, std::abs(v));
    for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(applied[k], sum[k], 1e-8 * size) << i;

    // The same by the inward pass alone, before and after responses are asked for.
    Delassus halves(f.model, 8);
    halves.compute_matrix(f.model, f.model.params, aba_ws, rows);
    for (std::size_t r = 0; r < 8; ++r)
      for (std::size_t s = 0; s < 8; ++s)
        EXPECT_NEAR(halves.A()[r * 8 + s], d.A()[r * 8 + s],
                    1e-9 * (std::sqrt(d.A()[r * 8 + r] * d.A()[s * 8 + s]) + 1e-300))
            << i;
    for (const bool with_responses : {false, true}) {
      if (with_responses) halves.compute_responses();
      std::vector<double> again(applied.size(), 0.0);
      halves.add_response(lambda, again);
      for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(again[k], applied[k], 1e-10 * size) << i;
    }
  }
}

// An impulse through a row changes linear and angular momentum of a free figure by its external wrench.
TEST(ContactDelassus, ExternalWrenchIsTheChangeOfMomentum) {
  for (int i = 0; i < 20; ++i) {
    figures::Options o;
    o.links = 5, o.joints = figures::Joints::any;
    ModelSpec spec = figures::random_spec(static_cast<std::uint64_t>(i), o);
    for (LinkSpec& link : spec.links)
      if (link.parent == "world") link.joint = JointType::free;
    const Figure f = figures::with_random_state(spec, static_cast<std::uint64_t>(i));
    Random random(static_cast<std::uint64_t>(i));
    const FloorContact c = random_contact(random, f.model);
    const Built b(f, {c});
    AbaWorkspace<double> aba_ws(f.model);
    std::vector<double> v(f.state.v);
    aba<double>(f.model, f.model.params, f.state.q, f.state.v, {}, aba_ws, v);
    Delassus d(f.model, 3);
    d.compute(f.model, f.model.params, aba_ws, b.rows);
    const std::array<double, 3> P{random.normal(), random.normal(), random.normal()};
    v = f.state.v;
    d.add_response(P, v);
    Kinematics<double> before(f.model), after(f.model);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, before);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, v, after);
    const Wrench<double> L0 = totals(f.model, f.model.params, before).momentum,
                         L1 = totals(f.model, f.model.params, after).momentum,
                         F = external_wrench(c.plane, b.motions[0].p_WoC_W, P);
    EXPECT_NEAR(norm(L1.n - L0.n - F.n), 0, 1e-10) << i;
    EXPECT_NEAR(norm(L1.f - L0.f - F.f), 0, 1e-10) << i;
  }
}

}  // namespace
