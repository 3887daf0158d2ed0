// The step-size adviser: periods known in closed form, the step at which semi-implicit Euler flies off, and the words.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/dynamics.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace {

constexpr double pi = std::numbers::pi;
using Kind = NamedAngle::Kind;

LinkSpec link(const std::string& name, const std::string& parent, JointType joint, const Inertia<double>& inertia) {
  LinkSpec spec;
  spec.name = name, spec.parent = parent, spec.joint = joint, spec.inertia = inertia;
  return spec;
}
Element spring(const std::string& name, int link, const NamedAngle& angle, double slope) {
  return {name, FreePlay{link, angle, constant(0), constant(0), constant(slope), constant(slope)}};
}
Inertia<double> ball_of(double m, double J) { return {m, {}, Sym3<double>::diagonal(J, J, J)}; }

Model weightless(std::vector<LinkSpec> links) { return freeze({std::move(links), {0, 0, 0}}); }

// Semi-implicit Euler over `time` from the given state; the largest angle a hinge reaches.
double largest_swing(const Model& model, std::span<const Element> elements, double h, double time) {
  std::vector<double> q{0.01}, v{0}, vdot(1);
  AbaWorkspace<double> workspace(model);
  Kinematics<double> k(model);
  ForceSum<double> sum(model);
  double largest = 0;
  for (int n = 0; n * h < time && largest < 1e6; ++n) {
    forward_kinematics<double>(model, model.params, q, v, k);
    sum.clear();
    for (const Element& e : elements) evaluate<double>(e, {model, n * h, q, v, k.X_WB, k.V_WB}, {}, sum);
    aba<double>(model, model.params, q, v, {sum.tau, sum.F_Bo_W}, workspace, vdot);
    v[0] += h * vdot[0], q[0] += h * v[0];
    largest = std::max(largest, std::abs(q[0]));
  }
  return largest;
}

TEST(Adviser, NamesTheStepAtWhichAStiffHingeFliesOff) {
  const Model model = weightless({link("lid", "world", JointType::hinge, ball_of(1, 0.02))});
  const std::vector<Element> elements{spring("latch", 1, {}, 50)};
  const StepAdvice advice = advise_step(model, elements, neutral_state(model));
  const double omega = std::sqrt(50 / 0.02);
  EXPECT_NEAR(advice.shortest_period, 2 * pi / omega, 1e-12);
  EXPECT_NEAR(advice.unstable_step, 2 / omega, 1e-12);
  EXPECT_LT(advice.advised_step, advice.unstable_step / 3);
  EXPECT_EQ(advice.cause, "torque function 'latch' on the angle of 'lid'");
  EXPECT_LT(largest_swing(model, elements, 0.98 * advice.unstable_step, 100), 0.1);
  EXPECT_GT(largest_swing(model, elements, 1.02 * advice.unstable_step, 100), 1e6);
  EXPECT_LT(largest_swing(model, elements, advice.advised_step, 100), 0.0106);
}

TEST(Adviser, NamesTheStepAtWhichFrictionFliesOff) {
  const Model model = weightless({link("lid", "world", JointType::hinge, ball_of(1, 0.02))});
  const std::vector<Element> elements{spring("latch", 1, {}, 1), {"grease", JointFriction{1, 4}}};
  const StepAdvice advice = advise_step(model, elements, neutral_state(model));
  const double decay = 4 / 0.02, omega = std::sqrt(1 / 0.02);
  EXPECT_NEAR(advice.unstable_step, 4 / (decay + std::sqrt(decay * decay + 4 * omega * omega)), 1e-12);
  EXPECT_EQ(advice.cause, "friction 'grease' in the joint of 'lid'");
  EXPECT_LT(largest_swing(model, elements, 0.98 * advice.unstable_step, 10), 0.1);
  EXPECT_GT(largest_swing(model, elements, 1.02 * advice.unstable_step, 10), 1e6);
}

