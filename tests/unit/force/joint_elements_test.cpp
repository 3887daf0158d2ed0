// Elements in joints of every kind, general ones included, on random figures: what they do to the joint's velocities, to the
// energy, and what comes from outside.
//
// Oracles: power is τ · v, since v is what τ is dual to, while the sum computes it from wrenches and twists; a potential's
// difference quotient along the motion; and of what a joint on the world puts on its link, the share along each of the
// joint's motions S, which is τ, and nothing across them:
//   F · S_k = τ_k,   F = Σ x_k S_k                                                                                   (1)
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/dynamics.h"
#include "marey/force.h"
#include "marey/integrate.h"
#include "support/random_figure.h"

namespace marey {
namespace {

using figures::Figure;
constexpr double pi = std::numbers::pi;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Figure figure_of(unsigned seed) {
  figures::Options options;
  options.links = 6, options.joints = figures::Joints::every, options.mass_ratio = 3;
  options.tree = seed % 2 == 0 ? figures::Tree::chain : figures::Tree::random;
  Figure f = figures::random_figure(seed, options);
  // Each joint has its turn on the world.
  ModelSpec spec = f.spec;
  spec.links[0].joint = static_cast<JointType>(seed % 12);
  if (is_general(spec.links[0].joint)) {
    figures::Random random(seed);
    figures::random_general(random, spec.links[0]);
  }
  return figures::with_random_state(spec, seed);
}

struct Looked {
  Looked(const Figure& figure, std::span<const double> q_) : q(q_.begin(), q_.end()), f(figure), k(figure.model) {
    forward_kinematics<double>(f.model, f.model.params, q, f.state.v, k);
  }
  Instant<double> now() const { return {f.model, 0, q, f.state.v, k.X_WB, k.V_WB, nullptr}; }
  std::vector<double> q;
  const Figure& f;
  Kinematics<double> k;
};
std::vector<double> moved(const Figure& f, double h) {
  std::vector<double> xi(f.state.v), q(f.state.q);
  for (double& x : xi) x *= h;
  advance<double>(f.model, f.state.q, xi, Turn::exponential, q);
  return q;
}
// Of order h⁴.
template <class Value>
double derivative(const Figure& f, const Value& value) {
  const double h = 1e-4;
  const auto v = [&](double s) { return value(Looked(f, moved(f, s)).now()); };
  return (8 * (v(h) - v(-h)) - (v(2 * h) - v(-2 * h))) / (12 * h);
}

struct Acted {
  explicit Acted(const Looked& looked, const ElementKind& kind) : sum(looked.f.model) {
    const Element element{"element", kind};
    EXPECT_EQ(refusal(looked.f.model, element), "");
    std::vector<double> modes(at(mode_count(element)));
    start_modes(element, looked.now(), false, modes);
    evaluate<double>(element, looked.now(), modes, sum);
    for (std::size_t i = 0; i < sum.tau.size(); ++i) {
      power += sum.tau[i] * looked.f.state.v[i];
      size += std::abs(sum.tau[i] * looked.f.state.v[i]);
    }
  }
  ForceSum<double> sum;
  double power = 0, size = 0;  // τ · v
};

// (1), where the link hangs on the world; between links nothing comes from outside.
void expect_pair(const Looked& looked, int link, const Acted& acted) {
  const Model& model = looked.f.model;
  EXPECT_NEAR(acted.sum.power, acted.power, 1e-12 * (1 + acted.size)) << name_of(model.links[at(link)].joint);
  for (const Wrench<double>& F : acted.sum.F_Bo_W) EXPECT_EQ(norm(F.n) + norm(F.f), 0);
  if (model.links[at(link)].parent != 0) {
    EXPECT_EQ(norm(acted.sum.external.n) + norm(acted.sum.external.f), 0);
    return;
  }
  const Vec3<double> p = looked.k.X_WB[at(link)].p;
  const Wrench<double> F = shifted(acted.sum.external, -1.0 * p);  // about Bo again
  JointMotions<double> S;
  const int n = joint_motions(model, model.params, looked.k, link, S);
  // Least squares by Gram and Schmidt: what of F is left when its share along all S is taken away.
  Wrench<double> left = F;
  std::vector<Twist<double>> basis;
  for (int k = 0; k < n; ++k) {
    EXPECT_NEAR(dot(F.n, S[at(k)].w) + dot(F.f, S[at(k)].v), acted.sum.tau[at(model.links[at(link)].v + k)], 1e-11)
        << name_of(model.links[at(link)].joint);
    Twist<double> e = S[at(k)];
    for (int twice = 0; twice < 2; ++twice)
      for (const Twist<double>& b : basis) {
        const double share = dot(b.w, e.w) + dot(b.v, e.v);
        e = {e.w - share * b.w, e.v - share * b.v};
      }
    const double length = std::sqrt(norm_squared(e.w) + norm_squared(e.v));
    ASSERT_GT(length, 1e-6);
    basis.push_back({(1 / length) * e.w, (1 / length) * e.v});
    const double share = dot(left.n, basis.back().w) + dot(left.f, basis.back().v);
    left = {left.n - share * basis.back().w, left.f - share * basis.back().v};
  }
  EXPECT_LT(norm(left.n) + norm(left.f), 1e-10 * (1 + norm(F.n) + norm(F.f))) << name_of(model.links[at(link)].joint);
}

NamedAngle angle_of(const LinkTopology& link, int k) {
  NamedAngle angle;
  if (has_attitude(link.joint))
    angle = {static_cast<NamedAngle::Kind>(1 + k % 5), {0.2, -0.7, 0.4}, 0};
  else
    angle.coordinate = k % freedom_count(link);
  return angle;
}
bool has_angle(const LinkTopology& link) { return link.joint != JointType::weld && link.joint != JointType::point; }

TEST(JointElements, FrictionOfOneFreedomOrOfAll) {
  for (unsigned seed = 0; seed < 36; ++seed) {
    const Figure f = figure_of(seed);
    const Looked looked(f, f.state.q);
    for (int i = 1; i < f.model.nlink(); ++i) {
      const LinkTopology& link = f.model.links[at(i)];
      if (link.joint == JointType::weld || link.joint == JointType::free) continue;
      for (int freedom = -1; freedom < freedom_count(link); ++freedom) {
        const Element element{"friction", JointFriction{i, 0.7, freedom}};
        if (!refusal(f.model, element).empty()) continue;
        const Acted acted(looked, element.kind);
        for (int k = 0; k < f.model.nv; ++k) {
          const bool rubs = k >= link.v && k < link.v + freedom_count(link) && (freedom < 0 || k == link.v + freedom);
          EXPECT_EQ(acted.sum.tau[at(k)], rubs ? -0.7 * f.state.v[at(k)] : 0) << name_of(link.joint);
        }
        EXPECT_LE(acted.sum.power, 0);
        expect_pair(looked, i, acted);
      }
    }
  }
}

// τ · v is minus the rate of the potential: below the zone, above it, and inside, where there is none.
TEST(JointElements, FreePlayIsTheDerivativeOfItsPotential) {
  for (unsigned seed = 0; seed < 36; ++seed) {
    const Figure f = figure_of(seed);
    const Looked looked(f, f.state.q);
    for (int i = 1; i < f.model.nlink(); ++i) {
      const LinkTopology& link = f.model.links[at(i)];
      if (!has_angle(link)) continue;
      for (int k = 0; k < (has_attitude(link.joint) ? 5 : freedom_count(link)); ++k) {
        FreePlay play;
        play.link = i, play.angle = angle_of(link, k);
        const double angle = named_angle(play.angle, looked.now(), i).angle;
        play.slope_below = {{0}, {3}}, play.slope_above = {{0}, {5}};
        for (const double off : {-0.4, 0.0, 0.4}) {  // of the middle of the zone, which is 0.2 wide
          play.from = {{0}, {angle + off - 0.1}}, play.to = {{0}, {angle + off + 0.1}};
          const Element element{"play", play};
          ASSERT_EQ(refusal(f.model, element), "");
          const Acted acted(looked, play);
          const auto V = [&](const Instant<double>& now) { return potential<double>(element, now); };
          EXPECT_NEAR(V(looked.now()), off > 0 ? 0.5 * 3 * 0.09 : off < 0 ? 0.5 * 5 * 0.09 : 0, 1e-12);
          const double rate = derivative(f, V);
          EXPECT_NEAR(acted.power, -rate, 1e-7 * (1 + std::abs(rate) + acted.size)) << name_of(link.joint) << ' ' << k;
          expect_pair(looked, i, acted);
        }
      }
    }
  }
}

// Without a past all was always as it is now: a spring and a damper on the angle, s = −k (θ − θ₀) − d θ̇, τ · v = s θ̇; with
// the rate from differences of the angle, for targets any number of turns away.
TEST(JointElements, AReflexPullsAlongItsAngle) {
  for (unsigned seed = 0; seed < 36; ++seed) {
    const Figure f = figure_of(seed);
    const Looked looked(f, f.state.q);
    for (int i = 1; i < f.model.nlink(); ++i) {
      const LinkTopology& link = f.model.links[at(i)];
      if (!has_angle(link)) continue;
      for (int k = 0; k < (has_attitude(link.joint) ? 5 : freedom_count(link)); ++k) {
        Reflex reflex;
        reflex.link = i, reflex.angle = angle_of(link, k), reflex.delay = 0.1;
        reflex.stiffness = 2, reflex.damping = 0.3;
        const bool whole_turns = has_attitude(link.joint) && reflex.angle.kind != NamedAngle::Kind::swing;
        const double angle = named_angle(reflex.angle, looked.now(), i).angle;
        if (whole_turns && std::abs(angle) > pi - 0.1) continue;  // differences of it would jump
        const double rate =
            derivative(f, [&](const Instant<double>& now) { return named_angle(reflex.angle, now, i).angle; });
        for (const double off : {-1.0, 0.5, 2.9})
          for (const int turns : {-2, -1, 0, 1, 2}) {
            if (turns != 0 && !whole_turns) continue;
            reflex.target = angle - off + 2 * pi * turns;
            const Acted acted(looked, reflex);
            const double s = -2 * off - 0.3 * rate;
            EXPECT_NEAR(acted.power, s * rate, 1e-7 * (1 + acted.size + std::abs(s * rate)))
                << name_of(link.joint) << ' ' << k << ' ' << turns;
            expect_pair(looked, i, acted);
          }
      }
    }
  }
}

}  // namespace
}  // namespace marey
