// Channels of a motion by patterns (marey/sim/channel_names.h), and what is said where there are none.
#include <fmt/format.h>

#include <algorithm>

#include "io/motion/tables.h"
#include "marey/core/look_alikes.h"
#include "marey/io/motion.h"

namespace marey {
namespace {

// What there is: "time, joint/*/force, joint/*/moment", or, where that is long, the kinds of it: "time, energy, link".
std::string all_in(const MotionInfo& info) {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> kinds, patterns;
  const auto add = [](std::vector<std::string>& list, std::string word) {
    if (std::ranges::find(list, word) == list.end()) list.push_back(std::move(word));
  };
  for (const Channel& c : info.channels) {
    add(kinds, c.name.substr(0, c.name.find('/')));
    if (patterns.size() <= most_named) add(patterns, pattern_of_kind(c.name));
  }
  if (patterns.size() <= most_named) return fmt::format("{}", fmt::join(patterns, ", "));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

[[noreturn]] void no_such_channel(const MotionInfo& info, const std::string& pattern) {
  const std::string near = nearest_pattern(info.channels, pattern);
  if (info.file.empty() && !info.scene_text.empty())  // found from a motion, as the forces of its joints are
    throw Error(ErrorKind::bad_input, fmt::format("there is no {} in the result; {}", found_text(pattern),
                                                  near.empty() ? fmt::format("it has {}", all_in(info))
                                                               : fmt::format("did you mean '{}'?", near)));
  const std::string request = how_to_ask_for(pattern);
  const std::string rather = !near.empty() ? fmt::format("did you mean '{}'?", near)
                             : !request.empty()
                                 ? fmt::format("it is recorded where the scene asks for it: 'record: {{{}}}'", request)
                                 : fmt::format("it records {}; 'plot --list' shows all of it", all_in(info));
  // One word is a name that was mistaken, and no channel that somebody has not chosen.
  std::string advice = pattern.find('/') == std::string::npos ? "" : advice_on_missing(info, pattern);
  if (!advice.empty() && rather.ends_with('?')) advice.erase(0, 1);  // its semicolon
  throw Error(ErrorKind::bad_input,
              fmt::format("'{}' records no channel {}; {}{}", info.file, found_text(pattern), rather, advice));
}

}  // namespace

std::vector<ColumnIndex> columns_like(const MotionInfo& info, const std::string& pattern) {
  std::vector<ColumnIndex> found = columns_named(info.channels, pattern);
  if (found.empty()) no_such_channel(info, pattern);
  return found;
}

std::vector<ColumnIndex> select_columns(const MotionInfo& info, std::span<const std::string> patterns) {
  std::vector<ColumnIndex> chosen;
  for (const std::string& pattern : patterns)
    for (const ColumnIndex& column : columns_like(info, pattern)) chosen.push_back(column);
  const auto place = [](const ColumnIndex& c) { return std::pair{c.channel, c.column}; };
  const auto same = [&](const ColumnIndex& a, const ColumnIndex& b) { return place(a) == place(b); };
  std::ranges::sort(chosen, {}, place);
  chosen.erase(std::unique(chosen.begin(), chosen.end(), same), chosen.end());
  return chosen;
}

std::vector<std::size_t> select_channels(const MotionInfo& info, std::span<const std::string> patterns) {
  std::vector<std::size_t> channels;
  for (const ColumnIndex& column : select_columns(info, patterns))
    if (channels.empty() || channels.back() != column.channel) channels.push_back(column.channel);
  return channels;
}

}  // namespace marey
