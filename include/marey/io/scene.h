// Scenes: YAML text to a Scene that can be run. docs/guide/scenes.md describes the format.
//
// Everything here throws Error: bad_input with "FILE:LINE:COLUMN: found …; expected …" when the text does not say
// something sensible, and when there is no such file or a folder in its place; file_trouble when a file that is there
// cannot be read.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// What a text says: reading asks for well-formed YAML, and for nothing that it means. `file_name` is what errors name.
SceneSpec read_spec(const std::string& file);
SceneSpec parse_spec(const std::string& text, const std::string& file_name);
// What that means: all that is wrong with a scene is refused here, an equilibrium found, a start projected. Scene::text is
// the spec's text, Scene::file its file.
Scene build(const SceneSpec&, const SceneOverrides& = {});

// Both in one.
Scene load_scene(const std::string& file, const SceneOverrides& = {});
Scene parse_scene(const std::string& text, const std::string& file_name, const SceneOverrides& = {});

// Values of options, as a scene would take them; `option` is named in errors.
double time_from(const std::string& text, const std::string& option);    // "2 s", "10 ms", "0.01"
double length_from(const std::string& text, const std::string& option);  // "3 cm", "0.03"
double number_from(const std::string& text, const std::string& option);
int whole_from(const std::string& text, const std::string& option, int least, int most);
Dynamics dynamics_from(const std::string& text, const std::string& option);
Integrator integrator_from(const std::string& text, const std::string& option);

struct SceneListing {
  std::string name;  // the file's name without its extension
  std::string file, title, source;
  std::string problem;  // empty, or why the head of the scene could not be read
};
// The scenes of a folder by name; reads their heads only, up to the figures.
std::vector<SceneListing> list_scenes(const std::string& folder);

// The JSON Schema (draft 07) of the format, made from the tables the reader itself checks keys against.
std::string scene_schema();
// The same tables as a page of Markdown: docs/guide/keys.md.
std::string scene_reference();

}  // namespace marey
