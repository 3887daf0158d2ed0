// Ground under feet. Source: Ruder et al. 1991, 4.4.2.1 and 4.5 (R10, T_G of R 4.3), with F_G ≥ 0 and friction against the slip.
//
// Each foot stands on one or two points, heel and toes, with p and v in W. The ground's height is h, or with a plank along e, from its
// first end on at x = ξ L (at its ends it goes on as it is there), with modes φ_k of the mass M (src/force/beam.cpp):
//   h(x) = h₀ + w,   w = Σ q_k φ_k(ξ),   q̈_k + 2ζ ω_k q̇_k + ω_k² q_k = −(1/M) Σ F φ_k(ξ)                              (1)
//   z = h − p_z,     ż = Σ q̇_k φ_k + w′ v_x − v_z,   w′ = ∂w/∂x                                                     (2)
//   F = F_s(z) + d(z) ż      (4.7), src/force/pad.h                                                                 (3)
// The force on the foot is F (−w′ e + e_z), across the plank, so that (1)–(3) lose d ż² and 2ζ ω_k M q̇_k² and nothing else. With the
// level velocity u of the point, friction is that of bristles s (LuGre; C. Canudas de Wit et al., IEEE Trans. Autom. Control 40 (1995)
// 419–425) in units of their length δ:
//   ṡ = (u − |u| s/g)/(δ (1 + |u|/u₁)),   g(u) = [μ_k + (μ_s − μ_k) exp(−(u/u_s)²)]/μ_s                                              (4)
//   f = s + τ ṡ exp(−(|u| τ/δ)²),   F_t = −μ_s F f/max(1, |f|)                                                      (5)
// so that |F_t| ≤ μ_s F always, μ_k F where it slides fast (u₁ bounds the rate at which bristles follow a fast slip, which no step could), and a spring μ_s F/δ with a damper where it stands. In the air bristles
// straighten themselves, ṡ = −s/τ. T_G, about a level axis a, φ and ω the turn of the foot about it since the start:
//   T_G = −l N tanh((k φ + c ω)/(l N)),   N the load on the foot                                                     (6)
// What a foot may do with a sole of half the length l, which a heel alone cannot.
//
// Each point has a phase, left at an event:
//   free      p above the ground               z > 0: pressed
//   pressed   (3)                              F < 0: lifted
//   lifted    no force: the pad comes back     z < 0: free       F of (3) > 0: pressed
// Borders are a little apart, lest rounding cross them to and fro. States z: q_k, q̇_k of all modes; s of each point, two numbers each.
//
// The account: it stores E = Σ ∫F_s dz + ½ M Σ (q̇_k² + ω_k² q_k²), and takes in, by its losses (which are negative),
//   Ė + P = Σ (F_s − F) ż + Σ F_t · u − Σ 2ζ ω_k M q̇_k² + T_G ω,   P the power of all it does to the figure            (7)
#include "marey/force/footing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "force/descriptor.h"
#include "force/pad.h"
#include "marey/force/cast.h"
#include "marey/force/element_maker.h"
#include "marey/source.h"

namespace marey {
namespace {

enum class SolePhase { free, pressed, lifted };
constexpr double bristle_time = 5e-3;  // s: τ
constexpr double quick_slip = 1;       // m/s: u₁
constexpr double creeping = 1e-9;      // m/s: below, a slip has no direction
constexpr double same_height = 1e-12;  // m
constexpr int most_modes = 8;
constexpr double shallow = 1e-3;  // m: where forces are compared

double number_of(double x) { return x; }
double number_of(const Dual<1>& x) { return x.value; }

// tanh, of what may be large.
template <class T>
T smooth_sign(const T& x) {
  const T e = exp(T(-2) * abs(x)), size = (T(1) - e) / (T(1) + e);
  return select(x < T(0), -size, size);
}

// A point of a foot.
struct Sole {
  int link = 0;
  Vec3<double> point_B;
};

// What there is at a point.
template <class T>
struct Contact {
  Vec3<T> r;          // p_BoQ_W
  Vec3<T> u;          // its velocity
  T depth, rate;      // z, ż
  T tilt;             // w′
  T load;             // F, whatever the phase
  T elastic;          // F_s
  double energy = 0;  // ∫F_s dz
  std::array<double, most_modes> shape{};
};

class FootingSource final : public Source {
 public:
  explicit FootingSource(const Element& element) : element_(element) {
    const Footing& e = of();
    for (const int link : e.links) {
      soles_.push_back({link, e.heel_B});
      if (e.toes_B) soles_.push_back({link, *e.toes_B});
    }
    if (e.plank) modes_ = modes_of(*e.plank);
  }