// Particles of 2 and 0.5 kg on a spring swing against the reduced mass m₁ m₂/(m₁ + m₂), and are damped likewise.
TEST(Adviser, KnowsSpringsBetweenParticles) {
  const Model model = weightless(
      {link("a", "world", JointType::point, {2, {}, {}}), link("b", "world", JointType::point, {0.5, {}, {}})});
  State state = neutral_state(model);
  state.q = {0, 0, 0, 1, 2, 2};
  const std::vector<Element> elements{{"thread", SpringNet{{{{1, {}}, {2, {}}, 20, 1}}}},
                                      {"oil", DamperNet{{{{1, {}}, {2, {}}, 0.1}}}}};
  const StepAdvice advice = advise_step(model, elements, state);
  EXPECT_NEAR(advice.shortest_period, 2 * pi / std::sqrt(20 * 2.5), 1e-9);
  EXPECT_NEAR(advice.unstable_step, 4 / (0.25 + std::sqrt(0.25 * 0.25 + 4 * 50)), 1e-9);
  EXPECT_EQ(advice.cause, "spring 'thread'");
  const StepAdvice orbit =
      advise_step(model, std::vector<Element>{{"sun", Attraction{{1, 2}, {0, 0, 2}, 4, 0}}}, state);
  EXPECT_NEAR(orbit.shortest_period, 2 * pi / std::sqrt(4 / 8.0), 0.01);  // the nearer one, 2 m away
  EXPECT_EQ(orbit.cause, "attraction 'sun'");
}

// A light link on a floating heavy one turns against the reduced inertia J₁ J₂/(J₁ + J₂).
TEST(Adviser, CountsTheInertiaOfBothSides) {
  const Model model = weightless({link("trunk", "world", JointType::free, ball_of(1, 0.3)),
                                  link("limb", "trunk", JointType::ball, ball_of(1, 0.2))});
  const StepAdvice advice =
      advise_step(model, std::vector{spring("neck", 2, {Kind::twist, {1, 2, 2}}, 5)}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi * std::sqrt(0.3 * 0.2 / 0.5 / 5), 1e-9);
}

// Three equal carriages in a row on springs: the highest mode of all springs together, not of one of them. The springs
// between links act on relative displacements: K = k tridiag(−1, 2, −1) with a free end, M = m 1.
TEST(Adviser, FindsTheHighestModeOfSpringsTogether) {
  std::vector<LinkSpec> links;
  std::vector<Element> elements;
  const int n = 12;
  const double k = 30, m = 0.5;
  for (int i = 1; i <= n; ++i) {
    const std::string parent = i == 1 ? "world" : "car" + std::to_string(i - 1);
    links.push_back(link("car" + std::to_string(i), parent, JointType::slider, ball_of(m, 1)));
    elements.push_back(spring("coupling" + std::to_string(i), i, {}, k));
  }
  const Model model = weightless(links);
  const StepAdvice advice = advise_step(model, elements, neutral_state(model));
  const double omega = 2 * std::sqrt(k / m) * std::sin((2 * n - 1) * pi / (2 * (2 * n + 1)));
  EXPECT_NEAR(advice.shortest_period * omega / (2 * pi), 1, 0.01);
  EXPECT_GE(advice.shortest_period * omega / (2 * pi), 1 - 1e-9);  // from below in frequency
}

TEST(Adviser, FindsTheSupportOfARoot) {
  const Model model = weightless({link("root", "world", JointType::free, ball_of(2, 0.01))});
  const SupportSpring hold{1, {}, {}, 400, 9, {}};
  StepAdvice advice = advise_step(model, std::vector<Element>{{"hold", hold}}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi / 30, 1e-9);  // turning: √(9/0.01) = 30 beats √(400/2)
  EXPECT_EQ(advice.cause, "support 'hold' of 'root'");
  const SupportDamper slow{1, {}, 100, 0};
  advice = advise_step(model, std::vector<Element>{{"slow", slow}}, neutral_state(model));
  EXPECT_NEAR(advice.unstable_step, 2 * 2.0 / 100, 1e-9);
  advice = advise_step(model, std::vector<Element>{{"hold", hold}, {"slow", slow}}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi / 50, 1e-9);
  EXPECT_EQ(advice.cause, "damping of the support 'slow' of 'root'");
}

