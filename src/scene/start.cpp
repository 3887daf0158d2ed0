#include "scene/start.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "marey/constraint/coupler.h"
#include "marey/constraint/held_constraints.h"
#include "marey/sim/start_motion.h"

namespace marey {
namespace {

constexpr double flat = 1e-6;  // rad: a disc inclined by less lies flat

// What the constraints that hold in a state say about it.
struct Look {
  bool holds = false, finite = true;
  double off = 0, rate = 0;  // the largest |g| and |ġ| of its rows
};

class Looker {
 public:
  Looker(const Scene& scene, const State& state)
      : scene_(scene),
        state_(state),
        kinematics_(scene.model),
        constraints_(scene.model, scene.constraints, scene.solver, scene.model) {
    forward_kinematics<double>(scene.model, scene.model.params, state.q, state.v, kinematics_);
    constraints_.start(now());
  }
  Look at(std::size_t i) const {
    Look look;
    look.holds = constraints_.active(i);
    if (!look.holds) return look;
    std::array<ConstraintRow, most_rows> rows;
    const std::size_t n = static_cast<std::size_t>(row_count(scene_.constraints[i]));
    constraint_rows(scene_.constraints[i], now(), std::span(rows).first(n));
    for (std::size_t k = 0; k < n; ++k) {
      look.off = std::max(look.off, std::abs(rows[k].value)), look.rate = std::max(look.rate, std::abs(rows[k].rate));
      look.finite =
          look.finite && std::isfinite(rows[k].value) && std::isfinite(rows[k].rate) && std::isfinite(rows[k].bias);
    }
    return look;
  }
  bool lies_flat(const Constraint& c) const {
    const Rolling* rolling = c.kind.get_if<Rolling>();
    if (rolling == nullptr || rolling->body != Rolling::Body::disc) return false;
    const auto z = [&](const LinkFrame& f) {
      const Mat3<double> R = kinematics_.X_WB[static_cast<std::size_t>(f.link)].R * f.X_LC.R;
      return Vec3<double>{R.xz, R.yz, R.zz};
    };
    return norm(cross(z(c.a), z(c.b))) < flat;
  }
  // A swing of zero has no direction in which it could be held.
  bool swings_by_nothing(const Constraint& c) const {
    const Coupler* coupler = c.kind.get_if<Coupler>();
    return coupler != nullptr && std::ranges::any_of(coupler->terms, [&](const Coupler::Term& term) {
             Coupler alone;
             alone.terms = {term};
             return term.angle.kind == NamedAngle::Kind::swing &&
                    std::abs(coupled_value(alone, now())) < flat * std::abs(term.factor);
           });
  }

