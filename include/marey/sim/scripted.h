// Direct kinematics: a scene that is moved by the scripts of its joints alone, without dynamics (solver: {dynamics: none}).
//
// Coordinates, velocities and accelerations are those of the scripts at each instant; nothing is integrated, so that nothing drifts, and no
// forces are found. Joints without a script stay as they start.
#pragma once

#include <vector>

#include "marey/sim.h"

namespace marey {

// Why a scene cannot be moved so, and what can be done; empty when there is no objection.
std::string refusal_of_kinematics(const Scene&);

class ScriptedMotion {
 public:
  explicit ScriptedMotion(const Scene&);  // which stays where it is and alive
  // q, v and v̇ at a time.
  void at(double t, State&, std::vector<double>& vdot) const;

 private:
  struct Script {
    int freedom = 0;
    NamedAngle angle;
    const TimeFunction* function = nullptr;
    double factor = 1;
  };
  struct Joint {
    int link = 0;
    std::vector<Script> scripts;
  };
  void turn(const Joint&, double t, State&, std::vector<double>& vdot) const;

  const Scene& scene_;
  std::vector<Joint> joints_;  // those that are moved
};

// The run of such a scene: a frame for each time that is recorded.
RunSummary run_scripts(const Scene&, Sink&, const RunHooks&);

}  // namespace marey
