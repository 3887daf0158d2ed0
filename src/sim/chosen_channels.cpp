// Which channels a scene asks to be recorded.
#include <fmt/format.h>

#include "marey/core/text.h"
#include "marey/sim/channel_names.h"
#include "marey/sim/touching_items.h"
#include "sim/recorder.h"

namespace marey {

std::vector<Channel> channels_of_inputs() {
  return {{"element/inputs/power", "W", {""}, ""}, {"element/inputs/work", "J", {""}, ""}};
}

std::vector<RecordedChannel> chosen_channels(const Scene& scene) {
  std::vector<RecordedChannel> all = recorded_channels(scene), chosen;
  if (scene.record.channels.empty()) return all;
  std::vector<Channel> channels;
  for (const RecordedChannel& r : all) channels.push_back(r.channel);
  const ColumnFinder finder(channels);
  std::vector<bool> taken(all.size(), false);
  for (std::size_t c = 0; c < all.size(); ++c) taken[c] = all[c].asked_for;
  taken[0] = true;  // time
  for (const std::string& pattern : scene.record.channels) {
    const std::vector<ColumnIndex> named = finder.named(pattern);
    for (const ColumnIndex& c : named) taken[c.channel] = true;
    if (names_touching(pattern) && records_touching(scene)) continue;
    if (!named.empty() || (!scene.takes_inputs && !columns_named(channels_of_inputs(), pattern).empty())) continue;
    const std::string near = nearest_pattern(channels, pattern);
    throw Error(ErrorKind::bad_input, fmt::format("there is no channel '{}' to record{}", printable(pattern),
                                                  near.empty() ? near : fmt::format("; did you mean '{}'?", near)));
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
