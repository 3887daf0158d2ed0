// The summary of a run as JSON, to the letter: programs read it.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/sim.h"

namespace summary_json_test {

using namespace marey;

TEST(SummaryJson, HasEveryFieldInItsPlace) {
  RunSummary s;
  s.title = "swing", s.dynamics = "aba", s.integrator = "rk4";
  s.simulated = 1.5, s.steps = 10, s.evaluations = 40, s.events = 3, s.impacts = 2, s.wall = 0.25;
  s.realtime_factor = 6, s.interrupted = true, s.breakdown = "at t = 1 s";
  s.warnings = {"one", "two"}, s.notes = {"three"};
  s.ledger.energy_start = 1, s.ledger.energy_end = 2, s.ledger.work_in = {{"motor", 3}, {"brake", -0.5}};
  s.ledger.energy_residual = 4, s.ledger.energy_residual_relative = 5;
  s.ledger.linear_momentum_residual_relative = 6, s.ledger.angular_momentum_residual_relative = 7;
  s.ledger.closed = true;
  s.verification = Verification{8, 9, {{"aba", 0.125, 11, 12}, {"crba", 13, 14, 15}}, false};
  s.constraint_error = 16, s.constraint_drift = 17;
  s.inputs = {{Input::Kind::drive, 2, 7, 0.25, {1, 2}}, {Input::Kind::limit, 0, 8, 0.5, {forever}}};
  s.welded = 18, s.most_welded = 19, s.welds_made = 20, s.welds_woken = 21;
  s.noted = {{"rest", "heel", false, 66, 0.5, 1.25}};
  s.certificate = ContactCertificate{22, 0.5, 0.25, 0.125, 23, 24, 25, 26, 27, 29, 28, "a and b", 30, 31, 32};
  EXPECT_EQ(
      to_json(s),
      R"({"title":"swing","simulated_s":1.5,"steps":10,"evaluations":40,"events":3,"wall_s":0.25,)"
      R"("realtime_factor":6.0,"solver":"aba","integrator":"rk4","interrupted":true,"breakdown":"at t = 1 s",)"
      R"("warnings":["one","two"],"impacts":2,"notes":["three"],)"
      R"("ledger":{"energy_start_J":1.0,"energy_end_J":2.0,"work_in_J":{"motor":3.0,"brake":-0.5},)"
      R"("energy_residual_J":4.0,"energy_residual_relative":5.0,"linear_momentum_residual_relative":6.0,)"
      R"("angular_momentum_residual_relative":7.0,"closed":true},)"
      R"("verification":{"instants":8,"condition":9.0,"agree":false,"solvers":{)"
      R"("aba":{"backward":0.125,"forward":11.0,"at_s":12.0},"crba":{"backward":13.0,"forward":14.0,"at_s":15.0}}},)"
      R"("constraints":{"error":16.0,"drift_J":17.0},)"
      R"("welds":{"welded":18,"most":19,"made":20,"woken":21},)"
      R"("inputs":[{"kind":"drive","link":2,"step":7,"t_s":0.25,"values":[1.0,2.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]},)"
      R"({"kind":"limit","link":0,"step":8,"t_s":0.5,"values":[null,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]}],)"
      R"("noted":[{"what":"rest","of":"heel","warning":false,"count":66,"first_s":0.5,"last_s":1.25}],)"
      R"("certificate":{"steps":22,"natural_map":0.5,"natural_map_95":0.25,"cone_excess":0.125,"penetration":23.0,)"
      R"("momentum":24.0,"not_converged":25,"corrected":26,"points":27,"bounds":29,"at_s":28.0,"pair":"a and b","swept":30,)"
      R"("asleep":31,"asleep_at_most":32}})");
}

TEST(SummaryJson, OfNothing) {
  const std::string json = to_json({});
  EXPECT_NE(json.find(R"("interrupted":false,"breakdown":null,"warnings":[],)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("work_in_J":{},)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("closed":false},"verification":null,)"), std::string::npos) << json;
}

TEST(SummaryJson, EscapesWhatAStringMayNotHold) {
  RunSummary s;
  s.title = "a \"b\" \\ c\nd\te\x01\x1f \x20z\x7f µ";
  EXPECT_EQ(to_json(s).substr(0, 49), "{\"title\":\"a \\\"b\\\" \\\\ c\\nd\\te\\u0001\\u001f  z\x7f µ\",");
  s.title = "\xff";  // no UTF-8
  EXPECT_EQ(to_json(s).substr(0, 15), "{\"title\":\"\uFFFD\",");
}

TEST(SummaryJson, HasNullForWhatIsNoNumber) {
  RunSummary s;
  s.wall = std::nan(""), s.realtime_factor = HUGE_VAL, s.ledger.work_in = {{"x", -HUGE_VAL}};
  s.verification = Verification{1, HUGE_VAL, {{"aba", NAN, HUGE_VAL, 0}}, false};
  const std::string json = to_json(s);
  EXPECT_NE(json.find(R"("wall_s":null,"realtime_factor":null,)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"({"x":null})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("condition":null,"agree":false,"solvers":{"aba":{"backward":null,"forward":null,)"),
            std::string::npos)
      << json;
}

}  // namespace summary_json_test
