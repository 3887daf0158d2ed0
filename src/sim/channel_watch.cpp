#include "marey/sim/channel_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/simulation_parts.h"

namespace marey {
namespace {

std::vector<RecordedChannel> of_these_names(const Scene& scene, std::span<const std::string> names) {
  std::vector<RecordedChannel> chosen;
  for (RecordedChannel& r : recorded_channels(scene))
    if (std::ranges::find(names, r.channel.name) != names.end()) chosen.push_back(std::move(r));
  for (const std::string& name : names)
    if (std::ranges::none_of(chosen, [&](const RecordedChannel& r) { return r.channel.name == name; }))
      throw Error(ErrorKind::bad_input, fmt::format("there is no channel '{}' to watch", name));
  return chosen;
}

}  // namespace

struct ChannelWatch::Parts {
  Parts(Simulation& of, std::span<const std::string> names)
      : world(of.parts().world), recorder(world.scene(), of_these_names(world.scene(), names)) {
    std::size_t column = 0;
    for (const Channel& c : recorder.channels()) {
      first.emplace_back(c.name, column);
      column += c.columns.size();
    }
  }

  World& world;
  Recorder recorder;
  std::vector<std::pair<std::string, std::size_t>> first;  // columns of channels
};

ChannelWatch::ChannelWatch(Simulation& of, std::span<const std::string> channels)
    : parts_(std::make_unique<Parts>(of, channels)) {}
ChannelWatch::ChannelWatch(ChannelWatch&&) noexcept = default;
ChannelWatch::~ChannelWatch() = default;

std::size_t ChannelWatch::column_of(const std::string& channel) const {
  const auto at = std::ranges::find(parts_->first, channel, &std::pair<std::string, std::size_t>::first);
  if (at == parts_->first.end())
    throw Error(ErrorKind::bad_input, fmt::format("the channel '{}' is not watched", channel));
  return at->second;
}

std::span<const double> ChannelWatch::row_at(double t) { return parts_->recorder.row_at(t, parts_->world); }

}  // namespace marey