  std::string name() const override { return element_.name; }
  bool stores_energy() const override { return true; }
  std::vector<std::string> states() const override {
    std::vector<std::string> names;
    for (std::size_t k = 1; k <= modes_.size(); ++k) names.push_back(fmt::format("bend_{}", k));
    for (std::size_t k = 1; k <= modes_.size(); ++k) names.push_back(fmt::format("bend_rate_{}", k));
    for (std::size_t i = 1; i <= soles_.size(); ++i)
      for (const char axis : {'x', 'y'}) names.push_back(fmt::format("shear_{}_{}", i, axis));
    return names;
  }
  int mode_count() const override { return static_cast<int>(soles_.size()); }
  void start(const Instant<double>& at, std::span<double> z, std::span<double> modes) const override {
    for (std::size_t i = 0; i < soles_.size(); ++i) {
      const Contact<double> c = contact<double>(i, at, z);
      modes[i] = static_cast<double>(c.depth <= 0 ? SolePhase::free
                                     : c.load > 0 ? SolePhase::pressed
                                                  : SolePhase::lifted);
    }
  }

  void act(const Instant<double>& at, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double> z_rate) const override {
    stand<double>(at, kept, &sum, z_rate, nullptr);
  }
  bool act(const Instant<Dual<1>>& at, const Kept<Dual<1>>& kept, ForceSum<Dual<1>>& sum,
           std::span<Dual<1>> z_rate) const override {
    stand<Dual<1>>(at, kept, &sum, z_rate, nullptr);
    return true;
  }

  double potential(const Instant<double>& at, const Kept<double>& kept) const override {
    double energy = 0;
    for (std::size_t i = 0; i < soles_.size(); ++i) energy += contact<double>(i, at, kept.z).energy;
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      const double q = kept.z[k], w = modes_[k].frequency, rate = kept.z[modes_.size() + k];
      energy += 0.5 * of().plank->mass * (rate * rate + w * w * q * q);
    }
    return energy;
  }
  double potential_rate(const Instant<double>& at, const Kept<double>& kept) const override {
    double lost = 0;
    thread_local std::vector<double> z_rate;
    z_rate.resize(kept.z.size());
    stand<double>(at, kept, nullptr, std::span(z_rate), &lost);
    return lost;
  }

