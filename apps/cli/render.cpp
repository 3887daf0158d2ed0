// marey render: a motion in one picture.
#include "marey/render.h"

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "marey/io/motion.h"
#include "views.h"

namespace marey::cli {

namespace {

struct RenderArguments {
  std::string motion, output, every, from, to, size, view;
  std::vector<std::string> at, trails;
  int strobe = 0;
  std::optional<double> spread, level;
  bool apart = false, light = false, wire = false, no_labels = false, no_ground = false;
};

StrobeOptions options_of(const RenderArguments& a) {
  StrobeOptions o;
  for (const std::string& t : a.at) o.at.push_back(time_or(t, "--at", 0));
  o.every = time_or(a.every, "--every", 0);
  if (a.strobe > 0) o.count = a.strobe;
  o.begin = time_or(a.from, "--from", o.begin);
  o.end = time_or(a.to, "--to", o.end);
  if (!a.size.empty()) parse_picture_size(a.size, o);
  if (!a.view.empty()) parse_picture_view(a.view, o);
  o.light = a.light;
  o.wire = a.wire;
  o.labels = !a.no_labels;
  o.ground = !a.no_ground;
  o.level = a.level;
  o.trails = a.trails;
  o.spread = a.apart ? -1 : a.spread.value_or(0);
  return o;
}

ExitCode render_motion(const RenderArguments& a) {
  const StrobeOptions options = options_of(a);
  std::vector<std::string> poses{"link/*/position"};
  for (const Channel& c : read_motion_info(a.motion).channels)
    if (c.name.ends_with("/orientation") && poses.size() == 1)
      poses.push_back("link/*/orientation");  // particles have none
  const Motion motion = read_motion(a.motion, poses);
  const std::string output = a.output.empty() ? default_view(a.motion, ".png") : a.output;
  render_strobe(picture_scene(scene_of(motion).model, motion), options, output);
  fmt::print("{}\n", output);
  return ExitCode::done;
}

void add_instants(CLI::App& command, RenderArguments& a) {
  command.add_option("--strobe", a.strobe, "Several instants in one picture: how many (12)")
      ->expected(0, 1)
      ->default_str("12")
      ->check(CLI::Range(1, 500))
      ->type_name("N");
  command.add_option("--at", a.at, "Just these instants, e.g. '1 s,1.5 s'")->delimiter(',')->type_name("TIME,…");
  command.add_option("--every", a.every, "One instant each so much time")->type_name("TIME");
  command.add_option("--from", a.from, "First instant")->type_name("TIME");
  command.add_option("--to", a.to, "Last instant")->type_name("TIME");
}

void add_looks(CLI::App& command, RenderArguments& a) {
  command.add_option("--view", a.view, "Where from: azimuth and elevation in degrees, e.g. 30,15")->type_name("A,E");
  command.add_option("--size", a.size, "In pixels, e.g. 1600x1000")->type_name("WxH");
  command.add_option("--trail", a.trails, "Draw the path of a link's end; LINK@origin: of its joint")
      ->type_name("LINK");
  command.add_option("--spread", a.spread, "Move each instant aside by so many metres more")->type_name("M");
  command.add_flag("--apart", a.apart, "Move each instant aside so far that it stands clear");
  command.add_option("--level", a.level, "Height of the ground, in metres")->type_name("M");
  command.add_flag("--light", a.light, "On paper instead of on a dark plate");
  command.add_flag("--wire", a.wire, "Wire frame");
  command.add_flag("--no-labels", a.no_labels, "Without times and measures");
  command.add_flag("--no-ground", a.no_ground, "Without grid and shadows");
}

}  // namespace

void add_render(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("render", "Draw a motion as one picture (PNG or SVG)");
  auto a = std::make_shared<RenderArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option("-o,--output", a->output, "The picture; its ending says which kind")->type_name("FILE");
  add_instants(*command, *a);
  add_looks(*command, *a);
  command->footer(R"(Examples:
  marey render out/finger-tap.h5 --strobe
  marey render out/finger-tap.h5 --strobe 20 --from '2 s' --to '3 s' --trail finger.tip -o tap.png
  marey render out/finger-tap.h5 --at '2.05 s' --light -o still.svg

Without -o the picture goes beside the motion, as RUN.png. An older picture is replaced.)");
  command->callback([a, &job] { job = [a] { return render_motion(*a); }; });
}

}  // namespace marey::cli
