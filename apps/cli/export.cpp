// marey export: a motion for other programs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "marey/io/motion.h"
#include "scenes.h"

namespace marey::cli {

namespace {

struct ExportArguments {
  std::string motion, output = "-", format, items;
  std::vector<std::string> channels;
  bool force = false;
};

ExitCode write_export(const ExportArguments& a) {
  std::error_code error;
  if (std::filesystem::equivalent(a.motion, a.output, error))
    throw Error(ErrorKind::bad_input, "the table would replace the motion it is made from; choose another output");
  if (!a.items.empty() && !a.channels.empty())
    throw Error(ErrorKind::bad_input, "found --items and --channels; expected one of them");
  marey::export_motion(find_motion(a.motion),
                       {a.output, a.format, a.channels, a.force ? Existing::replace : Existing::refuse, a.items});
  if (a.output != "-") fmt::print("{}\n", a.output);
  return ExitCode::done;
}

}  // namespace

void add_export(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("export", "Write a motion as a table, or in another format");
  auto a = std::make_shared<ExportArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option("-o,--output", a->output, "Where to write; '-' (the default) is standard output")
      ->type_name("FILE");
  std::string formats;
  for (const Exporter* e : exporters())
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", e->format, e->what);
  command
      ->add_option("--format", a->format, "By default what the output's extension says; without one, csv. " + formats)
      ->type_name("NAME");
  command->add_option("--channels", a->channels, "Channels, groups or columns of them, or patterns; by default all")
      ->delimiter(',')
      ->type_name("NAME,…");
  command
      ->add_option("--items", a->items,
                   "Instead of channels a list, a line for each item: touching, or of some, 'touching/*ball*'")
      ->type_name("LIST");
  command->add_flag("--force", a->force, "Replace an existing output");
  command->footer(
      "Examples:\n  marey export out/finger-tap.h5 -o tip.csv --channels 'link/finger.tip,energy/*'\n"
      "  marey export out/arch.h5 -o touching.csv --items touching      every point of contact of every frame\n\n"
      "'marey plot RUN.h5 --list' shows the channels. Time is always the first column.");
  command->callback([a, &job] { job = [a] { return write_export(*a); }; });
}

}  // namespace marey::cli