  int switch_count() const override { return 2 * static_cast<int>(soles_.size()); }
  void switch_values(const Instant<double>& at, const Kept<double>& kept, std::span<double> values) const override {
    const double little = 1e-9 * (pad_at(of().pad, shallow).force);
    for (std::size_t i = 0; i < soles_.size(); ++i) {
      const Contact<double> c = contact<double>(i, at, kept.z);
      values[2 * i] = values[2 * i + 1] = 1;
      switch (phase_of(kept.modes[i])) {
        case SolePhase::free:
          values[2 * i] = -c.depth;
          break;
        case SolePhase::pressed:
          values[2 * i] = c.load + little;
          values[2 * i + 1] = c.depth + same_height;  // of a pad without damping, whose load ends with its depth
          break;
        case SolePhase::lifted:
          values[2 * i] = c.depth + same_height;
          values[2 * i + 1] = little - c.load;
          break;
      }
    }
  }
  // Whatever else happens may be an impact, which lets rates jump, and with them forces.
  void switch_over(const Instant<double>& at, int which, std::span<double> z, std::span<double> modes) const override {
    if (which == by_clock) {
      for (std::size_t i = 0; i < soles_.size(); ++i) {
        if (phase_of(modes[i]) == SolePhase::free) continue;
        const Contact<double> c = contact<double>(i, at, z);
        if (c.depth > 0) modes[i] = static_cast<double>(c.load > 0 ? SolePhase::pressed : SolePhase::lifted);
      }
      return;
    }
    double& mode = modes[static_cast<std::size_t>(which / 2)];
    const bool first = which % 2 == 0;
    const SolePhase next = phase_of(mode) == SolePhase::free      ? SolePhase::pressed
                           : phase_of(mode) == SolePhase::pressed ? (first ? SolePhase::lifted : SolePhase::free)
                           : first                                ? SolePhase::free
                                                                  : SolePhase::pressed;
    mode = static_cast<double>(next);
  }

 private:
  const Footing& of() const { return *element_.kind.get_if<Footing>(); }
  static SolePhase phase_of(double mode) { return static_cast<SolePhase>(static_cast<int>(mode)); }
  std::size_t first_shear() const { return 2 * modes_.size(); }

  // (2), (3); the plank's shape at the place is left in shape_.
  template <class T>
  Contact<T> contact(std::size_t i, const Instant<T>& at, std::span<const T> z) const {
    const Footing& e = of();
    const Sole& sole = soles_[i];
    const Transform<T>& X = at.X_WB[static_cast<std::size_t>(sole.link)];
    const Twist<T>& V = at.V_WB[static_cast<std::size_t>(sole.link)];
    Contact<T> c;
    c.r = X.R * cast<T>(sole.point_B);
    c.u = V.v + cross(V.w, c.r);
    const Vec3<T> p = X.p + c.r;
    T height(e.height), rate(0);
    c.tilt = T(0);
    if (e.plank) {
      const Plank& plank = *e.plank;
      const T x = dot(cast<T>(plank.along), p - cast<T>(plank.middle)), xi = x / T(plank.length) + T(0.5);
      const double at_xi = number_of(xi), on = std::min(std::max(at_xi, 0.0), 1.0);
      const bool beside = at_xi != on;
      height = T(plank.middle.z);
      for (std::size_t k = 0; k < modes_.size(); ++k) {
        const double shape = modes_[k].shape(on), slope = modes_[k].slope(on);
        const double bending = -modes_[k].beta * modes_[k].beta;  // of hinged ends; of others by differences below
        const T phi = beside ? T(shape) : along_slope(shape, slope, xi);
        c.shape[k] = shape;
        height += z[k] * phi;
        rate += z[modes_.size() + k] * phi;
        if (beside) continue;
        const double curved = modes_[k].held == Plank::Held::both_ends ? bending * shape : curvature(modes_[k], on);
        c.tilt += z[k] * along_slope(slope, curved, xi) / T(plank.length);
      }
      rate += c.tilt * dot(cast<T>(plank.along), c.u);
    }
    c.depth = height - p.z;
    c.rate = rate - c.u.z;
    const PadNow pad = pad_at(e.pad, number_of(c.depth));
    c.elastic = along_slope(pad.force, pad.slope, c.depth);
    c.load = c.elastic + along_slope(pad.damping, pad.damping_slope, c.depth) * c.rate;
    c.energy = pad.energy;
    return c;
  }
  // φ″ where it is clamped: good enough for the derivative of a derivative, which implicit methods alone ask for.
  static double curvature(const BeamMode& mode, double xi) {
    constexpr double h = 1e-5;
    return (mode.slope(xi + h) - mode.slope(xi - h)) / (2 * h);
  }