 private:
  Instant<double> now() const {
    return {scene_.model, state_.t, state_.q, state_.v, kinematics_.X_WB, kinematics_.V_WB};
  }
  const Scene& scene_;
  const State& state_;
  Kinematics<double> kinematics_;
  HeldConstraints constraints_;
};

// At the last of those that ask for what no motion has together.
void refuse_contradiction(const Scene& scene, const std::vector<std::size_t>& which, const char* of_what,
                          const StartPlaces& places) {
  if (which.empty()) return;
  const std::string names = names_of(scene.constraints, which);
  refuse(
      places.constraints[which.back()],
      which.size() == 1
          ? fmt::format("found that {} asks at the start for {} that no motion of the joints has; expected what they "
                        "allow",
                        names, of_what)
          : fmt::format("found that {} contradict each other at the start: no motion has the {} that they ask for "
                        "together; expected one of them changed or left out",
                        names, of_what));
}

void check_constraints(const Scene& scene, const StartPlaces& places) {
  const Looker looker(scene, scene.start);
  for (std::size_t i = 0; i < scene.constraints.size(); ++i) {
    const Constraint& c = scene.constraints[i];
    const Look look = looker.at(i);
    if (!look.holds) continue;
    if (looker.lies_flat(c))
      refuse(
          places.constraints[i],
          fmt::format("found the disc of '{}' flat on its plane at the start, where it touches with all of its edge; "
                      "expected it to stand or lean",
                      c.name));
    if (looker.swings_by_nothing(c))
      refuse(places.constraints[i],
             fmt::format("found a swing of 0 in '{}' at the start, which has no direction; expected a tilt, or angles "
                         "such as which: {{euler: x}}",
                         c.name));
    if (!look.finite && (acts_in_joints(c) || c.kind.get_if<Drive>() != nullptr))
      refuse(
          places.constraints[i],
          fmt::format("found a script of '{}' that is not finite at the start, or has no finite rate there; expected "
                      "a function that is smooth",
                      c.name));
    if (!look.finite)
      refuse(places.constraints[i],
             fmt::format("found '{}' without a direction at the start: the ends of a rod meet, or a point is at the "
                         "centre of its curve or surface; expected another start",
                         c.name));
    if (!(look.off <= start_error))
      refuse(places.constraints[i],
             fmt::format("found '{}' off by {:.3g} (m or rad) at the start; expected a start that it allows, or start: "
                         "projected",
                         c.name, look.off));
    if (!(look.rate <= start_error)) {
      refuse_contradiction(scene,
                           find_contradictions(scene.model, scene.constraints, scene.solver, scene.start).in_velocity,
                           "velocities", places);
      refuse(places.constraints[i],
             fmt::format("found '{}' broken by the velocities at the start, with {:.3g} (m/s or rad/s); expected "
                         "velocities that it allows{}",
                         c.name, look.rate, places.projected ? "" : ", or start: projected"));
    }
  }
}

// ---- scripts of joints that are coupled
// What a script asks of the rate of its coordinate; none where it asks for an acceleration, or where that depends on the state.
std::optional<double> rate_asked_for(const Constraint& c, double t) {
  const Coupler& coupler = *c.kind.get_if<Coupler>();
  if (coupler.level == Coupler::Level::acceleration || coupler.blend > 0) return std::nullopt;
  const TimeFunction::AtTime at = coupler.sum.at(t);
  return (coupler.level == Coupler::Level::velocity ? at.value : at.rate) / coupler.terms[0].factor;
}

bool is_script_of(const Constraint& c, const Coupler::Term& term) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  if (coupler == nullptr || coupler->terms.size() != 1 || c.when) return false;
  const Coupler::Term& own = coupler->terms[0];
  const NamedAngle &a = own.angle, &b = term.angle;
  return own.link == term.link && own.freedom == term.freedom && a.kind == b.kind && a.axis.x == b.axis.x &&
         a.axis.y == b.axis.y && a.axis.z == b.axis.z;
}

// What holds a sum of coordinates of several joints; none: something else. Gears keep that of their angles by the levers of their teeth.
std::optional<Coupler> coupling_of(const Constraint& c) {
  if (const Coupler* coupler = c.kind.get_if<Coupler>(); coupler != nullptr && coupler->terms.size() > 1)
    return *coupler;
  const Gears* gears = c.kind.get_if<Gears>();
  if (gears == nullptr) return std::nullopt;
  Coupler coupler;
  coupler.terms = {{c.a.link, gears->lever_a, 0, {}}, {c.b.link, gears->lever_b, 0, {}}};
  coupler.sum = constant_in_time(gears->sum);
  return coupler;
}

struct Disagreement {
  double at = 0, by = 0;  // s; m/s or rad/s
};
// Where the joints' scripts, one for each, first move the sum otherwise than the coupler does, while all of them hold.
std::optional<Disagreement> disagreement(const Constraint& c, const Coupler& coupler,
                                         std::span<const std::size_t> scripts, std::span<const Constraint> all,
                                         double duration) {
  constexpr int instants = 400;
  constexpr double close = 1e-6;  // as a part of the rates
  double from = c.from, until = std::min(c.until, duration);
  for (const std::size_t i : scripts) from = std::max(from, all[i].from), until = std::min(until, all[i].until);
  for (int n = 0; n <= instants && from < until; ++n) {
    const double t = from + (until - from) * n / instants;
    const std::optional<double> asked = coupler.level == Coupler::Level::coordinate && coupler.blend == 0
                                            ? std::optional(coupler.sum.at(t).rate)
                                            : std::nullopt;
    if (!asked) return std::nullopt;
    double sum = -*asked, size = std::abs(*asked);
    for (std::size_t k = 0; k < scripts.size(); ++k) {
      const std::optional<double> rate = rate_asked_for(all[scripts[k]], t);
      if (!rate || !std::isfinite(*rate)) return std::nullopt;
      sum += coupler.terms[k].factor * *rate, size += std::abs(coupler.terms[k].factor * *rate);
    }
    if (std::abs(sum) > close * std::max(size, close)) return Disagreement{t, sum};
  }
  return std::nullopt;
}

void check_couplings(const Scene& scene, const StartPlaces& places) {
  for (std::size_t i = 0; i < scene.constraints.size(); ++i) {
    const Constraint& c = scene.constraints[i];
    const std::optional<Coupler> coupler = coupling_of(c);
    if (!coupler || c.when) continue;
    std::vector<std::size_t> scripts;
    for (const Coupler::Term& term : coupler->terms)
      for (std::size_t k = 0; k < scene.constraints.size(); ++k)
        if (is_script_of(scene.constraints[k], term)) {
          scripts.push_back(k);
          break;
        }
    if (scripts.size() != coupler->terms.size()) continue;
    if (const auto found = disagreement(c, *coupler, scripts, scene.constraints, scene.duration))
      refuse(places.constraints[i],
             fmt::format("found that {} move the joints that '{}' couples otherwise than it does: at t = {:.4g} s by "
                         "{:.3g} (m/s or rad/s); expected scripts that agree with it, or one of them left out",
                         names_of(scene.constraints, scripts), c.name, found->at, found->by));
  }
}

const Place& place_of(const Scene& scene, int link, const FiguresDraft& draft, const Place& otherwise) {
  for (const LinkDraft& d : draft.links)
    if (d.spec.name == scene.model.names[static_cast<std::size_t>(link)]) return d.at;
  return otherwise;
}

void check_motion(const Scene& scene, const StartPlaces& places, const FiguresDraft& draft) {
  const StuckLink stuck = stuck_at_start(scene);
  if (stuck.link == 0) return;
  refuse(place_of(scene, stuck.link, draft, places.start),
         fmt::format("found no finite acceleration of '{}' at the start{}; expected a start from which it can move",
                     scene.model.names[static_cast<std::size_t>(stuck.link)],
                     stuck.fault.empty() ? ", where one of its joint's coordinates moves nothing" : stuck.fault));
}

}  // namespace

