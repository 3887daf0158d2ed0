// marey render: a motion in one picture, or as a film.
#include "marey/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "marey/core/larger.h"
#include "marey/core/text.h"
#include "marey/io/motion.h"
#include "marey/render/film.h"
#include "marey/sim/touching_items.h"
#include "progress.h"
#include "scenes.h"
#include "views.h"

namespace marey::cli {

namespace {

struct RenderArguments {
  std::string motion, output, strobe, every, from, to, size, view, spread, level;
  std::vector<std::string> at, trails;
  std::string per_second, slow, follow, camera;  // of films
  bool film = false, blur = false, transparent = false, final = false, numbers = false;
  bool forces = false, momentum = false, center = false;  // drawn over it
  bool apart = false, light = false, wire = false, no_labels = false, no_ground = false, force = false;
};

constexpr std::size_t most_names = 12;  // of a list in a message

std::string some_of(std::vector<std::string> names) {
  if (names.size() <= most_names) return either(names);
  const std::size_t left = names.size() - most_names + 1;
  names.resize(most_names - 1);
  return either(names) + fmt::format(" (and {} more)", left);
}

// A link name without a figure most likely means the figure that has such a link.
std::string nearest_link(const std::string& word, const std::vector<std::string>& links) {
  for (const std::string& link : links)
    if (link.ends_with("." + word)) return link;
  return closest(word, links);
}

constexpr int most_instants = 500;
constexpr double aside_until_clear = -1;  // for StrobeOptions::spread

double spread_of(const RenderArguments& a) {
  if (a.apart && !a.spread.empty())
    throw Error(ErrorKind::bad_input,
                "--apart chooses how far the instants are moved aside and --spread says it; choose one");
  if (a.apart) return aside_until_clear;
  if (a.spread.empty()) return 0;
  const double spread = length_from(a.spread, "--spread");
  if (spread < 0)
    throw Error(ErrorKind::bad_input, fmt::format("--spread: found '{}'; expected a length of zero or more; --apart "
                                                  "chooses one by which the instants stand clear",
                                                  a.spread));
  return spread;
}

double every_of(const RenderArguments& a) {
  const double every = time_from(a.every, "--every");
  if (every > 0) return every;
  throw Error(ErrorKind::bad_input,
              fmt::format("--every: found '{}'; expected a time above zero, such as 0.1 s", a.every));
}

StrobeOptions options_of(const RenderArguments& a) {
  StrobeOptions o;
  for (const std::string& t : a.at) o.at.push_back(time_from(t, "--at"));
  if (!a.at.empty() + !a.every.empty() + !a.strobe.empty() > 1)
    throw Error(ErrorKind::bad_input,
                "--at names instants, --every the time between them and --strobe their number; choose one of them");
  if (!a.every.empty()) o.every = every_of(a);
  if (!a.strobe.empty()) o.count = whole_from(a.strobe, "--strobe", 1, most_instants);
  check_span(a.from, a.to);
  o.begin = time_or(a.from, "--from", o.begin);
  o.end = time_or(a.to, "--to", o.end);
  if (a.film) o.width = 1280, o.height = 720, o.samples = a.final ? 5 : 2;
  if (!a.size.empty()) parse_picture_size(a.size, o);
  if (!a.view.empty()) parse_picture_view(a.view, o);
  o.light = a.light;
  o.wire = a.wire;
  o.labels = !a.no_labels;
  o.ground = !a.no_ground;
  if (!a.level.empty()) o.level = length_from(a.level, "--level");
  o.trails = a.trails;
  o.spread = spread_of(a);
  if (o.spread != 0 && a.size.empty()) o.height = 0;
  return o;
}

// The renderer knows only that a wrong name is unknown; here the person who has to choose another gets the list.
void check_links(const char* option, const std::vector<std::string>& trails, const Model& model) {
  const std::vector<std::string> links(model.names.begin() + 1, model.names.end());
  for (const std::string& trail : trails) {
    const std::string link = trail.substr(0, trail.find('@'));
    if (std::ranges::find(model.names, link) != model.names.end()) continue;
    const std::string near = nearest_link(link, links);
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: there is no link '{}'; {}", option, printable(link),
                            near.empty() ? "expected " + some_of(links)
                                         : fmt::format("did you mean '{}'? expected {}", near, some_of(links))));
  }
}

