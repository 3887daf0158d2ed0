// The smaller figure that welded links are merged into, against the whole one.
#include "marey/plant/reduced_figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/world.h"
#include "support/figures.h"
#include "unit/sim/random_start.h"

namespace reduced_figure_test {

using namespace marey;
using Vec = Vec3<double>;

// Hinges, sliders, balls, a screw and a universal joint, some turned, one weld.
Model mixed(JointType root) {
  ModelSpec spec;
  const JointType joints[] = {root,
                              JointType::hinge,
                              JointType::universal,
                              JointType::slider,
                              JointType::weld,
                              JointType::ball,
                              JointType::screw,
                              JointType::hinge,
                              JointType::ball};
  for (int i = 0; i < 9; ++i) {
    LinkSpec link = figures::rod_link(std::to_string(i), i == 0 ? "world" : std::to_string(i < 4 ? i - 1 : (i - 1) / 2),
                                      joints[i], {0.05 * i, -0.02, -0.2}, 0.5 + 0.1 * i, 0.2, 0.02);
    link.inertia.h.x += 0.01;
    link.inertia =
        inertia_about_origin(link.inertia.m, Vec{0.02, 0.01, -0.1}, Sym3<double>{4e-3, 5e-3, 6e-3, 1e-4, 0, 2e-4});
    link.axis = {0.3, 1, -0.2}, link.axis_2 = {1, 0, 0.1}, link.pitch = 0.1;
    if (i % 2 == 1) link.X_PF.R = rotation(normalized(Quaternion<double>{1, 0.2, -0.4, 0.1}));
    spec.links.push_back(link);
  }
  return freeze(spec);
}
double length(std::span<const double> x) {
  double sum = 0;
  for (const double a : x) sum += a * a;
  return std::sqrt(sum);
}

class Reduced : public ::testing::TestWithParam<JointType> {};

// v̇ of the groups, put into rnea of the whole figure: joints that move need just the forces that act in them.
TEST_P(Reduced, MovesAsTheWholeFigureWithItsWelds) {
  const Model model = mixed(GetParam());
  for (unsigned held_set = 0; held_set < 256; held_set += 5) {
    State s = random_state(model, held_set);
    std::vector<char> held(model.links.size());
    for (int i = 1; i < model.nlink(); ++i)
      held[i] = model.links[i].joint != JointType::free && (held_set >> (i - 1) & 1);
    for (int i = 1; i < model.nlink(); ++i)
      for (int k = 0; held[i] && k < freedom_count(model.links[i]); ++k) s.v[model.links[i].v + k] = 0;
    ReducedFigure figure(model, {}, held, s.q);
    std::vector<double> tau(model.nv), vdot(model.nv), needed(model.nv);
    std::vector<Wrench<double>> F(model.links.size());
    for (int k = 0; k < model.nv; ++k) tau[k] = std::sin(1.0 + k);
    for (std::size_t i = 0; i < F.size(); ++i) F[i] = {{0.1 * i, 0.3, -0.2}, {1, -0.5 * i, 2}};
    Kinematics<double> kinematics(model);
    forward_kinematics<double>(model, model.params, s.q, s.v, kinematics);
    figure.solve(kinematics, s.q, s.v, {tau, F}, vdot);
    RneaWorkspace<double> rnea_workspace(model);
    rnea<double>(model, model.params, s.q, s.v, vdot, F, rnea_workspace, needed);
    const double scale = length(needed) + length(tau);
    std::vector<double> weighed(model.nv, 0.25), without(model.nv);
    figure.weigh(s.q, s.v, vdot, F, kinematics, weighed);
    for (int i = 1; i < model.nlink(); ++i)
      for (int k = 0; k < freedom_count(model.links[i]); ++k) {
        const int at = model.links[i].v + k;
        EXPECT_NEAR(weighed[at], held[i] ? needed[at] : 0.25, 1e-12 * scale) << "set " << held_set;
      }
    std::vector<double> needed_without(model.nv);
    figure.weigh(s.q, s.v, vdot, {}, kinematics, without);
    rnea<double>(model, model.params, s.q, s.v, vdot, {}, rnea_workspace, needed_without);
    for (int i = 1; i < model.nlink(); ++i)
      for (int k = 0; held[i] && k < freedom_count(model.links[i]); ++k)
        EXPECT_NEAR(without[model.links[i].v + k], needed_without[model.links[i].v + k], 1e-12 * scale);
    for (int i = 1; i < model.nlink(); ++i)
      for (int k = 0; k < freedom_count(model.links[i]); ++k) {
        const int at = model.links[i].v + k;
        if (held[i])
          EXPECT_EQ(vdot[at], 0);
        else
          EXPECT_NEAR(needed[at], tau[at], 1e-11 * scale) << "set " << held_set << ", joint of " << model.names[i];
      }
  }
}

// Holding joints that move: all momenta of the others stay, the held ones stop, energy is lost as the books of impacts say.
TEST_P(Reduced, HoldingIsAnInelasticImpulse) {
  const Model model = mixed(GetParam());
  Params<double> weightless = model.params;
  weightless.gravity = {};
  RneaWorkspace<double> workspace(model);
  const std::vector<double> zero(model.nv);
  for (unsigned held_set = 1; held_set < 256; held_set += 6) {
    const State s = random_state(model, held_set);
    std::vector<char> held(model.links.size());
    for (int i = 1; i < model.nlink(); ++i)
      held[i] = model.links[i].joint != JointType::free && (held_set >> (i - 1) & 1);
    std::vector<double> v = s.v, p(model.nv), after(model.nv);
    ReducedFigure(model, {}, held, s.q).hold(s.q, v);
    rnea<double>(model, weightless, s.q, zero, s.v, {}, workspace, p);
    rnea<double>(model, weightless, s.q, zero, v, {}, workspace, after);
    double lost = 0, impulse_work = 0;
    for (int i = 1; i < model.nlink(); ++i)
      for (int k = 0; k < freedom_count(model.links[i]); ++k) {
        const int at = model.links[i].v + k;
        if (held[i])
          EXPECT_EQ(v[at], 0);
        else
          EXPECT_NEAR(after[at], p[at], 1e-12 * length(p));
        lost += 0.5 * (after[at] * v[at] - p[at] * s.v[at]);
        impulse_work += 0.5 * (after[at] - p[at]) * (v[at] + s.v[at]);
      }
    EXPECT_LE(lost, 0);
    EXPECT_NEAR(lost, impulse_work, 1e-11 * length(p) * length(s.v));
  }
}

// Places and twists of links by those of their groups, and what all links have together.
TEST_P(Reduced, LinksAreWhereTheWholeFigureHasThem) {
  const Model model = mixed(GetParam());
  Kinematics<double> whole(model), by_groups(model);
  for (unsigned held_set = 1; held_set < 256; held_set += 6) {
    State s = random_state(model, held_set);
    std::vector<char> held(model.links.size());
    for (int i = 1; i < model.nlink(); ++i) {
      held[i] = model.links[i].joint != JointType::free && (held_set >> (i - 1) & 1);
      for (int k = 0; held[i] && k < freedom_count(model.links[i]); ++k) s.v[model.links[i].v + k] = 0;
    }
    forward_kinematics<double>(model, model.params, s.q, s.v, whole);
    ReducedFigure figure(model, {}, held, s.q);
    figure.place(s.q, s.v);
    figure.place_links(by_groups);
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      EXPECT_LT(norm(whole.X_WB[i].p - by_groups.X_WB[i].p), 1e-14);
      for (int r = 0; r < 9; ++r) EXPECT_NEAR(whole.X_WB[i].R(r / 3, r % 3), by_groups.X_WB[i].R(r / 3, r % 3), 1e-14);
      EXPECT_LT(norm(whole.V_WB[i].w - by_groups.V_WB[i].w), 1e-13);
      EXPECT_LT(norm(whole.V_WB[i].v - by_groups.V_WB[i].v), 1e-13);
    }
    for (std::size_t g = 0; g < model.general.size(); ++g)
      for (std::size_t k = 0; k < static_cast<std::size_t>(model.general[g].freedoms); ++k) {
        EXPECT_LT(norm(whole.general[g][k].w - by_groups.general[g][k].w), 1e-14);
        EXPECT_LT(norm(whole.general[g][k].v - by_groups.general[g][k].v), 1e-14);
      }
    const Totals<double> a = totals(model, model.params, whole), b = figure.totals();
    EXPECT_NEAR(a.kinetic, b.kinetic, 1e-13 * a.kinetic);
    EXPECT_NEAR(a.gravity_potential, b.gravity_potential, 1e-13 * (1 + std::abs(a.gravity_potential)));
    EXPECT_NEAR(a.mass, b.mass, 1e-13);
    EXPECT_LT(norm(a.first_moment - b.first_moment) + norm(a.first_moment - figure.first_moment()), 1e-13);
    EXPECT_LT(norm(a.momentum.n - b.momentum.n) + norm(a.momentum.f - b.momentum.f), 1e-12);
  }
}
INSTANTIATE_TEST_SUITE_P(Roots, Reduced, ::testing::Values(JointType::free, JointType::hinge, JointType::ball));

}  // namespace reduced_figure_test
