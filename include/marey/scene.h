// What a scene means: a SceneSpec, read from a text or made in code, becomes a Scene that can be run.
//
// Everything here throws Error: bad_input with "FILE:LINE:COLUMN: found …; expected …" for what a text says, or with
// the path of the value instead of the place if it was made in code.
#pragma once

#include <optional>
#include <string>

#include "marey/scene/bvh.h"
#include "marey/scene/keyframes.h"
#include "marey/shape/mesh.h"
#include "marey/sim.h"
#include "marey/spec.h"

namespace marey {

inline constexpr int largest_slow_band = 1000;
inline constexpr int most_threads = 256;

// What the command line substitutes for the scene's own options; checked in the same way.
struct SceneOverrides {
  std::optional<double> duration, step, record_every;  // s
  std::optional<Dynamics> dynamics;
  std::optional<Integrator> integrator;
  std::optional<double> tolerance, absolute_tolerance;
  std::optional<int> slow_band;
  std::optional<bool> spread;
  std::optional<int> threads;  // however many: the motion is the same
  bool goes_on = false;        // the method is that of the run that goes on; nobody has asked for it
};

// The files that a scene names: meshes, scripts of figures. marey/io/scene.h has those beside a scene's own file.
class SceneFiles {
 public:
  virtual ~SceneFiles() = default;
  // What the file says, its numbers multiplied by `unit`; `name` is as the scene writes it. Throws Error.
  virtual Polygons mesh(const std::string& name, double unit) = 0;
  virtual BvhMotion bvh(const std::string& name) = 0;
  virtual KeyframeTable keyframes(const std::string& name) = 0;
  // All that has been read so far: with these the scene can be built again anywhere.
  virtual std::vector<NamedBytes> used() const = 0;
};

// What the spec means: everything that is wrong with a scene is refused here, an equilibrium is found, a start is
// projected. Scene::text is the spec's text, Scene::file its file. Without `files` a scene that names some is refused.
Scene build(const SceneSpec&, const SceneOverrides& = {}, SceneFiles* files = nullptr);
// The same, but without checking that the scene can run, since it has run once. So a motion stays readable even when
// scenes are checked more strictly than when it was recorded.
Scene build_recorded(const SceneSpec&, const SceneOverrides& = {}, SceneFiles* files = nullptr);

// Values of options, as a scene would take them; `option` is named in errors.
double time_from(const std::string& text, const std::string& option);    // "2 s", "10 ms", "0.01"
double length_from(const std::string& text, const std::string& option);  // "3 cm", "0.03"
double number_from(const std::string& text, const std::string& option);
int whole_from(const std::string& text, const std::string& option, int least, int most);
Dynamics dynamics_from(const std::string& text, const std::string& option);
Integrator integrator_from(const std::string& text, const std::string& option);

}  // namespace marey
