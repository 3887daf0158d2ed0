// marey export: a motion for other programs: tables, animations.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "commands.h"
#include "marey/io/animation.h"
#include "marey/io/motion.h"
#include "scenes.h"
#include "views.h"

namespace marey::cli {

namespace {

struct ExportArguments {
  std::string motion, output = "-", format, items;
  std::vector<std::string> channels;
  std::string per_second, from, to, scale, figure;  // of animations
  bool z_up = false, force = false;
};

bool says_something_of_animations(const ExportArguments& a) {
  return !a.per_second.empty() || !a.from.empty() || !a.to.empty() || !a.scale.empty() || !a.figure.empty() || a.z_up;
}

double positive_from(const std::string& text, const char* option, const char* expected) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc{} && end == text.data() + text.size() && x > 0 && std::isfinite(x)) return x;
  throw Error(ErrorKind::bad_input, fmt::format("{}: found '{}'; expected {}", option, text, expected));
}

ExitCode write_animation(const ExportArguments& a, const AnimationFormat& format) {
  if (!a.items.empty() || !a.channels.empty())
    throw Error(ErrorKind::bad_input,
                fmt::format("found {} for an animation ({}), which takes what is drawn; expected none",
                            a.items.empty() ? "--channels" : "--items", format.name));
  const bool is_bvh = std::string(format.name) == "bvh";
  for (const auto& [given, option] : {std::pair{!a.scale.empty(), "--scale"}, std::pair{!a.figure.empty(), "--figure"}})
    if (given && !is_bvh)
      throw Error(ErrorKind::bad_input, fmt::format("found {} for {}; expected it for bvh alone", option, format.name));
  AnimationRequest r;
  r.output = a.output, r.format = a.format, r.figure = a.figure;
  if (!a.per_second.empty())
    r.per_second = positive_from(a.per_second, "--per-second", "frames per second, such as 30");
  if (!a.scale.empty()) r.scale = positive_from(a.scale, "--scale", "units of length to a metre, such as 100");
  check_span(a.from, a.to);
  r.begin = time_or(a.from, "--from", r.begin), r.end = time_or(a.to, "--to", r.end);
  r.up = a.z_up ? UpAxis::z : UpAxis::y;
  r.existing = a.force ? Existing::replace : Existing::refuse;
  export_animation(find_motion(a.motion), r);
  if (a.output != "-") fmt::print("{}\n", a.output);
  return ExitCode::done;
}

ExitCode write_export(const ExportArguments& a) {
  std::error_code error;
  if (std::filesystem::equivalent(a.motion, a.output, error))
    throw Error(ErrorKind::bad_input, "the output would replace the motion it is made from; choose another output");
  if (const AnimationFormat* format = animation_format_for(a.format, a.output)) return write_animation(a, *format);
  if (says_something_of_animations(a))
    throw Error(ErrorKind::bad_input,
                "found options of animations for a table; expected an output that ends with .glb or "
                ".bvh, or none of --per-second, --from, --to, --z-up, --scale, --figure");
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
  for (const AnimationFormat* f : animation_formats()) formats += fmt::format(", {} ({})", f->name, f->what);
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
  command->add_option("--per-second", a->per_second, "glb, bvh: frames per second (30)")->type_name("N");
  command->add_option("--from", a->from, "glb, bvh: first instant")->type_name("TIME");
  command->add_option("--to", a->to, "glb, bvh: last instant")->type_name("TIME");
  command->add_flag("--z-up", a->z_up, "glb, bvh: z up, as here; by default y up, as these formats have it");
  command->add_option("--scale", a->scale, "bvh: units of length to a metre, such as 100 (1)")->type_name("N");
  command->add_option("--figure", a->figure, "bvh: of which figure, where there are several")->type_name("NAME");
  command->add_flag("--force", a->force, "Replace an existing output");
  command->footer(
      "Examples:\n  marey export out/finger-tap.h5 -o tip.csv --channels 'link/finger.tip,energy/*'\n"
      "  marey export out/arch.h5 -o touching.csv --items touching      every point of contact of every frame\n"
      "  marey export out/tumbling-human.h5 -o human.glb --per-second 60        an animation, for Blender or a page\n"
      "  marey export out/tumbling-human.h5 -o human.bvh --scale 100            its skeleton, in centimetres\n\n"
      "'marey plot RUN.h5 --list' shows the channels. Time is always the first column.");
  command->callback([a, &job] { job = [a] { return write_export(*a); }; });
}

}  // namespace marey::cli
