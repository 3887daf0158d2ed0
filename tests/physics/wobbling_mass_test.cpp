// Wobbling masses in scenes (R9): what the split leaves as it was, a mass that falls on its spring against the oscillator's closed form,
// conservation and books with every solver, method and driver, going on from a saved state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/force/tissue.h"
#include "marey/simulation.h"
#include "support/recorded.h"

namespace wobbling_mass_test {

using namespace marey;
using recorded::Memory, recorded::run_text;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\n" + text, "test.yaml"); }

// ---- the split
const std::string odd_link =
    "joint: free, shape: [{box: {size: [10 cm, 20 cm, 50 cm], center: [3 cm, 0, 20 cm]}}, {sphere: {radius: 9 cm, "
    "center: [0, 8 cm, "
    "0]}}], mass: 7.3 kg";

double largest(const Inertia<double>& a) {
  return std::max({a.m, norm(a.h), std::abs(a.J.xx), std::abs(a.J.yy), std::abs(a.J.zz), std::abs(a.J.xy),
                   std::abs(a.J.xz), std::abs(a.J.yz)});
}

// A link with its tissue at rest has the mass, the centre of mass and the moments of the link alone.
TEST(WobblingMass, LeavesTheLinkAtRestAsItWas) {
  for (const char* wobble :
       {"true", "{share: 0.31}", "{mass: 2 kg, inertia: [0.06, 0.05, 0.012]}", "{plane: [1, 2, 0]}"}) {
    const auto with = [&](const std::string& w) {
      return scene_of(fmt::format("duration: 1\nfigures: {{f: {{links: {{a: {{{}{}}}}}}}}}\n", odd_link, w));
    };
    const Scene rigid = with(""), soft = with(fmt::format(", wobble: {}", wobble));
    ASSERT_EQ(soft.model.nlink(), 3);
    const Inertia<double>&whole = rigid.model.params.links[1].I, &rest = soft.model.params.links[1].I,
          &tissue = soft.model.params.links[2].I;
    const std::vector<TissuePlace> places = tissues_of(soft.elements);
    ASSERT_EQ(places.size(), 1u);
    const Vec3<double> c = places[0].center_B;
    const Inertia<double> sum{rest.m + tissue.m, rest.h + tissue.m * c, rest.J + tissue.J + point_inertia(tissue.m, c)};
    const Inertia<double> off{sum.m - whole.m, sum.h - whole.h, sum.J - whole.J};
    EXPECT_LE(largest(off), 1e-14 * largest(whole)) << wobble;
    EXPECT_GT(tissue.m, 1);
  }
}

TEST(WobblingMass, IsR9sShareOfHumans) {
  const Scene s = scene_of(
      "duration: 1\nfigures: {r: {human: {source: ruder, mass: 80 kg, form: three_links, wobble: true}}, a: {human: "
      "{sex: male, mass: 75 "
      "kg, height: 1.8 m, wobble: true}, links: {head: {wobble: false}, chest: {wobble: {share: 0.2}}}}}\n");
  const auto mass = [&](const std::string& name) {
    return s.model.params.links[static_cast<std::size_t>(s.model.find(name))].I.m;
  };
  const auto share = [&](const std::string& name) {
    return mass(name + "_tissue") / (mass(name + "_tissue") + mass(name));
  };
  EXPECT_NEAR(mass("r.shanks_tissue"), 0.75 * 0.12 * 80, 1e-12);
  EXPECT_NEAR(mass("r.thighs_tissue"), 0.75 * 0.22 * 80, 1e-12);
  EXPECT_NEAR(mass("r.trunk_tissue"), 0.5 * 0.66 * 80, 1e-12);
  const Inertia<double>& trunk = s.model.params.links[static_cast<std::size_t>(s.model.find("r.trunk_tissue"))].I;
  EXPECT_NEAR(trunk.J.xx, 0.0338 * 80, 1e-12);
  EXPECT_NEAR(share("a.left_thigh"), 0.75, 1e-12);
  EXPECT_NEAR(share("a.pelvis"), 0.5, 1e-12);
  EXPECT_NEAR(share("a.chest"), 0.2, 1e-12);
  EXPECT_EQ(s.model.find("a.head_tissue"), -1);
  EXPECT_EQ(s.model.nv, 39 + 11 * 6 + 5 + 3 * 3);
}

// ---- one mass on a straight spring: a link that the world holds, a tissue that gravity lets go, 1-dimensional
//   x = −g/ω² (1 − e^(−γt) (cos ω₁ t + γ/ω₁ sin ω₁ t)),  ω² = c/m,  γ = d/2m
TEST(WobblingMass, OscillatesAsTheClosedFormSays) {
  const double mass = 3, c = 600, d = 12, g = 9.81;
  for (const char* how :
       {"solver: {integrator: rk45, tolerance: 1e-12}", "solver: {contact: stepping, step: 0.05 ms}"}) {
    for (const char* plane : {"", ", plane: x"}) {
      const Memory r = run_text(
          fmt::format("duration: 0.5 s\n{}\nfigures: {{f: {{links: {{a: {{joint: weld, shape: {{box: [10 cm, 20 cm, 50 "
                      "cm]}}, mass: 4 kg, wobble: "
                      "{{share: 0.75, stiffness: {}, exponent: 1, damping: {}{}}}}}}}}}}}\nrecord: {{every: 50 ms}}\n",
                      how, c, d, plane));
      const double gamma = d / (2 * mass), omega = std::sqrt(c / mass - gamma * gamma);
      double most = 0;
      for (std::size_t i = 0; i < r.rows.size(); ++i) {
        const double t = r.time(i), wave = std::cos(omega * t) + gamma / omega * std::sin(omega * t);
        const double x = -g * mass / c * (1 - std::exp(-gamma * t) * wave);
        most = std::max(most, norm(r.vec("tissue/f.a/shift", i) - Vec3<double>{0, 0, x}));
      }
      std::printf("%s%s: %.1e m off\n", how, plane, most);
      // Stepping goes by a midpoint rule: (ω h)²/24 of the phase, ω t = 7 and an amplitude of 5 cm → 1e-8.
      EXPECT_LE(most, std::string_view(how).find("stepping") == std::string_view::npos ? 1e-10 : 5e-8);
    }
  }
}

// ---- a jointed figure in space
std::string tumbler(const std::string& solver, const std::string& more = "gravity: 0\n") {
  return fmt::format(R"(
duration: 0.2 s
solver: {}
{}record: {{every: 0.1 s}}
figures:
  f:
    links:
      trunk: {{shape: {{box: [20 cm, 30 cm, 50 cm]}}, mass: 9 kg, wobble: {{share: 0.5, damping: 30 N s/m}}, start: {{spin: [3, 5, 1], velocity: [1 m/s, 0, 0]}}}}
      arm: {{parent: trunk, joint: ball, at: [0, 15 cm, 20 cm], shape: {{capsule: {{radius: 4 cm, length: 30 cm, along: y}}}}, mass: 3 kg, wobble: true, start: {{spin: [0, 0, 6]}}}}
      hand: {{parent: arm, joint: ball, at: [0, 32 cm, 0], shape: {{capsule: {{radius: 4 cm, length: 20 cm, along: y}}}}, mass: 1 kg, wobble: {{stiffness: {{along: 4e6, across: 1e6}}, exponent: {{along: 3, across: 2.5}}}}, start: {{spin: [8, 0, 0]}}}}
)",
                     solver, more);
}

