// What the world does to a root on any kind of joint, in maximal and in joint coordinates.
//
// Newton and Euler: the wrench of the world on the root is what the figure's momenta change by, less what gravity and the
// elements do from outside. The books add up the reaction from the joints' own wrenches, in the one case from multipliers,
// in the other from the recursion; the momenta come from the bodies' motion alone:
//   P(t) − P(0) = ∫ (gravity + outside + world) dt                                                                    (1)
// Both sides err by what rk4 does, ∝ h⁴: halving the step must divide what is left by sixteen, until rounding is met.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/random_figure.h"
#include "support/recorded.h"

namespace general_roots_test {

using namespace marey;

// A root on the joint, turned and away from the world's origin, and two links on it, one of them on a joint of that kind
// as well. Friction and a zone of free play act in the root's joint, and so does something from outside on the last link.
Scene hanging(JointType joint, Dynamics dynamics, double step) {
  Scene scene;
  scene.title = "hanging";
  scene.duration = 0.2;
  figures::Random random(40 + static_cast<unsigned>(joint));
  ModelSpec spec;
  const JointType joints[] = {joint, JointType::ball, joint};
  for (int i = 0; i < 3; ++i) {
    figures::Options options;
    options.mass_ratio = 1;
    LinkSpec link = figures::random_link(random, options, i);
    link.joint = joints[i];
    link.X_PF.R = figures::matrix_of(random.turn());
    link.axis = random.normal3(1);
    link.inertia = figures::body(0.8, {0.1, -0.05, 0.12}, {0.02, 0.03, 0.025}, figures::matrix_of(random.turn()));
    if (is_general(link.joint)) {
      figures::random_general(random, link);
      link.custom = {};
      link.custom.coordinates = {{"bend"}, {"slide", true}};
      link.custom.functions[1].push_back({0, {0.1, 0.9, 0.2}, {}, {}, {}});
      link.custom.functions[3].push_back({0, {0, 0.1, -0.2}, {}, {}, {}});
      link.custom.functions[5].push_back({1, {0, 1.1}, {}, {}, {}});
      link.custom.constants[2] = 0.3;
    }
    spec.links.push_back(link);
  }
  scene.model = freeze(spec);
  const figures::Figure f = figures::with_random_state(spec, 7 + static_cast<unsigned>(joint));
  scene.start = f.state;
  for (double& v : scene.start.v) v *= 0.7;
  const int root = scene.model.find("link 0");
  const int freedoms = freedom_count(scene.model.links[static_cast<std::size_t>(root)]);
  for (int k = 0; k < freedoms; ++k)  // turns and slides have coefficients of their own
    scene.elements.push_back({"friction " + std::to_string(k), JointFriction{root, 0.2 + 0.1 * k, k}});
  if (joint != JointType::weld && joint != JointType::point) {
    FreePlay play;
    play.link = root;
    if (has_attitude(joint)) play.angle = {NamedAngle::Kind::euler_y, {}, 0};
    play.angle.coordinate = freedoms - 1;
    play.from = {{0}, {9}}, play.to = {{0}, {10}};  // far away: it always acts, and no corner is met
    play.slope_below = play.slope_above = {{0}, {0.4}};
    if (has_attitude(joint)) play.from = {{0}, {1.2}}, play.to = {{0}, {1.3}};
    scene.elements.push_back({"play", play});
  }
  Push push;
  push.link = scene.model.find("link 2"), push.point_B = {0.1, 0.2, -0.1}, push.force = {1, -2, 0.5};
  push.torque = {0.1, 0.2, -0.3};
  scene.elements.push_back({"push", push});
  scene.solver = {.dynamics = dynamics, .integrator = Integrator::rk4, .step = step};
  scene.record.every = 0.05;
  return scene;
}

recorded::Memory run_of(const Scene& scene) {
  recorded::Memory memory;
  memory.summary = marey::run(scene, memory);
  EXPECT_EQ(memory.summary.breakdown, "");
  return memory;
}

// The largest difference of all channels that both runs have, over all frames, on the scale of 1 and the number itself.
double difference(const recorded::Memory& a, const recorded::Memory& b) {
  double worst = 0;
  for (std::size_t f = 0; f < std::min(a.rows.size(), b.rows.size()); ++f)
    for (const Channel& c : b.header.channels) {
      if (c.name.find("residual") != std::string::npos) continue;
      const auto x = a.at(c.name, f), y = b.at(c.name, f);
      for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - y[k]) / (1 + std::abs(y[k])));
    }
  return worst;
}

class Roots : public ::testing::TestWithParam<JointType> {};

TEST_P(Roots, MomentaChangeByWhatTheBooksSay) {
  for (const Dynamics dynamics : {Dynamics::multipliers, Dynamics::aba}) {
    const auto left = [&](double step) {
      const recorded::Memory m = run_of(hanging(GetParam(), dynamics, step));
      EXPECT_TRUE(m.summary.ledger.closed);
      return std::max(m.summary.ledger.linear_momentum_residual_relative,
                      m.summary.ledger.angular_momentum_residual_relative);
    };
    const double coarse = left(4e-3), fine = left(2e-3);
    std::printf("%-11s %-11s residual of the momenta %.1e, %.1e with half the step\n", name_of(GetParam()),
                name_of(dynamics), coarse, fine);
    EXPECT_LT(fine, coarse / 8 + 1e-13) << name_of(dynamics);
    EXPECT_LT(fine, 1e-6) << name_of(dynamics);
  }
}

// Recorded reactions and impulses included.
TEST_P(Roots, MaximalCoordinatesShowTheSame) {
  const double step = 1e-3;
  const recorded::Memory one = run_of(hanging(GetParam(), Dynamics::multipliers, step)),
                         two = run_of(hanging(GetParam(), Dynamics::aba, step)),
                         fine = run_of(hanging(GetParam(), Dynamics::aba, step / 2));
  // What the two differ by is the error of the method: of the order of what halving the step changes.
  const double off = difference(one, two), error = difference(two, fine);
  std::printf("%-11s off by %.1e, of the method %.1e\n", name_of(GetParam()), off, error);
  EXPECT_LT(off, 30 * error + 1e-9);
  EXPECT_LT(off, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Joints, Roots,
                         ::testing::Values(JointType::weld, JointType::hinge, JointType::slider, JointType::ball,
                                           JointType::point, JointType::universal, JointType::cylindrical,
                                           JointType::planar, JointType::screw, JointType::ellipsoid,
                                           JointType::custom),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace general_roots_test