// Before it breaks down a motion may fly off, and everything else would be a dot in a picture that shows all of it. This is the last
// instant before a link gets ten times as far from where the figures began as in half of the frames; `forever` where none does.
double last_in_sight(const Motion& motion) {
  std::vector<std::size_t> positions;
  for (std::size_t c = 0; c < motion.channels.size(); ++c)
    if (motion.channels[c].name.ends_with("/position") && !motion.values[c].empty()) positions.push_back(c);
  if (motion.end != MotionEnd::broke_down || motion.frames < 3 || positions.empty()) return forever;
  const auto place = [&](std::size_t c, std::size_t frame) {
    const std::span<const double> x = motion.at(c, frame);
    return Vec3<double>{x[0], x[1], x[2]};
  };
  Vec3<double> center;
  for (const std::size_t c : positions) center += (1.0 / static_cast<double>(positions.size())) * place(c, 0);
  std::vector<double> reach(motion.frames, 0);
  for (std::size_t frame = 0; frame < motion.frames; ++frame)
    for (const std::size_t c : positions) reach[frame] = larger_or_nan(norm(place(c, frame) - center), reach[frame]);
  std::vector<double> sorted(reach);
  for (double& x : sorted) x = std::isnan(x) ? forever : x;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
  const double limit = 10 * sorted[sorted.size() / 2];
  for (std::size_t frame = 1; frame < motion.frames; ++frame)
    if (limit > 0 && !(reach[frame] <= limit)) return motion.time()[frame - 1];
  return forever;
}

// Unless the person has said until when.
void end_in_sight(const RenderArguments& a, const Motion& motion, StrobeOptions& options) {
  const double last = a.to.empty() && a.at.empty() ? last_in_sight(motion) : forever;
  if (!(last < options.end && last > options.begin)) return;
  options.end = last;
  fmt::print(stderr, "marey: note: drawn until {:.6g} s; then the motion flies off, and breaks down\n", last);
}

// ---- films
void check_film(const RenderArguments& a) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::bad_input, what); };
  for (const auto& [given, option] : {std::pair{!a.per_second.empty(), "--fps"},
                                      {!a.slow.empty(), "--slow"},
                                      {!a.follow.empty(), "--follow"},
                                      {!a.camera.empty(), "--camera"},
                                      {a.transparent, "--transparent"},
                                      {a.final, "--final"},
                                      {a.blur, "--blur"},
                                      {a.numbers, "--numbers"}})
    if (given && !a.film) refuse(fmt::format("found {} for a single picture; expected --film with it", option));
  for (const auto& [given, option] : {std::pair{!a.at.empty(), "--at"},
                                      {!a.strobe.empty(), "--strobe"},
                                      {!a.spread.empty(), "--spread"},
                                      {a.apart, "--apart"}})
    if (given && a.film)
      refuse(
          fmt::format("found {} for a film, which shows one instant after another; expected --from, "
                      "--to, --fps or --slow, or --every for instants that stay",
                      option));
  if (!a.camera.empty() && !a.view.empty()) refuse("--view stands still and --camera goes round; choose one");
}

double above_zero(const std::string& text, const char* option, double usual) {
  if (text.empty()) return usual;
  const double x = number_from(text, option);
  if (x > 0) return x;
  throw Error(ErrorKind::bad_input, fmt::format("{}: found '{}'; expected a number above zero", option, text));
}

