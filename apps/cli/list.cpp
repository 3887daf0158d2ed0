// marey list: the scenes that come with the program.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "json.h"
#include "marey/io/scene.h"
#include "scenes.h"

namespace marey::cli {

namespace {

void print_json(const std::vector<SceneListing>& scenes) {
  Json rows = Json::array();
  for (const SceneListing& s : scenes)
    rows.push_back({{"name", s.name}, {"file", s.file}, {"title", s.title}, {"source", s.source}});
  fmt::print("{}\n", text_of(rows, 2));
}

void print_table(const std::vector<SceneListing>& scenes) {
  std::size_t name = 0, source = 0;
  for (const SceneListing& s : scenes) name = std::max(name, s.name.size()), source = std::max(source, s.source.size());
  for (const SceneListing& s : scenes)
    fmt::print("{:<{}}  {:<{}}  {}\n", s.name, name, s.source, source,
               s.problem.empty() ? s.title : "cannot be read: " + s.problem);
  if (!scenes.empty()) fmt::print("\nRun one:  {} run {}\n", program_name(), scenes.front().name);
}

ExitCode list(bool json) {
  const std::string folder = gallery_folder();
  const std::vector<SceneListing> scenes = list_scenes(folder);
  json ? print_json(scenes) : print_table(scenes);
  return ExitCode::done;
}

}  // namespace

void add_list(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("list", "List the scenes of the gallery");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON: name, file, title, source of each");
  command->footer(
      "Name, source (the part of a paper it is taken from; docs/theory/papers.md lists them) and title of each scene.\n"
      "The environment variable MAREY_GALLERY names another folder of scenes.");
  command->callback([json, &job] { job = [json] { return list(*json); }; });
}

}  // namespace marey::cli
