#include "scene/start_by_name.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/constraint/held_constraints.h"
#include "marey/contact/projection.h"
#include "marey/force/tissue.h"
#include "marey/sim/equilibrium.h"
#include "marey/sim/scripted.h"
#include "marey/spec/values.h"
#include "scene/constraints.h"
#include "scene/contacts.h"

namespace marey {

namespace {

constexpr int most_settled = 1000;  // degrees of freedom; a dense matrix in every iteration

// A script with a nonzero acceleration moves the joint out of any rest at once.
void refuse_acceleration(const Value& node, const Constraint& c) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  if (coupler == nullptr || coupler->level != Coupler::Level::acceleration) return;
  if (const double sum = coupler->sum.at(0).value; sum != 0)
    refuse(node.at, fmt::format("found that '{}' accelerates at the start, with {:.3g} (m/s^2 or rad/s^2); expected "
                                "all at rest with start: equilibrium",
                                c.name, sum));
}
// The constraints that hold from the start, onto which the state is projected first. One that moves there allows no
// rest.
std::vector<Constraint> constraints_at_rest(const Value& node, Scene& scene) {
  const ConstraintProjection p = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
  if (!p.found) refuse(node.at, "found " + describe(p));
  if (p.slowed > 1e-12)
    refuse(node.at,
           fmt::format("found a constraint that moves at the start, with {:.3g} (m/s or rad/s); expected all at "
                       "rest with start: equilibrium",
                       p.slowed));
  scene.start.q = p.state.q;
  HeldConstraints constraints(scene.model, scene.constraints, scene.solver, scene.model);
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  constraints.start({scene.model, 0, scene.start.q, scene.start.v, k.X_WB, k.V_WB});
  std::vector<Constraint> holding;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints.active(i)) holding.push_back(constraints.constraint(i));
  return holding;
}
void find_rest(const Value& node, const Value* contacts, bool recorded, Scene& scene) {
  if (contacts)
    refuse(node.at, "found contacts with start: equilibrium, which knows no floors; expected one of the two");
  for (const Element& e : scene.elements)
    if (const std::shared_ptr<const Source> source = source_of(e); source && source->stores_energy())
      refuse(node.at,
             fmt::format("found the {} '{}' with start: equilibrium, which does not see it; expected one of the two",
                         word_of(e), e.name));
  if (std::any_of(scene.start.v.begin(), scene.start.v.end(), [](double v) { return v != 0; }))
    refuse(node.at, "found links that move at the start; expected all at rest with start: equilibrium");
  if (scene.model.nv > most_settled)
    refuse(node.at, fmt::format("found {} degrees of freedom; expected at most {} with start: equilibrium",
                                scene.model.nv, most_settled));
  std::vector<Constraint> holding;
  if (!scene.constraints.empty()) holding = constraints_at_rest(node, scene);
  if (!recorded)
    for (const Constraint& c : holding) refuse_acceleration(node, c);
  const Equilibrium e = find_equilibrium(scene.model, scene.elements, holding, scene.start);
  if (!e.found) refuse(node.at, "found " + describe(scene.model, e));
  scene.start = e.state;
  (e.stable ? scene.notes : scene.warnings).push_back("start: " + describe(scene.model, e));
}
[[noreturn]] void refuse_projection(const Value& node, const Scene& scene, const ConstraintProjection& p) {
  refuse(node.at,
         "found no pose near the given one that all constraints allow: in the nearest " + farthest_off(scene, p.state));
}
// Where both require something, alternately: what the one moves, the other may have to correct.
void project_on_both(const Value& node, Scene& scene) {
  constexpr int most_turns = 100;
  ConstraintProjection constraints;
  Projection floors;
  const State given = scene.start;
  double off = 0;
  for (int turn = 0; turn < most_turns; ++turn) {
    constraints = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
    if (!constraints.found) break;
    if (turn == 0) off = constraints.before;
    floors = project_on_floors(scene.model, scene.contacts, constraints.state);
    if (!floors.found) refuse(node.at, "found " + describe(scene.model, floors));
    scene.start = floors.state;
    if (constraints.before <= 1e-12 && constraints.slowed <= 1e-12 && turn > 0) break;
  }
  constraints.found = constraints.found && constraints.before <= 1e-9;
  if (!constraints.found) refuse_projection(node, scene, constraints);
  scene.notes.push_back(fmt::format("start: put where floors and constraints allow, which were off by {:.3g}", off));
}
void project(const Value& node, Scene& scene) {
  if (scene.contacts.empty() && scene.constraints.empty())
    refuse(node.at, "found nothing to project a start on; expected contacts or constraints with start: projected");
  if (scene.contacts.empty()) {
    const ConstraintProjection p = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
    if (!p.found) refuse_projection(node, scene, p);
    scene.start = p.state;
    scene.notes.push_back("start: " + describe(p));
    return;
  }
  if (!scene.constraints.empty()) return project_on_both(node, scene);
  const Projection p = project_on_floors(scene.model, scene.contacts, scene.start);
  if (!p.found) refuse(node.at, "found " + describe(scene.model, p));
  scene.start = p.state;
  scene.notes.push_back("start: " + describe(scene.model, p));
}

}  // namespace

StartPlaces read_contacts_and_start(const Value* contacts, const Value* constraints, const Value* drives,
                                    std::vector<ScriptedJoint> scripts, const Value* start, const Place& otherwise,
                                    bool recorded, Scene& scene) {
  constexpr std::size_t equilibrium = 0, projected = 1, given = 2;
  const std::size_t choice = start ? read_choice(*start, {"equilibrium", "projected"}) : given;
  const bool held = constraints || drives || !scripts.empty();
  if (choice == equilibrium && !held) find_rest(*start, contacts, recorded, scene);
  scene.contacts = read_contacts(scene.model, scene.start, scene.elements, contacts, choice == projected);
  PlacedConstraints placed = read_constraints(scene.model, scene.start, scene.elements, scene.contacts, constraints,
                                              drives, std::move(scripts), recorded);
  scene.constraints = std::move(placed.constraints);
  if (choice == equilibrium && held) find_rest(*start, contacts, recorded, scene);
  if (choice == projected) {
    project(*start, scene);
    put_at_rest(scene.model, tissues_of(scene.elements), scene.start);
  }
  return {start ? start->at : otherwise, choice == projected, std::move(placed.places)};
}

// What forces would do is idle where there are none.
void start_by_scripts(const Place& at, const Value& root, Scene& scene) {
  if (const std::string why = refusal_of_kinematics(scene); !why.empty())
    refuse(at, "found a scene that cannot be moved by scripts alone: " + why);
  for (const char* key : {"torques", "forces", "contacts", "collide", "frame", "start"})
    if (const ValueEntry* entry = root.find(key))
      remark(entry->key_at, fmt::format("'{}' has no effect with dynamics: none", key));
  std::vector<double> vdot;
  State start = scene.start;
  ScriptedMotion(scene).at(0, start, vdot);
  scene.start = start;
}

}  // namespace marey
