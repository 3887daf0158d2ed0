// Muscles of a landing. Source: Ruder et al. 1991, 4.4.2.2 (R11), with the errors of the print mended (docs/theory/papers.md).
//
// A muscle pulls an angle θ towards larger (p = 1) or smaller (p = −1) values, with the torque p S along θ. Before it starts it is
// strained, without a net torque: S = 0. Then, stretched at the rate
//   u = −p θ̇                                                                                                         (1)
//   Ṡ = c u                                                                                                  R (4.8)  (2)
//   Ṡ = c u (1 − S/S_max)                                                                                    R (4.9)  (3)
//   Ṡ = c u (1 − S/S_max) [1 + a (w − 1)],   w = ż_c(t − T)/ż_c(t₀)                                         R (4.10)  (4)
// c: stiffness, a: control, ż_c: the vertical velocity of the common centre of mass of a body, t₀: the instant at which it started, which
// is meant to be that of the impact, T: the reaction time. R11 delays what reacts to the world, so w alone: sinews answer at once. Until
// t₀ + T w is 1; there ż_c(t − T) is ż_c(t₀), and w is continuous.
// In the print φ_ij is φ_i − φ_j, with which a hip would drive and not brake, and T^max has the sign of flexion; (1) says what
// brakes. (3) alone is a lossless spring, S = S_max (1 − exp(−c Δ/S_max)) with Δ the stretch since it started, so that a figure
// hops; with (4) and a = 1 it grows no more where the body has come to rest.
//
// A muscle only pulls, and no faster than |Ṡ| ≤ rate. With Ṡ of (4) as the *wish* r, these are phases, each left at an event:
//   taut      Ṡ = r            S falls below 0: slack     |r| > rate: bounded
//   slack     S = 0, Ṡ = 0     r > 0: taut
//   bounded   Ṡ = ±rate        |r| < rate: taut           S falls below 0: slack
//   off       Ṡ = −S/release, or S = 0                    by its schedule
// Borders that could be met to and fro by rounding alone are a little apart.
//
// modes: those of the schedule; then phase, ż_c(t₀), t₀, whether w is read (1) or still 1 (0).
#include "marey/force/muscle.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "force/along_angle.h"
#include "force/common_center.h"
#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/dynamics.h"
#include "marey/force/element_maker.h"
#include "marey/source.h"

namespace marey {
namespace {

enum class PullPhase { off, taut, slack, bounded_up, bounded_down };
enum Own : std::size_t { phase_at, impact_rate, impact_time, controlled, own_count };
constexpr double apart = 1e-9;  // rad, rad/s, or a part of a whole: what rounding cannot bridge

// Instants closer than this are the same, as in schedules.
double same_reaction(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t)); }

// How fast the centre of mass of a body rises at an instant.
template <class T>
T rise(const Muscle& e, const Instant<T>& at) {
  return CommonCenter<T>(at, e.body).velocity().z;
}
double past_rise(const Muscle& e, const Instant<double>& at) { return rise(e, at); }

// The same a reaction time ago, of numbers that do not depend on the present.
double rise_then(const Muscle& e, const Model& model, const Past& past, double t) {
  thread_local std::unique_ptr<Kinematics<double>> k;
  if (!k || k->X_WB.size() != model.links.size() || k->general.size() != model.general.size())
    k = std::make_unique<Kinematics<double>>(model);
  const Past::View then = past.at(t - e.delay);
  forward_kinematics<double>(model, model.params, then.q, then.v, *k);
  return past_rise(e, {model, t - e.delay, then.q, then.v, k->X_WB, k->V_WB});
}

class MuscleSource final : public Source {
 public:
  explicit MuscleSource(const Element& element) : element_(element) {}

  std::string name() const override { return element_.name; }
  double delay() const override { return of().control != 0 ? of().delay : 0; }
  std::vector<std::string> states() const override { return {"torque"}; }
  int mode_count() const override { return marey::mode_count(of().schedule) + static_cast<int>(own_count); }

  void start(const Instant<double>& at, std::span<double>, std::span<double> modes) const override {
    start_modes(of().schedule, at, scheduled(modes));
    if (modes[0] != 0) begin(at, modes);
  }

  void act(const Instant<double>& at, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double> z_rate) const override {
    pull(at, kept, sum, z_rate);
  }
  bool act(const Instant<Dual<1>>& at, const Kept<Dual<1>>& kept, ForceSum<Dual<1>>& sum,
           std::span<Dual<1>> z_rate) const override {
    pull(at, kept, sum, z_rate);
    return true;
  }

