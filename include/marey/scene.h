// What a scene means: a SceneSpec, from a text or put together in code, becomes a Scene that can be run.
//
// Everything here throws Error: bad_input with "FILE:LINE:COLUMN: found …; expected …" for what a text says, and with the
// path of the value in the place of that where it was made in code.
#pragma once

#include <optional>
#include <string>

#include "marey/sim.h"
#include "marey/spec.h"

namespace marey {

inline constexpr int largest_slow_band = 1000;

// What the command line puts in place of the scene's own options; checked the same way.
struct SceneOverrides {
  std::optional<double> duration, step, record_every;  // s
  std::optional<Dynamics> dynamics;
  std::optional<Integrator> integrator;
  std::optional<double> tolerance, absolute_tolerance;
  std::optional<int> slow_band;
  std::optional<bool> spread;
};

// What that means: all that is wrong with a scene is refused here, an equilibrium found, a start projected. Scene::text is
// the spec's text, Scene::file its file.
Scene build(const SceneSpec&, const SceneOverrides& = {});
// The same; but what was run once is not asked again whether it can run. A motion so stays readable when scenes are looked
// at more strictly than in its day.
Scene build_recorded(const SceneSpec&, const SceneOverrides& = {});

// Values of options, as a scene would take them; `option` is named in errors.
double time_from(const std::string& text, const std::string& option);    // "2 s", "10 ms", "0.01"
double length_from(const std::string& text, const std::string& option);  // "3 cm", "0.03"
double number_from(const std::string& text, const std::string& option);
int whole_from(const std::string& text, const std::string& option, int least, int most);
Dynamics dynamics_from(const std::string& text, const std::string& option);
Integrator integrator_from(const std::string& text, const std::string& option);

}  // namespace marey