TEST(Adviser, SeesSpinningAboutTheLongAxisAsTheFastest) {
  const Inertia<double> thin = shape_inertia({Capsule{0.008, 0.04}, {Mat3<double>::identity(), {0, 0, -0.02}}}, 0.02);
  const Model model = weightless(
      {link("hand", "world", JointType::weld, ball_of(1, 1)), link("finger.tip", "hand", JointType::ball, thin)});
  const std::vector<Element> elements{spring("curl", 2, {Kind::euler_y, {}}, 0.4),
                                      spring("roll", 2, {Kind::euler_z, {}}, 0.4),
                                      spring("tilt", 2, {Kind::swing, {0, 0, 1}}, 0.4)};
  const StepAdvice advice = advise_step(model, elements, neutral_state(model));
  EXPECT_EQ(advice.cause, "torque function 'roll' on the long axis of 'finger.tip'");
  EXPECT_NEAR(advice.shortest_period, 2 * pi * std::sqrt(thin.J.zz / 0.4), 1e-6 * advice.shortest_period);
  // What the falsely enlarged inertia is for:
  const Model calmer =
      weightless({link("hand", "world", JointType::weld, ball_of(1, 1)),
                  link("finger.tip", "hand", JointType::ball, enlarged_about_axis(thin, {0, 0, 1}, 4))});
  EXPECT_NEAR(advise_step(calmer, std::span(elements).subspan(1, 1), neutral_state(calmer)).shortest_period,
              2 * advice.shortest_period, 1e-5 * advice.shortest_period);
}

TEST(Adviser, CountsASwingBeforeItHasADirection) {
  const Model model =
      weightless({link("arm", "world", JointType::ball, {1, {}, Sym3<double>::diagonal(0.105, 0.1, 0.01)})});
  const StepAdvice advice =
      advise_step(model, std::vector{spring("tilt", 1, {Kind::swing, {0, 0, 1}}, 4)}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi * std::sqrt(0.1 / 4), 1e-3);
  EXPECT_EQ(advice.cause, "torque function 'tilt' on the swing of 'arm'");
}