  // (4), (5). ṡ into the states' rates.
  template <class T>
  Vec3<T> friction(std::size_t i, const Contact<T>& c, const T& load, bool touches, std::span<const T> z,
                   std::span<T> z_rate) const {
    const Footing& e = of();
    const std::size_t at = first_shear() + 2 * i;
    const T sx = z[at], sy = z[at + 1];
    if (!touches || !(e.friction > 0)) {
      z_rate[at] = sx / T(-bristle_time), z_rate[at + 1] = sy / T(-bristle_time);
      return {T(0), T(0), T(0)};
    }
    const T speed = sqrt(c.u.x * c.u.x + c.u.y * c.u.y + T(creeping * creeping)), quick = speed / T(e.slow);
    const T most = T(e.sliding / e.friction) + T(1 - e.sliding / e.friction) * exp(-(quick * quick));
    const T length = T(e.give) * (T(1) + speed / T(quick_slip));
    const T fx = z_rate[at] = (c.u.x - speed * sx / most) / length;
    const T fy = z_rate[at + 1] = (c.u.y - speed * sy / most) / length;
    const T damped = speed * T(bristle_time / e.give), part = T(bristle_time) * exp(-(damped * damped));
    const T x = sx + part * fx, y = sy + part * fy, size = sqrt(x * x + y * y + T(1e-30));
    const T force = T(-e.friction) * load / max(T(1), size);
    return {force * x, force * y, T(0)};
  }

  // φ and ω of (6).
  template <class T>
  std::pair<T, T> turn_of(std::size_t foot, const Instant<T>& at) const {
    const Footing& e = of();
    const std::size_t link = static_cast<std::size_t>(e.links[foot]);
    const Vec3<T> a = cast<T>(e.about), u = at.X_WB[link].R * cast<T>(e.upright_B[foot]);
    const Vec3<T> from = cast<T>(e.upright_W);
    return {atan2(dot(a, cross(from, u)), dot(from, u)), dot(a, at.V_WB[link].w)};
  }

  // All of it: forces into the sum, ż, and the losses of (7); either may be null.
  template <class T>
  void stand(const Instant<T>& at, const Kept<T>& kept, ForceSum<T>* sum, std::span<T> z_rate, T* lost) const {
    const Footing& e = of();
    const std::size_t n = modes_.size();
    for (std::size_t k = 0; k < n; ++k) {
      const double w = modes_[k].frequency, c = 2 * e.plank->damping * w;
      const T rate = kept.z[n + k];
      z_rate[k] = rate;
      z_rate[n + k] = T(-w * w) * kept.z[k] - T(c) * rate;
      if (lost) *lost -= T(c * e.plank->mass) * rate * rate;
    }
    const std::size_t per_foot = soles_.size() / e.links.size();
    for (std::size_t foot = 0; foot < e.links.size(); ++foot) {
      T load(0);
      for (std::size_t i = foot * per_foot; i < (foot + 1) * per_foot; ++i)
        load += press(i, at, kept, sum, z_rate, lost);
      if (e.lever > 0 && number_of(load) > 0) hold_foot(foot, load, at, sum, lost);
    }
  }
  // One point; its load.
  template <class T>
  T press(std::size_t i, const Instant<T>& at, const Kept<T>& kept, ForceSum<T>* sum, std::span<T> z_rate,
          T* lost) const {
    const Footing& e = of();
    const std::size_t n = modes_.size();
    const Contact<T> c = contact<T>(i, at, kept.z);
    const SolePhase phase = phase_of(kept.modes[i]);
    const T load = phase == SolePhase::pressed ? c.load : T(0);
    const Vec3<T> rubs = friction(i, c, load, phase == SolePhase::pressed, kept.z, z_rate);
    for (std::size_t k = 0; k < n; ++k) z_rate[n + k] -= load * T(c.shape[k] / e.plank->mass);
    Vec3<T> f = rubs + Vec3<T>{T(0), T(0), load};
    if (e.plank) f += (-load * c.tilt) * cast<T>(e.plank->along);
    if (sum && phase == SolePhase::pressed) sum->wrench(at, soles_[i].link, force_at(c.r, f));
    const bool stores = phase != SolePhase::free && number_of(c.depth) > 0;
    if (lost) *lost += (stores ? (c.elastic - load) * c.rate : T(0)) + dot(rubs, c.u);
    return load;
  }
  // (6)
  template <class T>
  void hold_foot(std::size_t foot, const T& load, const Instant<T>& at, ForceSum<T>* sum, T* lost) const {
    const Footing& e = of();
    const auto [phi, omega] = turn_of(foot, at);
    const T most = T(e.lever) * load;
    const T torque = -most * smooth_sign((T(e.turning_stiffness) * phi + T(e.turning_damping) * omega) / most);
    if (sum) sum->wrench(at, e.links[foot], {torque * cast<T>(e.about), {T(0), T(0), T(0)}});
    if (lost) *lost += torque * omega;
  }

