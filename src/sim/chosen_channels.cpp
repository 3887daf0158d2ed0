// Which channels a scene asks to be recorded.
#include <fmt/format.h>

#include <set>

#include "marey/core/channel_pattern.h"
#include "marey/core/text.h"
#include "sim/recorder.h"

namespace marey {
namespace {

bool fits(const std::string& pattern, const Channel& channel) {
  if (pattern.empty()) return false;
  if (fits_channel(pattern, channel.name)) return true;
  if (channel.columns.size() < 2) return false;
  for (const std::string& column : channel.columns)
    if (fits_channel(pattern, channel.name + "." + column)) return true;
  return false;
}

// The groups a channel lies in, and its name with a star for what is between the first part and the last.
void add_names(const Channel& channel, std::set<std::string>& names) {
  const std::size_t first = channel.name.find('/'), last = channel.name.rfind('/');
  if (first == std::string::npos) return;
  names.insert(channel.name.substr(0, first));
  if (first == last) return;
  names.insert(channel.name.substr(0, last));
  names.insert(channel.name.substr(0, first) + "/*" + channel.name.substr(last));
}

constexpr std::size_t most_to_compare = 10000;  // names; beyond that a slip of the pen would cost seconds

}  // namespace

std::vector<std::size_t> channels_named(std::span<const Channel> channels, const std::string& pattern) {
  std::vector<std::size_t> named;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (fits(pattern, channels[c])) named.push_back(c);
  return named;
}

std::string nearest_pattern(std::span<const Channel> channels, const std::string& pattern) {
  std::set<std::string> names;
  for (const Channel& c : channels) {
    if (names.size() < most_to_compare) names.insert(c.name);
    add_names(c, names);
  }
  const std::string near = closest(pattern, {names.begin(), names.end()});
  return near.empty() ? near : fmt::format("; did you mean '{}'?", near);
}

std::vector<RecordedChannel> chosen_channels(const Scene& scene) {
  std::vector<RecordedChannel> all = recorded_channels(scene), chosen;
  if (scene.record.channels.empty()) return all;
  std::vector<Channel> channels;
  for (const RecordedChannel& r : all) channels.push_back(r.channel);
  std::vector<bool> taken(all.size(), false);
  taken[0] = true;  // time
  for (const std::string& pattern : scene.record.channels) {
    const std::vector<std::size_t> named = channels_named(channels, pattern);
    for (const std::size_t c : named) taken[c] = true;
    if (named.empty())
      throw Error(ErrorKind::bad_input, fmt::format("there is no channel '{}' to record{}", printable(pattern),
                                                    nearest_pattern(channels, pattern)));
  }
  for (std::size_t c = 0; c < all.size(); ++c)
    if (taken[c]) chosen.push_back(std::move(all[c]));
  return chosen;
}

namespace {

std::vector<Channel> descriptions_of(std::vector<RecordedChannel> recorded) {
  std::vector<Channel> channels;
  for (RecordedChannel& r : recorded) channels.push_back(std::move(r.channel));
  return channels;
}

}  // namespace

std::vector<Channel> channels_of(const Scene& scene) { return descriptions_of(recorded_channels(scene)); }
std::vector<Channel> recorded_channels_of(const Scene& scene) { return descriptions_of(chosen_channels(scene)); }

}  // namespace marey
