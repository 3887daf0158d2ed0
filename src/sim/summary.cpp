// The summary of a run as JSON; keys are only ever added. What is no number, which JSON has no word for, is written as null.
#include <nlohmann/json.hpp>

#include "marey/sim.h"

namespace marey {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Ledger& l) {
  Json work = Json::object();
  for (const auto& [source, joule] : l.work_in) work[source] = joule;
  return {{"energy_start_J", l.energy_start},
          {"energy_end_J", l.energy_end},
          {"work_in_J", std::move(work)},
          {"energy_residual_J", l.energy_residual},
          {"energy_residual_relative", l.energy_residual_relative},
          {"linear_momentum_residual_relative", l.linear_momentum_residual_relative},
          {"angular_momentum_residual_relative", l.angular_momentum_residual_relative},
          {"closed", l.closed}};
}

Json json_of(const std::optional<Verification>& v) {
  if (!v) return nullptr;
  Json solvers = Json::object();
  for (const Verification::Entry& e : v->solvers)
    solvers[e.solver] = {{"backward", e.backward}, {"forward", e.forward}, {"at_s", e.at}};
  return {{"instants", v->instants}, {"condition", v->condition}, {"agree", v->agree}, {"solvers", std::move(solvers)}};
}

Json json_of(const std::optional<ContactCertificate>& c) {
  if (!c) return nullptr;
  return {{"steps", c->steps},
          {"natural_map", c->natural_map},
          {"natural_map_95", c->natural_map_95},
          {"cone_excess", c->cone_excess},
          {"penetration", c->penetration},
          {"momentum", c->momentum},
          {"not_converged", c->not_converged},
          {"corrected", c->corrected},
          {"points", c->points},
          {"bounds", c->bounds},
          {"at_s", c->at},
          {"pair", c->pair},
          {"swept", c->swept},
          {"asleep", c->asleep},
          {"asleep_at_most", c->asleep_at_most}};
}

Json json_of(const Noted& n) {
  return {{"what", n.what},   {"of", n.of},         {"warning", n.warning},
          {"count", n.count}, {"first_s", n.first}, {"last_s", n.last}};
}

Json json_of(const Input& i) {
  return {{"kind", name_of(i.kind)}, {"link", i.link}, {"step", i.step}, {"t_s", i.t}, {"values", i.values}};
}

}  // namespace

std::string to_json(const RunSummary& s) {
  Json inputs = Json::array();
  for (const Input& i : s.inputs) inputs.push_back(json_of(i));
  Json noted = Json::array();
  for (const Noted& n : s.noted) noted.push_back(json_of(n));
  const Json summary{
      {"title", s.title},
      {"simulated_s", s.simulated},
      {"steps", s.steps},
      {"evaluations", s.evaluations},
      {"events", s.events},
      {"wall_s", s.wall},
      {"realtime_factor", s.realtime_factor},
      {"solver", s.dynamics},
      {"integrator", s.integrator},
      {"interrupted", s.interrupted},
      {"breakdown", s.breakdown.empty() ? Json() : Json(s.breakdown)},
      {"warnings", s.warnings},
      {"impacts", s.impacts},
      {"notes", s.notes},
      {"ledger", json_of(s.ledger)},
      {"verification", json_of(s.verification)},
      {"constraints", {{"error", s.constraint_error}, {"drift_J", s.constraint_drift}}},
      {"welds", {{"welded", s.welded}, {"most", s.most_welded}, {"made", s.welds_made}, {"woken", s.welds_woken}}},
      {"inputs", std::move(inputs)},
      {"noted", std::move(noted)},
      {"certificate", json_of(s.certificate)}};
  // Titles are what people have typed: a byte that is no UTF-8 becomes a replacement character.
  return summary.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace marey