  const Element& element_;
  std::vector<Sole> soles_;
  std::vector<BeamMode> modes_;
};

}  // namespace

template <>
struct Descriptor<Footing> {
  static constexpr const char* word = "footing";
  static constexpr Nature nature = Nature::active;
  static std::shared_ptr<const Source> source(const Element& e) { return std::make_shared<FootingSource>(e); }

  template <class T>
  static void act(const Footing&, const Instant<T>&, std::span<const double>, ForceSum<T>&) {}  // nobody has come yet

  static std::string refusal(const Model&, const Footing& e) {
    if (!(e.friction >= 0 && std::isfinite(e.friction))) return "'friction' must be 0 or more";
    if (!(e.sliding >= 0 && e.sliding <= e.friction)) return "'sliding' must be from 0 to 'friction'";
    if (!(e.give > 0)) return "'give' must be above 0";
    if (!e.plank) return "";
    if (!(e.plank->length > 0 && e.plank->mass > 0 && e.plank->stiffness > 0))
      return "a plank has a length, a mass and a stiffness, all above 0";
    return e.plank->modes >= 1 && e.plank->modes <= 8 ? "" : "'modes' must be from 1 to 8";
  }
  static constexpr NoStiffness stiffness{};  // before anybody has come down on it
  static void numbers(Footing& e, Numbers& n) {
    n.add("friction", e.friction), n.add("sliding", e.sliding), n.add("height", e.height);
  }
};
MAREY_ELEMENT(Footing)