double momentum_kept(const Memory& r) {
  const std::size_t end = r.rows.size() - 1;
  const auto off = [&](const char* name) {
    return norm(r.vec(name, end) - r.vec(name, 0)) / (1 + norm(r.vec(name, 0)));
  };
  return std::max(off("momentum/linear"), off("momentum/angular"));
}

// All alike with the smallest tolerance; what the dampers take is what the energy loses, and momentum stays.
TEST(WobblingMass, KeepsMomentumAndBooksWithEverySolver) {
  Vec3<double> first;
  for (const char* dynamics : {"aba", "crba", "dense", "armstrong", "multipliers"}) {
    const Memory r = run_text(tumbler(fmt::format("{{dynamics: {}, integrator: rk45, tolerance: 1e-11}}", dynamics)));
    const std::size_t end = r.rows.size() - 1;
    const double lost = r.number("energy/total", 0) - r.number("energy/total", end);
    std::printf("%s: momentum to %.1e, energy to %.1e of %.2f J lost\n", dynamics, momentum_kept(r),
                r.summary.ledger.energy_residual_relative, lost);
    EXPECT_LE(momentum_kept(r), 1e-9);
    EXPECT_LE(r.summary.ledger.energy_residual_relative, 1e-8);
    EXPECT_GT(lost, 0.1);
    const Vec3<double> at = r.vec("link/f.hand_tissue/position", end);
    if (dynamics == std::string("aba")) first = at;
    EXPECT_LE(norm(at - first), 1e-8) << dynamics;
  }
}

