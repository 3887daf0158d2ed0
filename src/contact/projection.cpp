// The nearest pose and velocity that floors allow.
//
// With the gaps g of the points over their floors and the rows J of ġ = J v, each round solves
//   minimise ½ ξᵀ M ξ   with   g + J ξ ≥ 0                                                                          (1)
// and goes to q ⊕ ξ; the gaps bend a little, so that it takes a few rounds, and the later ones may lower what the earlier
// ones have raised too far. Its multipliers λ ≥ 0, ξ = M⁻¹ Jᵀ λ, are those of
//   0 ≤ λ ⊥ g + A λ ≥ 0,   A = J M⁻¹ Jᵀ                                                                             (2)
// found by Gauss and Seidel's sweeps, which mind no redundant points (the four corners of a box that lies flat). The same
// with the velocities of the points that touch, in place of the gaps, gives the velocities: what an impact without
// rebound and without friction would leave.
#include "marey/contact/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "marey/contact/surface.h"
#include "marey/integrate.h"

namespace marey {
namespace {

constexpr int most_projections = 60, most_sweeps = 100000;
constexpr double touching = 1e-9, on_the_floor = 1e-13;  // m

class Floors {
 public:
  Floors(const Model& model, std::span<const FloorContact> contacts)
      : model_(model),
        weightless_(model.params),
        kinematics_(model),
        aba_(model),
        zero_(static_cast<std::size_t>(model.nv)),
        response_(zero_) {
    weightless_.gravity = {};
    for (const FloorContact& c : contacts)
      if (!c.compliant) contacts_.push_back(&c);
  }

  // Gaps, or their rates, of all contacts at a state.
  void measure(const State& s) {
    forward_kinematics<double>(model_, model_.params, s.q, s.v, kinematics_);
    gaps_.clear(), rates_.clear();
    for (const FloorContact* c : contacts_) {
      const auto link = static_cast<std::size_t>(c->link);
      const Vec3<double> r = offset_of_contact(*c, kinematics_.X_WB[link].R);
      gaps_.push_back(dot(c->plane.normal_W, kinematics_.X_WB[link].p + r) - c->plane.offset);
      const Twist<double>& V = kinematics_.V_WB[link];
      rates_.push_back(dot(c->plane.normal_W, V.v + cross(V.w, r)));
    }
  }
  double gap(std::size_t i) const { return gaps_[i]; }
  double rate(std::size_t i) const { return rates_[i]; }
  std::size_t size() const { return contacts_.size(); }
  const Kinematics<double>& kinematics() const { return kinematics_; }

  // M⁻¹ Jᵀ λ of (2) for the contacts `which`, of which `short_by` says how far each is from being allowed. Adds λ to `pushed`,
  // which stays above zero.
  std::vector<double> correction(const State&, const std::vector<std::size_t>& which,
                                 const std::vector<double>& short_by, std::vector<double>& pushed);

 private:
  std::vector<double> row(std::size_t contact, const State&);

  const Model& model_;
  Params<double> weightless_;
  std::vector<const FloorContact*> contacts_;
  Kinematics<double> kinematics_;
  AbaWorkspace<double> aba_;
  std::vector<double> zero_, response_;
  std::vector<double> gaps_, rates_;
};

// J of one contact: the rate of its gap for each unit velocity.
std::vector<double> Floors::row(std::size_t contact, const State& s) {
  const FloorContact& c = *contacts_[contact];
  const auto link = static_cast<std::size_t>(c.link);
  Kinematics<double> moving(model_);
  std::vector<double> J(zero_.size()), v(zero_);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = 1;
    forward_kinematics<double>(model_, model_.params, s.q, v, moving);
    v[i] = 0;
    J[i] = dot(c.plane.normal_W,
               moving.V_WB[link].v + cross(moving.V_WB[link].w, offset_of_contact(c, moving.X_WB[link].R)));
  }
  return J;
}

std::vector<double> Floors::correction(const State& s, const std::vector<std::size_t>& which,
                                       const std::vector<double>& short_by, std::vector<double>& pushed) {
  const std::size_t m = which.size();
  std::vector<std::vector<double>> J(m), MJ(m);
  for (std::size_t i = 0; i < m; ++i) {
    J[i] = row(which[i], s);
    aba<double>(model_, weightless_, s.q, zero_, {J[i], {}}, aba_, response_);
    MJ[i] = response_;
  }
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  };
  std::vector<double> xi(zero_), A(m);
  double worst = 0;
  for (std::size_t i = 0; i < m; ++i) {
    A[i] = product(J[i], MJ[i]);
    if (short_by[i] > 0 || pushed[i] > 0) worst = std::max(worst, std::abs(short_by[i]));
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < m; ++i) {
      if (!(A[i] > 0)) continue;
      const double now = std::max(0.0, pushed[i] + (short_by[i] - product(J[i], xi)) / A[i]), step = now - pushed[i];
      pushed[i] = now;
      for (std::size_t k = 0; k < xi.size(); ++k) xi[k] += step * MJ[i][k];
      change = std::max(change, std::abs(step) * A[i]);
    }
    if (change <= 1e-14 * worst) break;
  }
  return xi;
}