// ---- in scenes
namespace {

// Depths and forces, from nothing on.
Pad::Curve read_curve_of_pad(const Value& node) {
  const char* expected = "at least two points, each a depth and a force, from [0, 0] on: [[0 mm, 0 N], [5 mm, 600 N]]";
  if (node.kind != Value::Kind::list || node.items.size() < 2) refuse_value(node, expected);
  std::vector<double> depth, force;
  for (const ValuePtr& item : node.items) {
    if (item->kind != Value::Kind::list || item->items.size() != 2) refuse_value(*item, expected);
    const double z = read_number(*item->items[0], kinds::length), f = read_number(*item->items[1], kinds::force);
    if (depth.empty() && (z != 0 || f != 0)) refuse_value(*item, expected);
    if (!depth.empty() && !(z > depth.back()))
      refuse_value(*item->items[0], fmt::format("more than the {:.6g} m before it", depth.back()));
    if (!force.empty() && !(f > force.back()))
      refuse_value(*item->items[1], fmt::format("more than the {:.6g} N before it", force.back()));
    depth.push_back(z), force.push_back(f);
  }
  return pad_curve(std::move(depth), std::move(force));
}

void refuse_softer_in_motion(const Pad& pad, const Value& node) {
  for (const double z : pad.in_motion.depth)
    if (const PadNow now = pad_at(pad, z); now.damping < -1e-9 * now.force / pad.speed)
      refuse_value(node, fmt::format("a curve nowhere below the static one, as it is at {:.4g} m", z));
}

Pad read_pad(const Value& node) {
  MapReader map(node, pad_keys());
  Pad pad;
  const std::string form = map.one_of({"stiffness", "static"});
  if (form.empty()) refuse(node.at, "found a pad without a force; expected stiffness, or static: [[0 mm, 0 N], …]");
  if (form == "stiffness") {
    pad.exponent = map.number_or("exponent", 1);
    if (map.has("exponent") && !(pad.exponent >= 1 && pad.exponent <= 10))
      refuse_value(map.need("exponent"), "an exponent from 1 to 10");
    pad.stiffness =
        read_number(map.need("stiffness"), pad.exponent == 1 ? kinds::stiffness : kinds::number, Range::positive);
    pad.damping = map.number_or("damping", 0);
    map.done("with stiffness");
    return pad;
  }
  pad.at_rest = read_curve_of_pad(map.need("static"));
  if (const Value* dynamic = map.get("dynamic")) {
    pad.in_motion = read_curve_of_pad(*dynamic);
    pad.speed = map.number("speed");
    refuse_softer_in_motion(pad, *dynamic);
    map.done("with a dynamic curve");
  } else {
    pad.damping = map.number_or("damping", 0);
    map.done("without a dynamic curve");
  }
  return pad;
}

Plank read_plank(const Value& node) {
  MapReader map(node, plank_keys());
  Plank plank;
  plank.middle = map.vector_or("middle");
  if (const Value* along = map.get("along")) plank.along = read_axis(*along);
  if (std::abs(plank.along.z) > 1e-12) refuse_value(map.need("along"), "a level axis");
  if (const Value* held = map.get("held"))
    plank.held = static_cast<Plank::Held>(read_choice(*held, {"both_ends", "one_end"}));
  plank.length = map.number("length"), plank.mass = map.number("mass"), plank.stiffness = map.number("stiffness");
  plank.damping = map.number_or("damping", 0);
  if (const Value* modes = map.get("modes")) plank.modes = static_cast<int>(read_whole(*modes, 1, most_modes));
  return plank;
}

// Across `about`, and in each foot's own axes.
void read_turning(const Value& node, const ElementMaker& maker, Footing& footing) {
  MapReader map(node, foot_torque_keys());
  footing.lever = map.number("lever");
  footing.turning_stiffness = map.number("stiffness");
  footing.turning_damping = map.number_or("damping", 0);
  if (const Value* about = map.get("about")) footing.about = read_axis(*about);
  if (std::abs(footing.about.z) > 1e-12) refuse_value(map.need("about"), "a level axis");
  footing.upright_W = {0, 0, 1};
  for (const int link : footing.links) footing.upright_B.push_back(transpose(maker.X_WB(link).R) * footing.upright_W);
}

void make_footing(MapReader& map, ElementMaker& maker) {
  const std::string name = map.text_or("name", "footing");
  Footing footing;
  footing.links = maker.links().find_moving(map.need("links"));
  footing.heel_B = map.vector("heel");
  footing.toes_B = map.vector_if("toes");
  footing.pad = read_pad(map.need("pad"));
  footing.friction = map.number_or("friction", 0.8);
  footing.sliding = map.number_or("sliding", footing.friction);
  if (footing.sliding > footing.friction)
    refuse_value(map.need("sliding"), "no more than the friction while it stands");
  footing.give = map.number_or("give", footing.give);
  if (const Value* plank = map.get("plank")) footing.plank = read_plank(*plank);
  if (const Value* torque = map.get("torque")) read_turning(*torque, maker, footing);
  if (!footing.plank) footing.height = map.number_or("height", 0);
  map.done("beside 'plank', which says by its middle how high it is");
  maker.add_checked(name, map.has("name"), footing, map.entry_at());
}

}  // namespace

