// Channels of a motion by patterns (marey/sim/channel_names.h), and what is said where there are none.
#include <fmt/format.h>

#include <algorithm>

#include "marey/core/look_alikes.h"
#include "marey/io/motion.h"

namespace marey {
namespace {

// The kinds of channels there are: "time, energy, link".
std::string kinds_in(const MotionInfo& info) {
  std::vector<std::string> kinds;
  for (const Channel& c : info.channels)
    if (const std::string kind = c.name.substr(0, c.name.find('/')); std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
  return fmt::format("{}", fmt::join(kinds, ", "));
}

[[noreturn]] void no_such_channel(const MotionInfo& info, const std::string& pattern) {
  const std::string near = nearest_pattern(info.channels, pattern);
  throw Error(ErrorKind::bad_input,
              fmt::format("'{}' records no channel {}; {}{}", info.file, found_text(pattern),
                          near.empty() ? fmt::format("it records {}; 'plot --list' shows all of it", kinds_in(info))
                                       : fmt::format("did you mean '{}'?", near),
                          advice_on_missing(info, pattern)));
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
  chosen.erase(std::ranges::unique(chosen, same).begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> select_channels(const MotionInfo& info, std::span<const std::string> patterns) {
  std::vector<std::size_t> channels;
  for (const ColumnIndex& column : select_columns(info, patterns))
    if (channels.empty() || channels.back() != column.channel) channels.push_back(column.channel);
  return channels;
}

}  // namespace marey