TEST(WobblingMass, GoesByEveryMethodAndDriver) {
  const Vec3<double> known =
      run_text(tumbler("{integrator: rk45, tolerance: 1e-11}")).vec("link/f.hand_tissue/position", 2);
  for (const Integrator integrator : all_integrators()) {
    const bool fixed = has_fixed_step(integrator);
    const Memory r = run_text(tumbler(
        fmt::format("{{integrator: {}, {}}}", name_of(integrator), fixed ? "step: 0.2 ms" : "tolerance: 1e-9")));
    const double off = norm(r.vec("link/f.hand_tissue/position", 2) - known);
    std::printf("%s: %.1e m off\n", name_of(integrator), off);
    EXPECT_LE(off, !fixed ? 1e-6 : order_of(integrator) == 1 ? 1e-2 : 1e-5) << name_of(integrator);
  }
  for (const char* step : {"0.4 ms", "0.2 ms"}) {
    const Memory r = run_text(tumbler(fmt::format("{{contact: stepping, step: {}}}", step)));
    const double off = norm(r.vec("link/f.hand_tissue/position", 2) - known);
    std::printf("stepping, %s: %.1e m off, momentum to %.1e\n", step, off, momentum_kept(r));
    // Two rounds of the midpoint rule leave forces between bodies as far apart as they move in half a step; so do springs.
    EXPECT_LE(off, 1e-5);
    EXPECT_LE(momentum_kept(r), 1e-5);
  }
}

// A stiff tissue does not shorten the steps of the stepping driver: at ω h = 12 a body that is pushed and its tissue go their
// way as one does.
TEST(WobblingMass, MayBeStiffInSteps) {
  const std::string stiff =
      "wobble: {stiffness: 4e8, exponent: 1, damping: 4e4 N s/m, turning_stiffness: 1e6, turning_damping: 100 N m "
      "s/rad},";
  const auto text = [&](const std::string& wobble) {
    return fmt::format(
        "duration: 0.3 s\nsolver: {{contact: stepping, step: 1 ms}}\nfigures: {{f: {{links: {{a: {{shape: {{box: [20 "
        "cm, 30 cm, 50 "
        "cm]}}, mass: 4 kg, {} start: {{spin: [3, 2, 1], velocity: [1, 0, 2]}}}}}}}}}}\nforces: [{{push: {{link: f.a, "
        "point: [0, 5 cm, 10 cm], force: [20 N, 0, 9 N]}}}}]\n",
        wobble);
  };
  const Memory rigid = run_text(text("")), soft = run_text(text(stiff));
  const std::size_t end = rigid.rows.size() - 1;
  const double off = norm(rigid.vec("link/f.a/position", end) - soft.vec("link/f.a/position", end));
  const double turned =
      recorded::angle_between(rigid.turn("link/f.a/orientation", end), soft.turn("link/f.a/orientation", end));
  std::printf("stiff tissue: %.1e m and %.1e rad from the rigid body, energy to %.1e\n", off, turned,
              soft.summary.ledger.energy_residual_relative);
  EXPECT_LE(off, 1e-6);
  EXPECT_LE(turned, 1e-4);
  EXPECT_LE(soft.summary.ledger.energy_residual_relative, 1e-3);
}

TEST(WobblingMass, StartsAtRestBesideItsLinkWhereverThatIs) {
  const Memory r = run_text(
      "duration: 1 ms\ngravity: 0\nfigures:\n  f:\n    at: [1 m, 2 m, 3 m]\n    turned: {axis: z, angle: 40 deg}\n    "
      "copies: {count: 2, "
      "spacing: [3 m, 0, 0], random: {seed: 4, turned: 30 deg, velocity: 2 m/s, spin: 3 rad/s}}\n    links:\n      a: "
      "{shape: {box: [10 cm, 20 cm, "
      "50 cm]}, mass: 4 kg, wobble: true}\n      b: {parent: a, joint: ball, at: [0, 0, 30 cm], shape: {capsule: "
      "{radius: 3 cm, length: 30 cm, along: "
      "y}}, mass: 1 kg, wobble: true, start: {turned: {axis: x, angle: 70 deg}, spin: [1, 2, 3]}}\n");
  for (const char* link : {"f-1.a", "f-2.a", "f-1.b", "f-2.b"}) {
    const std::string base = std::string("tissue/") + link;
    EXPECT_LE(norm(r.vec(base + "/shift", 0)) + norm(r.vec(base + "/turn", 0)), 1e-14) << link;
    EXPECT_LE(norm(r.vec(base + "/force", 0)) + norm(r.vec(base + "/moment", 0)), 1e-10) << link;
  }
}