std::string farthest_off(const Scene& scene, const State& state) {
  const Looker looker(scene, state);
  std::size_t worst = 0;
  for (std::size_t i = 0; i < scene.constraints.size(); ++i)
    if (looker.at(i).off > looker.at(worst).off) worst = i;
  return fmt::format("'{}' is off by {:.3g} (m or rad)", scene.constraints[worst].name, looker.at(worst).off);
}

void check_start(const Scene& given, const StartPlaces& places, const FiguresDraft& draft) {
  // What a run would refuse before its first step; most of it was already found when it was read.
  const auto check = [&](const auto& part) {
    if (const std::string why = refusal(given.model, part); !why.empty())
      refuse(places.start,
             fmt::format("found that '{}' cannot be: {}; expected what this figure allows", part.name, why));
  };
  for (const Element& e : given.elements) check(e);
  for (const FloorContact& c : given.contacts) check(c);
  if (!given.constraints.empty()) {
    check_constraints(given, places);
    check_couplings(given, places);
    refuse_contradiction(given,
                         find_contradictions(given.model, given.constraints, given.solver, given.start).in_acceleration,
                         "accelerations", places);
  }
  try {
    check_motion(given, places, draft);
  } catch (const PlacedError&) {
    throw;
  } catch (const Error& e) {
    refuse(places.start, std::string("found a start from which no run can set out: ") + e.what());
  }
}

}  // namespace marey
