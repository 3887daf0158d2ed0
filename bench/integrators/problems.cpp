// Scenes whose end is known: in closed form, or from a run much finer than any that is judged.
//
// Compound pendulum from rest at φ₀ (moment J about the axis, m g d of weight): with k = sin(φ₀/2), ω² = m g d/J,
//   sin(φ/2) = k cd(ωt, k),   φ̇ = −2 k k′ ω sd nd / √(1 − k² cd²) …                                              (1)
// where cd = cn/dn; φ̇ follows from the energy, ½ φ̇² = 2 ω² (k² − sin²(φ/2)), with the sign of −sn.
// Impact of a mass falling from the height H on a spring of stiffness k: free fall, then with u = √(2 g H), ω² = k/m
//   x = −(u/ω) sin ωs − (g/ω²)(1 − cos ωs)                                                                       (2)
// until x = 0 again at ωs = 2π − 2 atan(u ω/g), where it leaves with the speed u.
#include <cmath>

#include "integrators/parts.h"
#include "marey/closed_form.h"
#include "marey/closed_form/elliptic.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey::bench {
namespace {

constexpr const char* scenes = MAREY_SOURCE_DIR "/bench/scenes/";
constexpr const char* gallery = MAREY_SOURCE_DIR "/gallery/";

Problem problem(const std::string& name, const std::string& file) {
  Problem p;
  p.name = name;
  p.scene = load_scene(file);
  p.scene.solver = {};
  p.truth = p.scene.start;
  return p;
}

Vec3<double> at(std::span<const double> x, int i) { return {x[i], x[i + 1], x[i + 2]}; }
void put(std::span<double> x, int i, const Vec3<double>& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }
void put(std::span<double> x, int i, const Quaternion<double>& a) {
  x[i] = a.w, x[i + 1] = a.x, x[i + 2] = a.y, x[i + 3] = a.z;
}
Quaternion<double> turn_at(std::span<const double> x, int i) { return {x[i], x[i + 1], x[i + 2], x[i + 3]}; }

Problem kepler() {
  Problem p = problem("kepler", std::string(scenes) + "kepler-ellipse.yaml");
  const KeplerOrbit orbit = KeplerOrbit::from_state(1, at(p.scene.start.q, 0), at(p.scene.start.v, 0));
  const PathPoint end = orbit.at(p.scene.duration);
  put(p.truth.q, 0, end.r), put(p.truth.v, 0, end.v);
  p.known_from = "closed form";
  return p;
}

Problem free_body() {
  Problem p = problem("free body", std::string(scenes) + "free-body.yaml");
  const TorqueFree motion(p.scene.model.params.links[1].I.J, turn_at(p.scene.start.q, 0), at(p.scene.start.v, 0));
  put(p.truth.q, 0, motion.attitude(p.scene.duration));
  put(p.truth.v, 0, motion.angular_velocity(p.scene.duration));
  p.known_from = "closed form";
  p.for_rivals = true;
  return p;
}

Problem heavy_top() {
  Problem p = problem("heavy top", std::string(scenes) + "heavy-top.yaml");
  const Inertia<double>& I = p.scene.model.params.links[1].I;
  const HeavyTop motion({I.J.xx, I.J.zz, -I.h.z * p.scene.model.params.gravity.z}, turn_at(p.scene.start.q, 0),
                        at(p.scene.start.v, 0));
  put(p.truth.q, 0, motion.attitude(p.scene.duration));
  put(p.truth.v, 0, motion.angular_velocity(p.scene.duration));
  p.known_from = "closed form";
  p.for_rivals = true;
  return p;
}

Problem compound_pendulum() {
  Problem p = problem("pendulum", std::string(gallery) + "compound-pendulum.yaml");
  p.scene.duration = 5;
  const Inertia<double>& I = p.scene.model.params.links[1].I;
  using closed::Real;
  const Real omega = std::sqrt(Real(I.h.z) * Real(p.scene.model.params.gravity.z) / Real(I.J.yy));
  const Real k = std::sin(Real(p.scene.start.q[0]) / 2);
  const closed::Elliptic functions(k * k, 1 - k * k);
  const auto phase = functions.at(omega * Real(p.scene.duration));
  const Real s = k * phase.cn / phase.d;  // (1)
  const Real speed = 2 * omega * std::sqrt(k * k - s * s);
  p.truth.q[0] = double(2 * std::asin(s));
  p.truth.v[0] = double(phase.sn * k > 0 ? -speed : speed);
  p.known_from = "closed form";
  p.for_rivals = true;
  return p;
}

// rk45 at its finest, with a step that keeps rounding small.
void find_truth(Problem& p, double tolerance) {
  Scene fine = p.scene;
  fine.solver.integrator = Integrator::rk45;
  fine.solver.step = forever;
  fine.solver.tolerance = tolerance;
  Simulation world(fine);
  while (world.time() < fine.duration) world.step(fine.duration);
  p.truth = world.state();
  p.known_from = fmt::format("rk45 at {:.0e}", tolerance);
}

}  // namespace

std::vector<Problem> regular_problems(bool quick) {
  std::vector<Problem> all{kepler(), free_body(), heavy_top(), compound_pendulum()};
  Problem rods = problem("five rods", std::string(scenes) + "five-pendulum.yaml");
  Problem springs = problem("spring chain", std::string(scenes) + "spring-chain.yaml");
  Problem human = problem("human", std::string(gallery) + "tumbling-human.yaml");
  human.scene.duration = 1;
  for (Problem* p : {&rods, &springs, &human}) find_truth(*p, 1e-14);
  human.budget = 2e4;
  all.insert(all.end(), {rods, springs, human});
  for (Problem& p : all)
    if (quick) p.budget /= 8;
  return all;
}

Problem impact_problem() {
  Problem p = problem("impact", std::string(scenes) + "stiff-impact.yaml");
  const double g = -p.scene.model.params.gravity.z, H = p.scene.start.q[0], k = 1e8, m = 1;
  const double u = std::sqrt(2 * g * H), w = std::sqrt(k / m);
  const double contact = (2 * M_PI - 2 * std::atan(u * w / g)) / w;  // (2)
  const double s = p.scene.duration - u / g - contact;               // since it left the ground
  p.truth.q[0] = u * s - 0.5 * g * s * s;
  p.truth.v[0] = u - g * s;
  p.known_from = "closed form";
  return p;
}

Problem rest_problem() {
  Problem p = problem("rest", std::string(scenes) + "stiff-rest.yaml");
  find_truth(p, 1e-13);
  return p;
}

double error_of(const Model& model, const State& truth, const State& found) {
  std::vector<double> xi(truth.v.size());
  difference<double>(model, truth.q, found.q, xi);
  double worst = 0;
  const auto see = [&](double error, double size) {
    worst = std::isfinite(error) ? std::max(worst, std::abs(error) / (1 + std::abs(size))) : HUGE_VAL;
  };
  for (const LinkTopology& link : model.links) {
    const int n = freedom_count(link), shift = coordinate_count(link) - n;
    for (int k = 0; k < n; ++k) {
      see(xi[link.v + k], shift > 0 && k < 3 ? 0 : truth.q[link.q + shift + k]);
      see(found.v[link.v + k] - truth.v[link.v + k], truth.v[link.v + k]);
    }
  }
  return worst;
}

}  // namespace marey::bench