// From a saved state, bit for bit.
TEST(WobblingMass, GoesOnFromASavedState) {
  for (const char* solver :
       {"{integrator: rk4, step: 1 ms}", "{integrator: rk45, tolerance: 1e-8}", "{contact: stepping, step: 1 ms}"}) {
    Simulation once(scene_of(tumbler(solver)));
    once.run_until(0.1);
    const SavedState saved = once.save();
    Simulation again(scene_of(tumbler(solver)));
    again.restore(saved);
    once.run_until(0.2), again.run_until(0.2);
    EXPECT_EQ(once.state().q, again.state().q) << solver;
    EXPECT_EQ(once.state().v, again.state().v) << solver;
  }
}

// The rest of a figure that hangs: sagged by as much as the springs say, c s³ = m g.
TEST(WobblingMass, SagsAsFarAsItsSpringSays) {
  const Scene s = scene_of(
      "duration: 1\nstart: equilibrium\nfigures: {f: {links: {a: {joint: {type: hinge, axis: x}, shape: {box: {size: "
      "[10 cm, 20 cm, 50 cm], "
      "center: [0, 0, -25 cm]}}, mass: 4 kg, wobble: {share: 0.5, stiffness: 2e6}, start: {angle: 20 deg}}}}}\n");
  Simulation simulation(s);
  const double shift = simulation.values("tissue/f.a/shift")[2];
  EXPECT_NEAR(shift, -std::cbrt(2 * 9.81 / 2e6), 1e-6);
}

// R12, fig. 4.7: the peak and its width are fitted (bench down_jump); that the rigid figure's is three times as high and less than half as
// wide, that the tissue goes as far as R estimates, and that the books close, is not.
TEST(WobblingMass, TakesTheImpactOfADownJump) {
  Memory r;
  r.summary = marey::run(load_scene(MAREY_SOURCE_DIR "/gallery/down-jump.yaml"), r);
  const auto impact = [&](const std::string& heel) {
    std::vector<double> force;
    for (std::size_t i = 0; i < r.rows.size() && r.time(i) < 0.05; ++i)
      force.push_back(r.vec("contact/" + heel + "/force", i).z / (75 * 9.81));
    const auto top = std::ranges::max_element(force);
    double width = 0;  // the mean of those at 0.4, 0.5 and 0.6 of the peak
    for (const double part : {0.4, 0.5, 0.6}) {
      auto from = top, to = top;
      while (from != force.begin() && *from > part * *top) --from;
      while (to != force.end() && *to > part * *top) ++to;
      width += static_cast<double>(to - from) * 0.5e-3 / 3;
    }
    return std::pair{*top, width};
  };
  const auto [soft, soft_width] = impact("heel");
  const auto [rigid, rigid_width] = impact("rigid-heel");
  double shift = 0;
  for (std::size_t i = 0; i < r.rows.size(); ++i)
    for (const char* link : {"shanks", "thighs", "trunk"})
      shift = std::max(shift, norm(r.vec(std::string("tissue/jumper.") + link + "/shift", i)));
  std::printf("peak %.2f body weights, %.1f ms wide; rigid %.2f, %.1f ms; shift %.1f mm\n", soft, soft_width * 1e3,
              rigid, rigid_width * 1e3, shift * 1e3);
  EXPECT_NEAR(soft, 8, 0.2);  // frames of half a millisecond beside those of the fit, 0.2 ms
  EXPECT_NEAR(soft_width, 20e-3, 2e-3);
  EXPECT_GE(rigid, 3 * soft);
  EXPECT_LE(rigid_width, 0.5 * soft_width);
  EXPECT_GT(shift, 0.03);
  EXPECT_LT(shift, 0.04);
  EXPECT_LE(r.summary.ledger.energy_residual_relative, 1e-8);
}

}  // namespace wobbling_mass_test
