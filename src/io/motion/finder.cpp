// Channels that tasks cannot do without: found by name, or refused with what to do about it.
#include <fmt/format.h>

#include <algorithm>

#include "io/motion/tables.h"
#include "marey/core/channel_pattern.h"
#include "marey/io/motion.h"

namespace marey {

ChannelFinder::ChannelFinder(const MotionInfo& info) : info_(info) {
  number_.reserve(info.channels.size());
  for (std::size_t c = 0; c < info.channels.size(); ++c) number_.emplace(info.channels[c].name, c);
}

std::size_t ChannelFinder::find(const std::string& channel, const std::string& task) const {
  if (const auto at = number_.find(channel); at != number_.end()) return at->second;
  const std::string advice = advice_on_missing(info_, channel);
  if (advice.empty()) return info_.find(channel);  // which says what is near
  throw Error(ErrorKind::bad_input, fmt::format("'{}' does not hold '{}', without which there is no {}{}", info_.file,
                                                channel, task, advice));
}

std::string advice_on_missing(const MotionInfo& info, std::string_view channel) {
  const std::vector<std::string>& chosen = info.record.channels;
  const auto is_chosen = [&](const std::string& pattern) { return fits_channel(pattern, channel); };
  if (chosen.empty() || std::ranges::any_of(chosen, is_chosen)) return {};
  return fmt::format(
      "; its scene records chosen channels alone: with '{}' added to 'record: {{channels: …}}', a new run "
      "has it",
      pattern_of_kind(std::string(channel)));
}

}  // namespace marey
