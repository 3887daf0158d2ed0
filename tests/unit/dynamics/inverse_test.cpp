// Mixed problems against rnea and aba, and wrenches through cuts against figures that really are divided there.
#include "marey/dynamics/inverse.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdio>

#include "support/figures.h"
#include "support/joint_space.h"
#include "support/solvers.h"

namespace {

using figures::Figure;
using Numbers = std::vector<double>;

struct Mixed {
  std::vector<unsigned char> given;
  Numbers vdot, tau;
};
// A freedom's acceleration is given with probability `share`; what is to be found starts as nonsense.
Mixed solve(const Figure& f, double share, std::uint64_t seed) {
  figures::Random random(seed);
  Mixed m{{}, Numbers(f.tau.size(), NAN), Numbers(f.tau.size(), NAN)};
  for (std::size_t k = 0; k < f.tau.size(); ++k) {
    m.given.push_back(random.chance(share) ? 1 : 0);
    (m.given[k] ? m.vdot : m.tau)[k] = m.given[k] ? 4 * random.normal() : f.tau[k];
  }
  marey::HybridWorkspace ws(f.model);
  marey::hybrid_dynamics(f.model, f.model.params, f.state.q, f.state.v, m.given, f.F_Bo_W, ws, m.vdot, m.tau);
  return m;
}

// M v̇ + b = τ in all freedoms at once, backward error as the solvers' own.
TEST(Mixed, FoundAndGivenSatisfyTheEquationsOfMotion) {
  double worst = 0;
  for (int i = 0; i < 120; ++i) {
    const Figure f = figures::random_figure(static_cast<std::uint64_t>(1000 + i), figures::options_of(i));
    if (f.model.nv == 0) continue;
    const Mixed m = solve(f, 0.1 * (i % 11), static_cast<std::uint64_t>(i));
    worst = std::max(worst, figures::JointSpace(f).backward_error(m.vdot, m.tau));
  }
  std::printf("backward error %.1e (bound 1e-12)\n", worst);
  EXPECT_LE(worst, 1e-12);
}
TEST(Mixed, WithNothingGivenItIsAbaAndWithAllItIsRnea) {
  const Figure f = figures::with_random_state(figures::human39(), 4);
  const auto in = figures::input_of<double>(f);
  const Mixed none = solve(f, 0, 1), all = solve(f, 1.1, 1);
  const Numbers aba = figures::accelerations(marey::Dynamics::aba, f.model, in);
  const Numbers rnea = figures::inverse_dynamics(f.model, in, all.vdot);
  for (std::size_t k = 0; k < aba.size(); ++k) {
    EXPECT_NEAR(none.vdot[k], aba[k], 1e-9 * (1 + std::abs(aba[k])));
    EXPECT_NEAR(all.tau[k], rnea[k], 1e-10 * (1 + std::abs(rnea[k])));
  }
}
TEST(Mixed, WhatIsGivenIsKept) {
  const Figure f = figures::random_figure(7, {12, figures::Tree::random});
  const Mixed m = solve(f, 0.5, 3);
  for (std::size_t k = 0; k < m.given.size(); ++k) {
    if (!m.given[k]) {
      EXPECT_EQ(m.tau[k], f.tau[k]);
    }
    EXPECT_TRUE(std::isfinite(m.vdot[k]) && std::isfinite(m.tau[k]));
  }
}

// ------------------------------------------------------------------------------------------------------------- cuts
constexpr double whole = 0.5, share = 0.3;  // length of the bar along z of its link, and where it is cut
marey::Shape bar(double from, double to) {
  return {marey::Cylinder{0.04, to - from}, {marey::Mat3<double>::identity(), {0.01, 0.02, 0.5 * (from + to)}}};
}
// A bar on a ball joint, with an arm beyond the cut and one before it; in one piece, or in two that are welded.
marey::ModelSpec barbell(bool divided) {
  marey::ModelSpec spec;
  const auto add = [&](const char* name, const char* parent, marey::JointType joint, double z,
                       const marey::Inertia<double>& inertia) {
    marey::LinkSpec link;
    link.name = name, link.parent = parent, link.joint = joint, link.inertia = inertia;
    link.X_PF.p = {0, 0, z};
    spec.links.push_back(link);
  };
  using marey::JointType;
  const auto piece = [](double from, double to) {
    return marey::shape_inertia(bar(from, to), 3 * (to - from) / whole);
  };
  add("root", "world", JointType::free, 0, figures::hanging_rod(2, 0.3, 0.05));
  const double at = share * whole;
  add("bar", "root", JointType::ball, 0, piece(0, divided ? at : whole));
  if (divided) add("outer", "bar", JointType::weld, 0, piece(at, whole));
  add("near arm", "bar", JointType::ball, 0.4 * at, figures::hanging_rod(0.7, 0.2, 0.02));
  add("far arm", divided ? "outer" : "bar", JointType::hinge, 0.9 * whole, figures::hanging_rod(0.5, 0.2, 0.02));
  return spec;
}
TEST(Cut, IsTheWrenchOfAWeldInItsPlace) {
  Figure one = figures::with_random_state(barbell(false), 5), two = figures::with_random_state(barbell(true), 5);
  // The same motion: names in the place of numbers, since the links of the two are counted differently.
  marey::RneaWorkspace<double> ws_one(one.model), ws_two(two.model);
  two.F_Bo_W.assign(two.F_Bo_W.size(), {});
  for (int i = 1; i < one.model.nlink(); ++i) {
    const marey::LinkTopology &a = one.model.links[i], &b = two.model.links[two.model.find(one.model.names[i])];
    for (int k = 0; k < marey::coordinate_count(a.joint); ++k) two.state.q[b.q + k] = one.state.q[a.q + k];
    for (int k = 0; k < marey::freedom_count(a.joint); ++k)
      two.state.v[b.v + k] = one.state.v[a.v + k], two.tau[b.v + k] = one.tau[a.v + k];
    const bool bar_beyond = one.model.names[i] == "bar";  // its force from outside acts on the outer piece
    two.F_Bo_W[two.model.find(bar_beyond ? "outer" : one.model.names[i])] =
        one.F_Bo_W[i] = {{1, 2, 3}, {0.5 * i, -4, 5}};
  }
  Numbers tau_one(one.tau.size()), tau_two(two.tau.size());
  marey::rnea<double>(one.model, one.model.params, one.state.q, one.state.v, one.tau, one.F_Bo_W, ws_one, tau_one);
  marey::rnea<double>(two.model, two.model.params, two.state.q, two.state.v, two.tau, two.F_Bo_W, ws_two, tau_two);
  const int link = one.model.find("bar"), outer = two.model.find("outer");
  const marey::Vec3<double> at{0, 0, share * whole};
  const marey::Cut cut{link, at, {0, 0, 1}, marey::part_beyond(bar(0, whole), 3, share), true};
  const marey::Wrench<double> F = marey::cut_wrench(one.model, ws_one, one.F_Bo_W, cut);
  // The weld's wrench is about Bo of the bar, whose frame the outer piece shares.
  const marey::Wrench<double> weld = marey::shifted(ws_two.links[outer].F, -at);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(F.n[k], weld.n[k], 1e-12 * (1 + marey::norm(weld.n)));
    EXPECT_NEAR(F.f[k], weld.f[k], 1e-12 * (1 + marey::norm(weld.f)));
  }
  EXPECT_GT(marey::norm(F.f), 1);  // there is something to compare
}
TEST(Cut, AtTheJointItIsTheJointsOwn) {
  const Figure f = figures::random_figure(31, {9, figures::Tree::random});
  marey::RneaWorkspace<double> ws(f.model);
  Numbers tau(f.tau.size());
  marey::rnea<double>(f.model, f.model.params, f.state.q, f.state.v, f.tau, f.F_Bo_W, ws, tau);
  for (int i = 1; i < f.model.nlink(); ++i) {
    const marey::Cut cut{i, {}, {}, f.model.params.links[i].I, true};  // no normal: every son is beyond
    const marey::Wrench<double> F = marey::cut_wrench(f.model, ws, f.F_Bo_W, cut);
    EXPECT_NEAR(marey::norm(F.n - ws.links[i].F.n), 0, 1e-12 * (1 + marey::norm(F.n)));
    EXPECT_NEAR(marey::norm(F.f - ws.links[i].F.f), 0, 1e-12 * (1 + marey::norm(F.f)));
    const marey::Wrench<double> W = marey::joint_wrench(f.model, ws, i);
    EXPECT_NEAR(marey::norm(W.f - ws.links[i].R_WB * F.f), 0, 1e-12 * (1 + marey::norm(F.f)));
  }
}
// Without a force from outside, and where it acts on the near part, the cut carries what the part beyond needs.
TEST(Cut, CountsForcesBeyondItAlone) {
  Figure f = figures::with_random_state(barbell(false), 5);
  marey::RneaWorkspace<double> ws(f.model);
  Numbers tau(f.tau.size());
  marey::rnea<double>(f.model, f.model.params, f.state.q, f.state.v, f.tau, f.F_Bo_W, ws, tau);
  const int link = f.model.find("bar");
  const auto wrench = [&](bool beyond, std::span<const marey::Wrench<double>> F) {
    return marey::cut_wrench(f.model, ws, F,
                             {link, {}, {0, 0, 1}, marey::part_beyond(bar(0, whole), 3, share), beyond});
  };
  f.F_Bo_W[static_cast<std::size_t>(link)] = {{1, 2, 3}, {4, 5, 6}};
  const marey::Wrench<double> none = wrench(true, {}), near = wrench(false, f.F_Bo_W), far = wrench(true, f.F_Bo_W);
  EXPECT_EQ(marey::norm(none.f - near.f), 0);
  EXPECT_NEAR(marey::norm(near.f - far.f), std::sqrt(4.0 * 4 + 5 * 5 + 6 * 6), 1e-12);
  EXPECT_NEAR(marey::norm(near.n - far.n), std::sqrt(1.0 + 4 + 9), 1e-12);
}
// A box is cut across its z, as a cylinder is; both parts together are the whole.
TEST(Cut, PartsOfABoxMakeTheWhole) {
  const marey::Shape box{marey::Box{{0.1, 0.2, 0.6}}, {marey::rotation_about<double>({1, 0, 0}, 0.4), {1, 2, 3}}};
  const marey::Inertia<double> all = marey::shape_inertia(box, 5), beyond = marey::part_beyond(box, 5, 0.25);
  EXPECT_EQ(marey::part_beyond(box, 5, 0).m, 5);
  EXPECT_EQ(marey::part_beyond(box, 5, 1).m, 0);
  EXPECT_NEAR(beyond.m, 3.75, 1e-14);
  // The near part is a box of its own: 15 cm from the near end, its centre 22.5 cm below that of the whole.
  const marey::Shape near{marey::Box{{0.1, 0.2, 0.15}}, {box.X_BS.R, box.X_BS * marey::Vec3<double>{0, 0, -0.225}}};
  const marey::Inertia<double> rest = marey::shape_inertia(near, 1.25);
  EXPECT_NEAR(marey::norm(beyond.h + rest.h - all.h), 0, 1e-13);
  EXPECT_NEAR(beyond.J.xx + rest.J.xx, all.J.xx, 1e-12);
  EXPECT_NEAR(beyond.J.yz + rest.J.yz, all.J.yz, 1e-12);
  EXPECT_NEAR(beyond.J.zz + rest.J.zz, all.J.zz, 1e-12);
}
TEST(Cut, RefusesWhatItCannotDivide) {
  EXPECT_THROW(marey::part_beyond({marey::Sphere{0.1}, {}}, 1, 0.5), marey::Error);
  EXPECT_THROW(marey::part_beyond(bar(0, whole), 1, 1.5), marey::Error);
  EXPECT_THROW(marey::part_beyond(bar(0, whole), 1, NAN), marey::Error);
}

}  // namespace
