// Finding things in a motion by their whole names (patterns.cpp has the rest), and checking whether a scene is the one it was made from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "marey/core/text.h"
#include "marey/io/motion.h"
#include "marey/io/recorded.h"

namespace marey {

using Json = nlohmann::ordered_json;

namespace {

[[noreturn]] void unknown(const MotionInfo& info, std::string_view name, const char* kind,
                          const std::vector<std::string>& candidates) {
  const std::string nearest = closest(name, candidates);
  throw Error(ErrorKind::bad_input, (nearest.empty() ? fmt::format("'{}' records no {} '{}'", info.file, kind, name)
                                                     : fmt::format("'{}' records no {} '{}'; did you mean '{}'?",
                                                                   info.file, kind, name, nearest)) +
                                        advice_on_missing(info, name));
}

std::vector<std::string> channel_names(const MotionInfo& info) {
  std::vector<std::string> names;
  for (const Channel& c : info.channels) names.push_back(c.name);
  return names;
}

std::vector<std::string> column_names(const MotionInfo& info) {
  std::vector<std::string> names;
  for (const Channel& c : info.channels)
    for (std::size_t i = 0; i < c.columns.size(); ++i) names.push_back(column_name(c, i));
  return names;
}

// Also by the word that older or newer motions have for it.
std::optional<std::size_t> index_of(const MotionInfo& info, std::string_view name) {
  for (const std::string& word : words_for(name)) {
    const auto at = std::ranges::find(info.channels, word, &Channel::name);
    if (at != info.channels.end()) return static_cast<std::size_t>(at - info.channels.begin());
  }
  return std::nullopt;
}

}  // namespace

// ----------------------------------------------------------------------------------------------- finding
std::string MotionInfo::breakdown() const {
  if (end != MotionEnd::broke_down) return {};
  try {
    return Json::parse(summary).at("breakdown").get<std::string>();
  } catch (const Json::exception&) {
    return "its summary does not say why";
  }
}

namespace {

std::optional<bool> told(const std::string& summary, const char* part, const char* key) {
  try {
    return Json::parse(summary).at(part).at(key).get<bool>();
  } catch (const Json::exception&) {  // an older summary, or null for what was not requested
    return {};
  }
}

}  // namespace

std::optional<bool> was_closed(const MotionInfo& info) { return told(info.summary, "ledger", "closed"); }
std::optional<bool> solvers_agreed(const MotionInfo& info) { return told(info.summary, "verification", "agree"); }

bool MotionInfo::has(std::string_view channel) const { return index_of(*this, channel).has_value(); }

std::size_t MotionInfo::find(std::string_view channel) const {
  if (const auto at = index_of(*this, channel)) return *at;
  unknown(*this, channel, "channel", channel_names(*this));
}

// A channel of mixed units names them in the order of its columns: "rad/s, m/s". With more units than columns it has
// one or the other.
std::string unit_of(const Channel& channel, std::size_t column) {
  const std::size_t units = 1 + static_cast<std::size_t>(std::ranges::count(channel.unit, ','));
  if (units > channel.columns.size()) {
    std::string either = channel.unit;
    for (std::size_t comma = either.find(','); comma != std::string::npos; comma = either.find(','))
      either.replace(comma, 1, " or");
    return either;
  }
  std::string_view rest = channel.unit;
  for (std::size_t skip = column * units / channel.columns.size(); skip > 0; --skip)
    rest.remove_prefix(rest.find(',') + 1);
  rest = rest.substr(0, rest.find(','));
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
  return std::string(rest);
}

ColumnIndex find_column(const MotionInfo& info, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (const auto whole = index_of(info, name)) {
    const Channel& channel = info.channels[*whole];
    if (channel.columns.size() == 1) return {*whole, 0};
    throw Error(ErrorKind::bad_input, fmt::format("'{}' has {} columns; choose one: {}", name, channel.columns.size(),
                                                  fmt::format("{}.{}", name, fmt::join(channel.columns, ", ."))));
  }
  if (dot != std::string_view::npos)
    if (const auto at = index_of(info, name.substr(0, dot))) {
      const auto& columns = info.channels[*at].columns;
      const auto column = std::ranges::find(columns, name.substr(dot + 1));
      if (column != columns.end()) return {*at, static_cast<std::size_t>(column - columns.begin())};
    }
  unknown(info, name, "quantity", column_names(info));
}

// ----------------------------------------------------------------------------------------------- Motion
std::span<const double> Motion::channel(std::string_view name) const { return values[find(name)]; }

std::span<const double> Motion::at(std::size_t channel, std::size_t frame) const {
  const std::size_t columns = channels[channel].columns.size();
  return std::span(values[channel]).subspan(frame * columns, columns);
}

std::vector<double> Motion::column(std::string_view name) const {
  const ColumnIndex index = find_column(*this, name);
  const std::vector<double>& all = values[index.channel];
  const std::size_t columns = channels[index.channel].columns.size();
  std::vector<double> column;
  for (std::size_t i = index.column; i < all.size(); i += columns) column.push_back(all[i]);
  return column;
}

std::size_t Motion::frame_near(double t) const {
  const std::span<const double> times = time();
  if (times.empty()) throw Error(ErrorKind::bad_input, fmt::format("'{}' holds no frames", file));
  const auto after = std::ranges::lower_bound(times, t);
  if (after == times.begin()) return 0;
  const auto i = static_cast<std::size_t>(after - times.begin());
  return after == times.end() || t - times[i - 1] <= times[i] - t ? i - 1 : i;
}

// ----------------------------------------------------------------------------------------------- resuming
SceneOverrides options_of(const MotionInfo& info) {
  SceneOverrides o;
  o.duration = info.duration;
  o.record_every = info.record.every;
  o.dynamics = info.solver.dynamics;
  o.integrator = info.solver.integrator;
  o.step = info.solver.step;
  if (!has_fixed_step(info.solver.integrator)) {
    o.tolerance = info.solver.tolerance;
    o.absolute_tolerance = info.solver.absolute_tolerance;
  }
  o.slow_band = info.solver.slow_band;
  o.spread = info.solver.spread;
  return o;
}

namespace {

// What is wrong with it is wrong with the motion, whatever has become of the file the scene was read from.
Scene recorded_scene(const MotionInfo& info) {
  try {
    return build_recorded(parse_spec(info.scene_text, info.scene_file), options_of(info),
                          files_within(info.scene_files).get());
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("{}: the scene in it cannot be read: {}", info.file, e.what()));
  }
}

}  // namespace

