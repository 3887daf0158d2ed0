// marey plot: what was recorded, drawn over time or over anything else that was recorded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "commands.h"
#include "marey/io/motion.h"
#include "marey/render.h"
#include "scenes.h"
#include "views.h"

namespace marey::cli {

namespace {

struct PlotArguments {
  std::string motion, output, against, from, to;
  std::vector<std::string> quantities;
  std::string width, height;
  bool list = false, force = false;
};

constexpr int fewest_pixels = 100, most_pixels = 10000;

constexpr const char* motion_ending = ".h5";

// The first, and what else of the words is one.
std::vector<std::string> motions_among(const PlotArguments& a) {
  std::vector<std::string> files{a.motion};
  for (const std::string& word : a.quantities)
    if (word.ends_with(motion_ending)) {
      find_motion(word);
      if (std::ranges::find(files, word) != files.end())
        throw Error(ErrorKind::bad_input, fmt::format("'{}' is named twice; expected motions that differ", word));
      files.push_back(word);
    }
  return files;
}

// Without folder and extension, where that tells them apart.
std::vector<std::string> names_of_motions(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem().string());
  return std::set<std::string>(names.begin(), names.end()).size() == names.size() ? names : files;
}

ExitCode plot_motion(const PlotArguments& a) {
  find_motion(a.motion);
  if (a.list) {
    const bool all = a.quantities.empty();
    Motion info = all ? Motion{read_motion_info(a.motion), {}} : read_motion(a.motion, a.quantities);
    if (all) add_touching_channels(info);
    std::vector<Channel> asked_for = info.channels;
    if (!all) asked_for.clear();
    for (const std::size_t c : select_channels(info, a.quantities)) asked_for.push_back(info.channels[c]);
    fmt::print("{}", list_quantities(asked_for));
    return ExitCode::done;
  }
  const std::vector<std::string> files = motions_among(a);
  std::vector<std::string> quantities = a.quantities;
  std::erase_if(quantities, [](const std::string& q) { return q.ends_with(motion_ending); });
  if (quantities.empty()) quantities = {"energy/kinetic", "energy/potential", "energy/total"};
  const std::string output = a.output.empty() ? default_view(a.motion, ".svg") : a.output;
  PlotOptions options;
  check_span(a.from, a.to);
  options.begin = time_or(a.from, "--from", options.begin);
  options.end = time_or(a.to, "--to", options.end);
  if (!a.width.empty()) options.width = whole_from(a.width, "--width", fewest_pixels, most_pixels);
  if (!a.height.empty()) options.height = whole_from(a.height, "--height", fewest_pixels, most_pixels);
  std::vector<std::vector<PlotSeries>> of_each;
  for (const std::string& file : files) {
    Motion motion = read_motion(file);
    if (!a.quantities.empty()) add_touching_channels(motion);
    if (of_each.empty()) options.title = motion.title;
    if (options.title != motion.title) options.title.clear();  // the legend says which is which
    of_each.push_back(choose_series(motion, quantities, a.against, options));
  }
  plot(files.size() == 1 ? of_each[0] : side_by_side(names_of_motions(files), std::move(of_each)), options, output);
  fmt::print("{}\n", output);
  return ExitCode::done;
}

}  // namespace

void add_plot(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("plot", "Plot recorded quantities (SVG or PNG)");
  auto a = std::make_shared<PlotArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option("QUANTITY", a->quantities, "What to plot; by default the energies; and more motions, RUN.h5");
  command->add_option("-o,--output", a->output, "The picture; its extension says which kind")->type_name("FILE");
  command->add_option("--against", a->against, "What to plot against, instead of time")->type_name("QUANTITY");
  command->add_option("--from", a->from, "First instant, e.g. '1 s'")->type_name("TIME");
  command->add_option("--to", a->to, "Last instant")->type_name("TIME");
  command->add_option("--width", a->width, "In pixels")->type_name("N");
  command->add_option("--height", a->height, "In pixels")->type_name("N");
  command->add_flag("--force", a->force, "As elsewhere; older plots are replaced in any case");
  command->add_flag("--list", a->list, "List what was recorded, or the QUANTITY of it, with units and meanings");
  command->footer(R"(Examples:
  marey plot out/finger-tap.h5 link/finger.tip/position.z
  marey plot out/finger-tap.h5 'link/*/position.z' -o heights.png
  marey plot out/finger-tap.h5 joint/finger.tip/velocity.y --against joint/finger.tip/angle.y
  marey plot out/finger-tap.h5 'joint/*/velocity.y' --against 'joint/*/angle.y'     each over its own
  marey plot soft.h5 stiff.h5 link/finger.tip/position.z     of two motions
  marey plot out/sliding-block.h5 'contact/*/force.z'     a star stands for anything
  marey plot out/finger-tap.h5 tip --list                 what there is of the link finger.tip

Without -o the plot goes next to the motion, as RUN.svg. An older plot is replaced.)");
  command->callback([a, &job] { job = [a] { return plot_motion(*a); }; });
}

}  // namespace marey::cli