  // ---- switches: those of the schedule; then slack or taut, and bounded or not
  int switch_count() const override { return marey::switch_count(of().schedule) + 2; }
  void switch_values(const Instant<double>& at, const Kept<double>& kept, std::span<double> values) const override {
    const std::size_t n = values.size() - 2;
    marey::switch_values(of().schedule, at, kept.modes.first(schedule_modes()), values.first(n));
    values[n] = values[n + 1] = 1;
    const PullPhase phase = phase_of(kept.modes);
    if (phase == PullPhase::off) return;
    const double wish = wish_of(at, kept), unit = of().stiffness;  // N m/s at 1 rad/s
    values[n] = phase == PullPhase::slack ? apart * unit - wish : kept.z[0] + apart * unit;
    if (!std::isfinite(of().rate) || phase == PullPhase::slack) return;
    values[n + 1] = phase == PullPhase::taut
                        ? of().rate - std::abs(wish)
                        : (phase == PullPhase::bounded_up ? wish : -wish) - (1 - apart) * of().rate;
  }
  double next_instant(double t, const Kept<double>& kept) const override {
    double next = marey::next_instant(of().schedule, t, kept.modes.first(schedule_modes()));
    if (waits_for_reaction(kept.modes)) next = std::min(next, reacts_at(kept.modes));
    return next;
  }
  void switch_over(const Instant<double>& at, int which, std::span<double> z, std::span<double> modes) const override {
    const int of_schedule = marey::switch_count(of().schedule);
    if (which == by_clock || which < of_schedule) {
      const bool acted = modes[0] != 0;
      marey::switch_modes(of().schedule, at, which, scheduled(modes));
      if (!acted && modes[0] != 0) begin(at, modes);
      if (acted && modes[0] == 0) let_go(z, modes);
      if (waits_for_reaction(modes) && at.t >= reacts_at(modes) - same_reaction(at.t)) own(modes)[controlled] = 1;
    }
    if (phase_of(modes) != PullPhase::off) choose_phase(at, which - of_schedule, z, modes);
  }

 private:
  const Muscle& of() const { return *element_.kind.get_if<Muscle>(); }
  std::size_t schedule_modes() const { return static_cast<std::size_t>(marey::mode_count(of().schedule)); }
  std::span<double> scheduled(std::span<double> modes) const { return modes.first(schedule_modes()); }
  std::span<double> own(std::span<double> modes) const { return modes.last(own_count); }
  std::span<const double> own(std::span<const double> modes) const { return modes.last(own_count); }
  PullPhase phase_of(std::span<const double> modes) const {
    return static_cast<PullPhase>(static_cast<int>(own(modes)[phase_at]));
  }
  void put(PullPhase phase, std::span<double> modes) const { own(modes)[phase_at] = static_cast<double>(phase); }
  double reacts_at(std::span<const double> modes) const { return own(modes)[impact_time] + of().delay; }
  bool waits_for_reaction(std::span<const double> modes) const {
    return phase_of(modes) != PullPhase::off && of().control != 0 && own(modes)[controlled] == 0 &&
           own(modes)[impact_rate] < 0;
  }

  void begin(const Instant<double>& at, std::span<double> modes) const {
    put(PullPhase::taut, modes);
    own(modes)[impact_rate] = of().control != 0 ? rise(of(), at) : 0;
    own(modes)[impact_time] = at.t;
    own(modes)[controlled] = of().delay == 0 && own(modes)[impact_rate] < 0 ? 1 : 0;
  }
  void let_go(std::span<double> z, std::span<double> modes) const {
    put(PullPhase::off, modes);
    if (of().release == 0) z[0] = 0;
  }

  // What has happened may be an impact, which lets rates jump: all is looked at anew. `own_switch`: 0, 1, or another's.
  void choose_phase(const Instant<double>& at, int own_switch, std::span<double> z, std::span<double> modes) const {
    const double wish = wish_of(at, {z, modes}), unit = apart * of().stiffness;
    PullPhase phase = phase_of(modes);
    if (phase == PullPhase::slack)
      phase = own_switch == 0 || wish > unit ? PullPhase::taut : PullPhase::slack;
    else if (own_switch == 0 || (z[0] < 0 && wish < 0))
      phase = PullPhase::slack, z[0] = 0;
    else if (phase == PullPhase::taut)
      phase = own_switch == 1 || std::abs(wish) > of().rate
                  ? (wish > 0 ? PullPhase::bounded_up : PullPhase::bounded_down)
                  : PullPhase::taut;
    else
      phase = own_switch == 1 ? PullPhase::taut : phase;
    put(phase, modes);
  }