void raise(const Model& model, Floors& floors, Projection& out) {
  std::vector<double> q(out.state.q), pushed(floors.size(), 0.0), short_by(floors.size());
  std::vector<std::size_t> all(floors.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (; out.rounds < most_projections; ++out.rounds) {
    floors.measure(out.state);
    double off = out.left = 0;
    for (const std::size_t i : all) {
      short_by[i] = -floors.gap(i);
      out.left = std::max(out.left, short_by[i]);
      off = std::max(off, pushed[i] > 0 ? std::abs(short_by[i]) : short_by[i]);
    }
    if (out.rounds == 0) out.deepest = out.left;
    if (off <= on_the_floor) break;
    const std::vector<double> xi = floors.correction(out.state, all, short_by, pushed);
    advance<double>(model, out.state.q, xi, Turn::exponential, q);
    out.state.q = q;
  }
  out.found = out.left <= touching;
}

void slow(Floors& floors, Projection& out) {
  floors.measure(out.state);
  std::vector<std::size_t> which;
  std::vector<double> short_by;
  for (std::size_t i = 0; i < floors.size(); ++i)
    if (floors.gap(i) <= touching) {
      which.push_back(i), short_by.push_back(-floors.rate(i));
      out.slowed = std::max(out.slowed, -floors.rate(i));
    }
  if (!(out.slowed > 0)) return;
  std::vector<double> pushed(which.size(), 0.0);
  const std::vector<double> change = floors.correction(out.state, which, short_by, pushed);
  for (std::size_t i = 0; i < change.size(); ++i) out.state.v[i] += change[i];
}

}  // namespace

Projection project_on_floors(const Model& model, std::span<const FloorContact> contacts, const State& given) {
  Projection out;
  out.state = given;
  Floors floors(model, contacts);
  floors.measure(given);
  const std::vector<Transform<double>> before = floors.kinematics().X_WB;
  raise(model, floors, out);
  slow(floors, out);
  floors.measure(out.state);
  for (int i = 1; i < model.nlink(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double moved = norm(floors.kinematics().X_WB[k].p - before[k].p);
    if (moved > out.moved) out.moved = moved, out.moved_link = i;
  }
  return out;
}

std::string describe(const Model& model, const Projection& p) {
  if (!p.found)
    return fmt::format("no pose near the given one that is above all floors: a point is still {:.3g} m below its own",
                       p.left);
  if (p.deepest <= on_the_floor && !(p.slowed > 0)) return "the floors asked for no change";
  std::string text;
  if (p.deepest > on_the_floor)
    text = fmt::format("raised on the floor from {:.3g} m below it ('{}' moved by {:.3g} m)", p.deepest,
                       model.names[static_cast<std::size_t>(p.moved_link)], p.moved);
  if (p.slowed > 0)
    text +=
        fmt::format("{}velocities of up to {:.3g} m/s into the floor taken away", text.empty() ? "" : "; ", p.slowed);
  return text;
}

}  // namespace marey