TEST(Adviser, CountsAnAngleThatStartsWhereItHasNoGradient) {
  const Model model = weightless({link("arm", "world", JointType::ball, ball_of(1, 0.1))});
  State state = neutral_state(model);
  state.q = {std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // gimbal lock
  const StepAdvice advice = advise_step(model, std::vector{spring("roll", 1, {Kind::euler_x, {}}, 4)}, state);
  EXPECT_NEAR(advice.shortest_period, 2 * pi * std::sqrt(0.1 / 4), 1e-9);
}

TEST(Adviser, KnowsThePendulum) {
  const double length = 0.7;
  LinkSpec rod = link("rod", "world", JointType::hinge,
                      shape_inertia({Cylinder{0, length}, {Mat3<double>::identity(), {0, 0, -length / 2}}}, 3));
  rod.axis = {0, 1, 0};
  const Model model = freeze({{rod}, {0, 0, -9.81}});
  const StepAdvice advice = advise_step(model, {}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi * std::sqrt(2 * length / (3 * 9.81)), 1e-9);
  EXPECT_EQ(advice.cause, "'rod' swinging under gravity");
  EXPECT_EQ(advise_step(weightless({rod}), {}, neutral_state(model)).shortest_period, forever);
}

// An arm with a spring in its joint, held up sideways or hanging: its weight counts as the stiffness m g l of a swing, and
// in no other way, wherever it points.
TEST(Adviser, CountsTheWeightOfAnArmWhereverItPoints) {
  const double m = 2, l = 0.3, J = 0.5, k = 0.7;
  LinkSpec arm = link("arm", "world", JointType::hinge, {m, {0, 0, -m * l}, Sym3<double>::diagonal(J, J, 0.4)});
  arm.axis = {0, 1, 0};
  const Model model = freeze({{arm}, {0, 0, -9.81}});
  for (const double angle : {0.0, 0.8, pi / 2, -pi / 2, 2.5}) {
    State state = neutral_state(model);
    state.q[0] = angle;
    const StepAdvice advice = advise_step(model, std::vector<Element>{spring("spring", 1, {}, k)}, state);
    EXPECT_NEAR(advice.shortest_period, 2 * pi / std::sqrt((k + m * 9.81 * l) / J), 1e-9) << angle;
  }
}

// On a cylindrical joint a spring along it swings the mass, one about it the moment of inertia, and friction likewise; each
// in its own coordinate.
TEST(Adviser, TellsTheCoordinatesOfAJointApart) {
  const double m = 2, J = 0.05, k = 30, d = 4;
  const Model model = weightless({link("bolt", "world", JointType::cylindrical, ball_of(m, J))});
  for (const int coordinate : {0, 1}) {
    const double inertia = coordinate == 0 ? J : m;
    NamedAngle angle;
    angle.coordinate = coordinate;
    Reflex reflex;
    reflex.link = 1, reflex.angle = angle, reflex.stiffness = k, reflex.delay = 0.1;
    for (const Element& e : {spring("spring", 1, angle, k), Element{"reflex", reflex}})
      EXPECT_NEAR(advise_step(model, std::vector<Element>{e}, neutral_state(model)).shortest_period,
                  2 * pi * std::sqrt(inertia / k), 1e-9)
          << e.name << ' ' << coordinate;
    const Element friction{"friction", JointFriction{1, d, coordinate}};
    EXPECT_NEAR(advise_step(model, std::vector<Element>{friction}, neutral_state(model)).shortest_period,
                2 * pi * inertia / d, 1e-9)
        << coordinate;
  }
}

// Two masses that draw each other: either goes round the other with ω² = G m_other/d³; the lighter is the faster.
TEST(Adviser, KnowsMutualAttraction) {
  const double G = 3, heavy = 5, light = 0.5, d = 2;
  const Model model = weightless(
      {link("a", "world", JointType::point, {heavy, {}, {}}), link("b", "world", JointType::point, {light, {}, {}})});
  State state = neutral_state(model);
  state.q = {0, 0, 0, 0, d, 0};
  for (const MutualAttraction& pull : {MutualAttraction{{1, 2}, {}, G, 0}, MutualAttraction{{1}, {2}, G, 0},
                                       MutualAttraction{{1, 2}, {}, G, std::sqrt(12)}}) {
    const double distance = std::hypot(d, pull.softening);
    const StepAdvice advice = advise_step(model, std::vector<Element>{{"pull", pull}}, state);
    EXPECT_NEAR(advice.shortest_period, 2 * pi / std::sqrt(G * heavy / std::pow(distance, 3)), 1e-5);  // 60 rounds
  }
}

TEST(Adviser, LetsAFreeFigureFall) {
  const Inertia<double> off_centre = shape_inertia({Box{{1, 1, 1}}, {Mat3<double>::identity(), {0, 0, 2}}}, 3);
  const Model model = freeze({{link("body", "world", JointType::free, off_centre)}, {0, 0, -9.81}});
  State state = neutral_state(model);
  StepAdvice advice = advise_step(model, {}, state);
  EXPECT_EQ(advice.shortest_period, forever);
  EXPECT_EQ(advice.cause, "");
  state.v[1] = 3, state.v[2] = 4;
  advice = advise_step(model, {}, state);
  EXPECT_NEAR(advice.shortest_period, 2 * pi / 5, 1e-12);
  EXPECT_EQ(advice.cause, "'body' turning");
  EXPECT_EQ(advice.unstable_step, forever);
}

// Every kind of element by its own period or decay, on a particle of 2 kg and on a lid of 0.02 kg m² on a hinge; and by its
// own words. What has no strength advises nothing.
TEST(Adviser, KnowsEveryKindOfElement) {
  const double m = 2, J = 0.02;
  const Model model = weightless(
      {link("bead", "world", JointType::point, {m, {}, {}}), link("lid", "world", JointType::hinge, ball_of(1, J))});
  const int bead = model.find("bead"), lid = model.find("lid");
  State state = neutral_state(model);
  state.q[model.links[bead].q + 1] = 3, state.v[model.links[bead].v + 2] = 4;
  Reflex reflex;
  reflex.link = lid, reflex.delay = 0.1;
  const auto with = [&](double stiffness, double damping) {
    Reflex r = reflex;
    r.stiffness = stiffness, r.damping = damping;
    return r;
  };
  struct Case {
    ElementKind kind;
    double rate;  // ω of a spring, decay of a damper
    const char* words;
  };
  for (const Case& c :
       {Case{SupportSpring{bead, {}, {0, 3, 0}, 50, 0, {}}, std::sqrt(50 / m), "support 'it' of 'bead'"},
        {SupportDamper{bead, {}, 5, 0}, 5 / m, "damping of the support 'it' of 'bead'"},
        {CenterSpring{{bead}, {}, 50, {}}, std::sqrt(50 / m), "hold 'it'"},
        {CenterDamper{{bead}, 5}, 5 / m, "damping of the hold 'it'"},
        {SupportSpring{lid, {}, {}, 0, 7, {}}, std::sqrt(7 / J), "support 'it' of 'lid'"},
        {SupportDamper{lid, {}, 0, 0.3}, 0.3 / J, "damping of the support 'it' of 'lid'"},
        {SpringNet{{{{0, {}}, {bead, {}}, 50, 1}}}, std::sqrt(50 / m), "spring 'it'"},
        {SpringNet{{{{0, {}}, {bead, {}}, 50, 1}, {{0, {}}, {bead, {}}, 0, 1}}}, std::sqrt(50 / m), "springs 'it'"},
        {SpringNet{{{{0, {}}, {bead, {}}, 0, 1}}}, 0, ""},
        {DamperNet{{{{0, {}}, {bead, {}}, 5}}}, 5 / m, "damper 'it'"},
        {DamperNet{{{{0, {}}, {bead, {}}, 0}}}, 0, ""},
        {Attraction{{bead}, {}, 54, 0}, std::sqrt(54.0 / 27), "attraction 'it'"},
        {Attraction{{bead}, {}, 250, 4}, std::sqrt(250.0 / 125), "attraction 'it'"},
        {Drag{{bead}, 6, 0}, 6 / m, "drag 'it'"},
        {Drag{{bead}, 0, 0.5}, 2 * 0.5 * 4 / m, "drag 'it'"},
        {with(3, 0), std::sqrt(3 / J), "reflex 'it' of 'lid'"},
        {with(0, 0.3), 0.3 / J, "reflex 'it' of 'lid'"},
        {JointFriction{lid, 0.3}, 0.3 / J, "friction 'it' in the joint of 'lid'"},
        {JointFriction{lid, 0}, 0, ""},
        {FreePlay{lid, {}, constant(0), constant(0), constant(3), constant(1)}, std::sqrt(3 / J),
         "torque function 'it' on the angle of 'lid'"},
        {FreePlay{lid, {}, constant(0), constant(0), constant(0), constant(0)}, 0, ""},
        {Push{}, 0, ""}}) {
    const StepAdvice advice = advise_step(model, std::vector<Element>{{"it", c.kind}}, state);
    EXPECT_EQ(advice.cause, c.words);
    if (c.rate > 0) {
      EXPECT_NEAR(advice.shortest_period, 2 * pi / c.rate, 1e-5 * 2 * pi / c.rate) << c.words;
    } else {
      EXPECT_EQ(advice.shortest_period, forever);
    }
  }
}

// A figure of links that floats swings as a whole on what holds its centre of mass, whatever its limbs are: ω² = k/m. One of links on
// the ground swings more slowly than that.
TEST(Adviser, KnowsWhatHoldsACenterOfMass) {
  const Inertia<double> limb = shape_inertia({Box{{0.1, 0.2, 0.4}}, {Mat3<double>::identity(), {0, 0.1, -0.2}}}, 3);
  for (const JointType root : {JointType::free, JointType::ball}) {
    const Model model = weightless({link("body", "world", root, limb), link("arm", "body", JointType::ball, limb),
                                    link("hand", "arm", JointType::ball, limb)});
    State state = neutral_state(model);
    const auto rate = [&](ElementKind kind) {
      return 2 * pi / advise_step(model, std::vector<Element>{{"it", std::move(kind)}}, state).shortest_period;
    };
    const double omega = rate(CenterSpring{{1, 2, 3}, {}, 81, {}}), decay = rate(CenterDamper{{1, 2, 3}, 18});
    if (root == JointType::free) {
      EXPECT_NEAR(omega, 3, 3e-5);
      EXPECT_NEAR(decay, 2, 2e-5);
    } else {
      EXPECT_LT(omega, 3);
      EXPECT_LT(decay, 2);
      EXPECT_GT(omega, 1);
    }
  }
}

// A figure that floats falls; one that is held up, by a spring or a push anywhere on it, swings.
TEST(Adviser, WhatIsHeldUpSwings) {
  const Inertia<double> off_centre = shape_inertia({Box{{0.1, 0.1, 0.1}}, {Mat3<double>::identity(), {0, 0, -0.5}}}, 3);
  ModelSpec spec{{link("body", "world", JointType::free, off_centre), link("arm", "body", JointType::ball, off_centre)},
                 {0, 0, -9.81}};
  const Model model = freeze(spec);
  const auto cause = [&](std::vector<Element> elements) {
    return advise_step(model, elements, neutral_state(model)).cause;
  };
  EXPECT_EQ(cause({}), "");
  Push push;
  for (const int at : {1, 2}) {
    push.link = at;
    EXPECT_NE(cause({{"hand", push}}).find("swinging under gravity"), std::string::npos) << at;
    EXPECT_NE(cause({{"rope", SupportSpring{at, {}, {}, 1e-6, 0, {}}}}).find("swinging under gravity"),
              std::string::npos);
  }
  EXPECT_EQ(cause({{"oil", SupportDamper{1, {}, 1e-9, 0}}}).find("swinging"), std::string::npos);
}

// A body of 1 kg whose centre is half a metre below its hinge, and another of 1 kg hung on it a metre below: about the hinge
// the weights have the lever 0.5 m + 1 m, and the inertia is J + 1 kg (1 m)².
TEST(Adviser, AddsTheWeightsOfAChain) {
  const double J = 0.3;
  LinkSpec upper = link("upper", "world", JointType::hinge, {1, {0, 0, -0.5}, Sym3<double>::diagonal(J, J, 0.05)});
  LinkSpec lower = link("lower", "upper", JointType::ball, ball_of(1, 1e3));
  upper.axis = {1, 0, 0}, lower.X_PF.p = {0, 0, -1};
  const Model model = freeze({{upper, lower}, {0, 0, -10}});
  const StepAdvice advice = advise_step(model, {}, neutral_state(model));
  EXPECT_NEAR(advice.shortest_period, 2 * pi / std::sqrt(10 * 1.5 / (J + 1)), 1e-4);
  EXPECT_EQ(advice.cause, "'upper' swinging under gravity");
}

}  // namespace
}  // namespace marey::test
