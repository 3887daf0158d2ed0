// Scenes from text: YAML to a Scene that can be run. docs/guide/scenes.md describes the format.
//
// Everything here throws Error: bad_input with "FILE:LINE:COLUMN: found …; expected …" when the text makes no sense,
// and when there is no such file or it is a folder; file_trouble when a file exists but cannot be read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "marey/scene.h"

namespace marey {

// What a text says: reading requires well-formed YAML, and does not check what it means. Errors name `file_name`.
SceneSpec read_spec(const std::string& file);
SceneSpec parse_spec(const std::string& text, const std::string& file_name);
// That, and what it means (marey/scene.h). Files that the scene names are beside its own.
Scene load_scene(const std::string& file, const SceneOverrides& = {});
Scene parse_scene(const std::string& text, const std::string& file_name, const SceneOverrides& = {});
// For build(): the files in the folder of a scene, by names relative to it; or those that were kept with it (Scene::files).
std::unique_ptr<SceneFiles> files_beside(const std::string& scene_file);
std::unique_ptr<SceneFiles> files_within(std::vector<NamedBytes>);

struct SceneListing {
  std::string name;  // the file's name without its extension
  std::string file, title, source;
  std::string problem;  // empty, or why the head of the scene could not be read
};
// The scenes of a folder by name; reads only their heads, up to the figures.
std::vector<SceneListing> list_scenes(const std::string& folder);

// The JSON Schema (draft 07) of the format, made from the tables the reader itself checks keys against.
std::string scene_schema();
// The same tables as a page of Markdown: docs/guide/keys.md.
std::string scene_reference();

}  // namespace marey