Scene scene_to_repeat(const MotionInfo& info, const SceneOverrides& options) {
  return build(parse_spec(info.scene_text, info.scene_file), options, files_within(info.scene_files).get());
}

Scene scene_of(const MotionInfo& info) {
  if (info.scene_text.empty())
    throw Error(
        ErrorKind::bad_input,
        fmt::format(
            "{}: holds no scene: it was recorded from a Scene that C++ code has put together, not from a text or a "
            "SceneSpec; its numbers can be plotted and exported",
            info.file));
  Scene scene = recorded_scene(info);
  scene.takes_inputs = info.takes_inputs;
  return scene;
}

namespace {

std::string first_different_line(const std::string& before, const std::string& now) {
  std::istringstream a(before), b(now);
  for (int line = 1;; ++line) {
    std::string old_line, new_line;
    const bool more_a = static_cast<bool>(std::getline(a, old_line)),
               more_b = static_cast<bool>(std::getline(b, new_line));
    if (!more_a && !more_b) return "at its end";
    if (old_line != new_line || more_a != more_b)
      return fmt::format("in line {}: '{}' was '{}'", line, more_b ? new_line : "", more_a ? old_line : "");
  }
}

// Both are sorted by name.
std::string first_different_file(const std::vector<NamedBytes>& then, const std::vector<NamedBytes>& now) {
  for (std::size_t i = 0; i < std::max(then.size(), now.size()); ++i) {
    if (i >= then.size()) return now[i].name;
    if (i >= now.size() || then[i].name != now[i].name || *then[i].bytes != *now[i].bytes) return then[i].name;
  }
  return {};
}

}  // namespace

std::string difference(const MotionInfo& info, const Scene& scene) {
  const auto differs = [](const char* what, const auto& then, const auto& now, const char* unit = "") {
    return fmt::format("it was begun with {} {}{}, now it is {}{}", what, then, unit, now, unit);
  };
  const SolverOptions &then = info.solver, &now = scene.solver;
  if (info.scene_text != scene.text)
    return fmt::format("the scene has changed since it was begun, first {}",
                       first_different_line(info.scene_text, scene.text));
  if (const std::string file = first_different_file(info.scene_files, scene.files); !file.empty())
    return fmt::format("the file '{}' that the scene names has changed since it was begun", printable(file));
  if (info.duration != scene.duration) return differs("a duration of", info.duration, scene.duration, " s");
  if (info.record.channels != scene.record.channels)
    return fmt::format(
        "it was begun with other channels chosen to be recorded ({}, now {})",
        info.record.channels.empty() ? "all" : fmt::format("{}", fmt::join(info.record.channels, ", ")),
        scene.record.channels.empty() ? "all" : fmt::format("{}", fmt::join(scene.record.channels, ", ")));
  if (info.record.every != scene.record.every)
    return differs("a frame every", info.record.every, scene.record.every, " s");
  if (then.dynamics != now.dynamics) return differs("the solver", name_of(then.dynamics), name_of(now.dynamics));
  if (then.integrator != now.integrator)
    return differs("the integrator", name_of(then.integrator), name_of(now.integrator));
  if (then.step != now.step) return differs("a step of", then.step, now.step, " s");
  if (then.tolerance != now.tolerance) return differs("a tolerance of", then.tolerance, now.tolerance);
  if (then.absolute_tolerance.value_or(then.tolerance) != now.absolute_tolerance.value_or(now.tolerance))
    return differs("an absolute tolerance of", then.absolute_tolerance.value_or(then.tolerance),
                   now.absolute_tolerance.value_or(now.tolerance));
  if (then.slow_band != now.slow_band) return differs("a slow band every … steps:", then.slow_band, now.slow_band);
  if (then.spread != now.spread) return differs("a spread slow band:", then.spread, now.spread);
  if (then.weld.has_value() != now.weld.has_value())
    return differs("joints welded on the fly:", then.weld.has_value(), now.weld.has_value());
  if (then.weld && (then.weld->below != now.weld->below))
    return differs("joints welded below", then.weld->below, now.weld->below, " rad/s");
  if (then.weld && (then.weld->lasts != now.weld->lasts))
    return differs("joints welded when still for", then.weld->lasts, now.weld->lasts, " s");
  if (then.weld && (then.weld->wake != now.weld->wake))
    return differs("joints woken above", then.weld->wake, now.weld->wake, " N m");
  if (then.reuse != now.reuse) return differs("reuse of factors until a change of", then.reuse, now.reuse);
  return "";
}

}  // namespace marey