// False after Ctrl-C; nothing is left of the film then.
bool make_film(const RenderArguments& a, const PictureScene& scene, const StrobeOptions& look,
               const std::string& output) {
  FilmOptions o;
  o.look = look;
  o.per_second = above_zero(a.per_second, "--fps", 30), o.speed = 1 / above_zero(a.slow, "--slow", 1);
  o.follow = a.follow;
  if (!a.camera.empty())
    o.camera = parse_camera(a.camera, [](const std::string& t) { return time_from(t, "--camera"); });
  if (!a.every.empty()) o.leaves_every = every_of(a);
  constexpr double half_open = 0.5;  // as in most cameras for films
  o.blur = a.blur ? half_open : 0;
  o.transparent = a.transparent, o.numbers = a.numbers;
  const std::vector<double> times = film_times(scene, o);
  watch_for_interrupts();
  ProgressBar bar(times.front());
  struct Interrupted {};
  try {
    render_film(scene, o, output, [&](int done, int) {
      if (interrupted()) throw Interrupted{};
      bar.show(times[static_cast<std::size_t>(done - 1)], times.back());
    });
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

void add_overlays(const RenderArguments& a, const Motion& motion, PictureScene& picture) {
  if (a.center || a.momentum) add_center(picture, motion, a.center, a.momentum);
  if (!a.forces) return;
  if (!has_touching(motion))
    throw Error(ErrorKind::bad_input, fmt::format("--forces: '{}' records no points that touch; expected a motion of a "
                                                  "scene in which something may, and whose 'record' leaves it in",
                                                  a.motion));
  add_forces(picture, read_items(a.motion, touching_items_name));
}

ExitCode render_motion(const RenderArguments& a) {
  check_film(a);
  StrobeOptions options = options_of(a);
  std::vector<std::string> poses{"link/*/position"};
  for (const Channel& c : read_motion_info(find_motion(a.motion)).channels)
    if (c.name.ends_with("/orientation") && poses.size() == 1)
      poses.emplace_back("link/*/orientation");  // particles have none
  if (a.center || a.momentum) poses.emplace_back("center_of_mass/position");
  if (a.momentum) poses.emplace_back("momentum/linear");
  const Motion motion = read_motion(a.motion, poses);
  const std::string output = a.output.empty() ? default_view(a.motion, a.film ? ".mp4" : ".png") : a.output;
  const Scene scene = scene_of(motion);
  check_links("--trail", options.trails, scene.model);
  if (!a.follow.empty()) check_links("--follow", {a.follow}, scene.model);
  end_in_sight(a, motion, options);
  const CollideRule* rule = scene.collide ? &*scene.collide : nullptr;
  PictureScene picture = picture_scene(scene.model, motion, scene.contacts, scene.scenery, rule);
  add_overlays(a, motion, picture);
  if (a.film && !make_film(a, picture, options, output)) return ExitCode::interrupted;
  if (!a.film) render_strobe(picture, options, output);
  fmt::print("{}\n", output);
  return ExitCode::done;
}

void add_instants(CLI::App& command, RenderArguments& a) {
  command.add_option("--strobe", a.strobe, "Several instants in one picture: how many (12)")
      ->expected(0, 1)
      ->default_str("12")
      ->type_name("N");
  command.add_option("--at", a.at, "Just these instants, e.g. '1 s,1.5 s'")->delimiter(',')->type_name("TIME,…");
  command.add_option("--every", a.every, "One instant every TIME; in a film it stays")->type_name("TIME");
  command.add_option("--from", a.from, "First instant")->type_name("TIME");
  command.add_option("--to", a.to, "Last instant")->type_name("TIME");
}

void add_looks(CLI::App& command, RenderArguments& a) {
  command.add_option("--view", a.view, "Seen from: azimuth and elevation in degrees, e.g. 30,15")->type_name("A[,E]");
  command.add_option("--size", a.size, "In pixels, e.g. 1600x1000")->type_name("WxH");
  command.add_option("--trail", a.trails, "Draw the path of a link's end; LINK@origin: of its joint")
      ->type_name("LINK");
  command.add_flag("--forces", a.forces, "Draw the forces of contacts as arrows");
  command.add_flag("--momentum", a.momentum, "Draw the momentum as an arrow at the centre of mass");
  command.add_flag("--center-of-mass,--com", a.center, "Draw the centre of mass, and its path");
  command.add_option("--spread", a.spread, "Move each instant aside by this much, e.g. '3 cm'")->type_name("LENGTH");
  command.add_flag("--apart", a.apart, "Move each instant aside until it stands clear");
  command.add_option("--level", a.level, "Height of the ground, e.g. '-10 cm'")->type_name("LENGTH");
  command.add_flag("--light", a.light, "On paper instead of on a dark plate");
  command.add_flag("--wire,--wireframe", a.wire, "Wire frame");
  command.add_flag("--no-labels", a.no_labels, "Without time scale and grid size");
  command.add_flag("--force", a.force, "As elsewhere; older pictures are replaced in any case");
  command.add_flag("--no-ground", a.no_ground, "Without grid and shadows");
}

void add_film(CLI::App& command, RenderArguments& a) {
  command.add_flag("--film", a.film,
                   "A film instead of a picture: .mp4 (the default), .webm, .gif, .apng, or pictures NAME-%04d.png");
  command.add_option("--fps", a.per_second, "Film: pictures per second (30)")->type_name("N");
  command.add_option("--slow", a.slow, "Film: how many times slower than the motion, e.g. 4")->type_name("N");
  command.add_option("--follow", a.follow, "Film: the camera goes along with this link")->type_name("LINK");
  command.add_option("--camera", a.camera, "Film: the camera goes round, e.g. '0 s: 30,15; 2 s: 90,20'")
      ->type_name("KEYS");
  command.add_flag("--transparent", a.transparent, "Film: without plate and ground (not as .mp4)");
  command.add_flag("--final", a.final, "Film: 25 rays through each pixel instead of 4");
  command.add_flag("--blur", a.blur,
                   "Film: what moves is blurred, by a shutter open for half of the time (takes 8 times as long)");
  command.add_flag("--numbers", a.numbers, "Film: the number of each picture beside its time");
}

}  // namespace

void add_render(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("render", "Draw a motion as one picture (PNG or SVG), or as a film");
  auto a = std::make_shared<RenderArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option("-o,--output", a->output, "The picture; its extension says which kind")->type_name("FILE");
  add_instants(*command, *a);
  add_looks(*command, *a);
  add_film(*command, *a);
  command->footer(R"(Examples:
  marey render out/finger-tap.h5 --strobe
  marey render out/finger-tap.h5 --strobe 20 --from '2 s' --to '3 s' --trail finger.tip -o tap.png
  marey render out/finger-tap.h5 --at '2.05 s' --light -o still.svg
  marey render out/finger-tap.h5 --film --slow 2 --from '2 s' --to '3 s'
  marey render out/tumbling-human.h5 --film --follow human.pelvis -o human.gif --size 480x360 --fps 15

Without -o the picture goes next to the motion, as RUN.png or RUN.mp4. An older picture is replaced.)");
  command->callback([a, &job] { job = [a] { return render_motion(*a); }; });
}

}  // namespace marey::cli