  // [1 + a (w − 1)] of (4).
  template <class T>
  T control_at(const Instant<T>& at, std::span<const double> modes) const {
    const std::span<const double> mine = own(modes);
    if (mine[controlled] == 0) return T(1);
    const bool looks_back = of().delay > 0 && at.past != nullptr;
    const T now = looks_back ? T(rise_then(of(), at.model, *at.past, at.t)) : rise(of(), at);
    return T(1) + T(of().control) * (now / T(mine[impact_rate]) - T(1));
  }
  template <class T>
  T wish_of(const Instant<T>& at, const Kept<T>& kept) const {  // (4)
    const T theta_dot = rate_along(named_angle(of().angle, at, of().link), at, of().link);
    const T u = of().towards_larger ? -theta_dot : theta_dot;
    return T(of().stiffness) * u * (T(1) - kept.z[0] / T(of().most)) * control_at(at, kept.modes);
  }
  double wish_of(const Instant<double>& at, const Kept<double>& kept) const { return wish_of<double>(at, kept); }

  template <class T>
  T growth(const Instant<T>& at, const Kept<T>& kept) const {
    switch (phase_of(kept.modes)) {
      case PullPhase::off:
        return of().release > 0 ? kept.z[0] / T(-of().release) : T(0);
      case PullPhase::taut:
        return wish_of<T>(at, kept);
      case PullPhase::slack:
        return T(0);
      case PullPhase::bounded_up:
        return T(of().rate);
      case PullPhase::bounded_down:
        break;
    }
    return T(-of().rate);
  }
  template <class T>
  void pull(const Instant<T>& at, const Kept<T>& kept, ForceSum<T>& sum, std::span<T> z_rate) const {
    z_rate[0] = growth(at, kept);
    const AngleAndGradient<T> a = named_angle(of().angle, at, of().link);
    torque_along(a.gradient, a.first, of().towards_larger ? kept.z[0] : -kept.z[0], at, of().link, sum);
  }

  const Element& element_;
};

}  // namespace

template <>
struct Descriptor<Muscle> {
  static constexpr const char* word = "muscle";
  static constexpr Nature nature = Nature::active;
  static double delay(const Muscle& e) { return e.control != 0 ? e.delay : 0; }
  static std::shared_ptr<const Source> source(const Element& e) { return std::make_shared<MuscleSource>(e); }

  template <class T>
  static void act(const Muscle&, const Instant<T>&, std::span<const double>, ForceSum<T>&) {}  // S = 0

  static std::string refusal(const Model& model, const Muscle& e) {
    if (!(e.stiffness > 0 && std::isfinite(e.stiffness))) return "'stiffness' must be above 0";
    if (!(e.most > 0 && std::isfinite(e.most))) return "'most' must be above 0";
    if (!(e.rate > 0)) return "'rate' must be above 0";
    if (!(e.delay >= 0 && std::isfinite(e.delay))) return "'delay' must be a time of 0 or more";
    if (!(e.release >= 0 && std::isfinite(e.release))) return "'release' must be a time of 0 or more";
    if (!std::isfinite(e.control)) return "'control' is not finite";
    if (e.control != 0 && !(common_mass(model, e.body) > 0))
      return "'body' has no mass, so that it has no centre of mass";
    return first_of({refusal_of_angle(model, e.link, e.angle), refusal_of_schedule(model, e.schedule),
                     e.control != 0 ? refusal_of_links(model, e.body, true) : ""});
  }
  static constexpr NoStiffness stiffness{};  // it has no torque where it starts
  static void numbers(Muscle& e, Numbers& n) {
    n.add("stiffness", e.stiffness), n.add("most", e.most), n.add("control", e.control);
    if (std::isfinite(e.rate)) n.add("rate", e.rate);
  }
};
MAREY_ELEMENT(Muscle)