const KeyTable& pad_keys() {
  static const KeyTable table{
      "pad",
      "What gives way under a foot, heel and shoe and floor together: stiffness × depth^exponent + damping × its rate, "
      "or two measured "
      "curves, at rest and at a speed; never below zero.",
      {{"stiffness", "q:stiffness>0 or q:number>0", "N/m; with another exponent than 1 a plain number"},
       {"exponent", "q:number", "1 to 10; default: 1"},
       {"damping", "q:damping>=0", "default: none"},
       {"static", "knots", "depths and forces at rest, from 0 on, instead"},
       {"dynamic", "knots", "the same, pressed in at a speed"},
       {"speed", "q:speed>0", "of the dynamic curve"}}};
  return table;
}
const KeyTable& plank_keys() {
  static const KeyTable table{
      "plank",
      "A plank that bends up and down, by its first modes.",
      {{"middle", "v:length", "the middle of its upper side, as it lies; default: the origin"},
       {"along", "axis", "level, from its first end to the other; default: x"},
       {"held", "=both_ends,one_end", "hinged at both ends, or clamped at the first; default: both_ends"},
       {"length", "q:length>0", "between its ends", true},
       {"mass", "q:mass>0", "of what bends", true},
       {"stiffness", "q:stiffness>0", "load over deflection in the middle, or at the free end", true},
       {"damping", "q:number>=0", "of each mode, as a part of the critical one; default: 0"},
       {"modes", "whole", "how many, 1 to 8; default: 3"}}};
  return table;
}
const KeyTable& foot_torque_keys() {
  static const KeyTable table{
      "foot_torque",
      "A torque of the ground on each foot that keeps its angle, as a sole does, no more than the load times a lever.",
      {{"lever", "q:length>0", "half of the sole", true},
       {"stiffness", "q:turning_stiffness>0", "torque per angle from that at the start", true},
       {"damping", "q:turning_damping>=0", "torque per angular velocity; default: 0"},
       {"about", "axis", "level; default: x"}}};
  return table;
}

extern const ElementForm footing_form{
    "ground under feet that give way, on a plank that may bend",
    {"footing",
     "Ground for feet: heels and toes that give way, friction, and a plank that bends under them.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names", "the feet: figure.link, or several in a list", true},
      {"heel", "v:length", "where each touches, in its own frame", true},
      {"toes", "v:length", "and where else"},
      {"height", "q:length", "of the ground; default: 0"},
      {"pad", "@pad", "what gives way", true},
      {"friction", "q:number>=0", "of what stands; default: 0.8"},
      {"sliding", "q:number>=0", "of what slides, not larger; default: the same"},
      {"give", "q:length>0", "by which a sole gives way to the side before it slides; default: 1 mm"},
      {"torque", "@foot_torque", "what a sole does that has a heel alone; default: none"},
      {"plank", "@plank", "that bends; default: firm ground"}}},
    make_footing,
    {"{links: figure.hand, heel: [0, 0, -10 cm], pad: {stiffness: 20 kN/m, damping: 100 N s/m}, height: -1.5 m}",
     "{links: [figure.hand, figure.tray], heel: [0, 0, -10 cm], toes: [10 cm, 0, -10 cm], pad: {static: [[0 mm, 0 N], "
     "[5 mm, "
     "400 N], [10 mm, 2 kN]], dynamic: [[0 mm, 0 N], [5 mm, 900 N], [10 mm, 3 kN]], speed: 0.5 m/s}, friction: 0.9, "
     "sliding: 0.6, give: 2 mm, plank: {middle: [0, 0, -1.2 m], length: 3 m, mass: 20 kg, stiffness: 15 kN/m, damping: "
     "0.02, modes: 2}, name: board}",
     "{links: figure.hand, heel: [0, 0, -10 cm], pad: {stiffness: 1e6, exponent: 1.5}, torque: {lever: 8 cm, "
     "stiffness: 50 N "
     "m/rad, damping: 2 N m s/rad, about: y}, plank: {along: y, held: one_end, length: 2 m, mass: 10 kg, stiffness: 5 "
     "kN/m}}"},
    {"heel", "toes", "give"}};

}  // namespace marey