// ---- in scenes
namespace {

constexpr double for_good = 1e12;  // s: longer than any run, and yet a time

// All links of the figure that a link belongs to.
std::vector<int> figure_of(const ElementMaker& maker, int link) {
  const std::string& name = maker.name_of_link(link);
  const std::string figure = name.substr(0, name.find('.') + 1);
  std::vector<int> links;
  for (int i = 1; i < maker.model().nlink(); ++i)
    if (maker.name_of_link(i).starts_with(figure)) links.push_back(i);
  return links;
}

// What starts on a condition goes on whatever becomes of it.
void read_start(MapReader& map, const ElementMaker& maker, Muscle& muscle) {
  read_times(map, muscle.schedule);
  read_when(map, maker, muscle.schedule);
  if (!muscle.schedule.conditions.empty()) muscle.schedule.lasts = for_good;
}

void read_control(MapReader& map, Muscle& muscle, const ElementMaker& maker) {
  const Value* body = map.get("body");
  if (!map.has("control")) {
    map.done("without control");
    return;
  }
  muscle.control = map.number("control");
  muscle.delay = map.number_or("delay", 0);
  if (muscle.control == 0) remark(map.key_place("control"), "a control of 0 has no effect");
  if (body) muscle.body = maker.links().find_moving(*body);
}

void make_muscle(MapReader& map, ElementMaker& maker) {
  const Value& node = map.node();
  const Value *angle = map.get("angle"), *coordinate = map.get("coordinate"), *name = map.get("name");
  const std::vector<int> joints = maker.joints_with(angle, coordinate, map.need("joint"));
  const bool length = maker.all_lengths(joints, coordinate, node);
  Muscle muscle;
  muscle.towards_larger = read_choice(map.need("towards"), {"smaller", "larger"}) == 1;
  muscle.stiffness =
      read_number(map.need("stiffness"), length ? kinds::stiffness : kinds::turning_stiffness, Range::positive);
  muscle.most = read_number(map.need("most"), length ? kinds::force : kinds::torque, Range::positive);
  if (map.has("rise")) muscle.rate = muscle.most / map.number("rise");
  muscle.release = map.number_or("release", 0);
  read_start(map, maker, muscle);
  read_control(map, muscle, maker);
  const bool whole = muscle.body.empty();
  for (const int link : joints) {
    muscle.link = link;
    muscle.angle = maker.named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    if (muscle.control != 0 && whole) muscle.body = figure_of(maker, link);
    maker.add(name, joints.size() > 1, link, "muscle", muscle);
  }
}

}  // namespace

extern const ElementForm muscle_form{
    "a torque that grows as the joint gives way",
    {"muscle",
     "A muscle that pulls a joint one way, the more the more it is stretched; strained, and without torque, when it "
     "starts.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"angle", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"towards", "=smaller,larger", "which way it pulls the angle", true},
      {"stiffness", "q:turning_stiffness>0 or q:stiffness>0", "torque per angle of stretch, as it begins", true},
      {"most", "q:torque>0 or q:force>0", "the torque that it comes to in the end", true},
      {"rise", "q:time>0", "the shortest time in which the torque could come to that, or go; default: 0"},
      {"control", "q:number",
       "how much less it is strained as the body comes to rest: its growth is multiplied by 1 + control (w - 1), w the "
       "body's "
       "vertical speed, over that at which it started; default: 0"},
      {"body", "name or names", "with control: whose centre of mass; default: the figure's"},
      {"delay", "q:time>=0", "with control: the reaction time, after which that speed is felt; default: 0"},
      {"from", "q:time>=0", "when it starts at the earliest; default: 0"},
      {"until", "q:time>0", "when it lets go; default: never"},
      {"when", "@condition or [@condition]", "it starts as soon as these hold, and goes on"},
      {"release", "q:time>=0", "in which it lets go of all but 1/e; default: at once"}}},
    make_muscle,
    {"{joint: figure.hand, towards: larger, stiffness: 20 N m/rad, most: 3 N m}",
     "{joint: figure.arm, angle: {twist: x}, towards: smaller, stiffness: 5 N m/rad, most: 2 N m, rise: 0.2 s, "
     "control: "
     "0.7, delay: 20 ms, body: [figure.arm, figure.hand], from: 0.1 s, until: 2 s, release: 50 ms, name: biceps}",
     "{joint: figure.bolt, coordinate: slide, towards: larger, stiffness: 30 N/m, most: 20 N, rise: 150 ms, control: "
     "1, "
     "when: {height_of: figure.hand, below: -1 m}}"}};

}  // namespace marey
