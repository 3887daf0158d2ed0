// Some channels of a simulation, read at any time within its last step: no others are worked out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "marey/simulation.h"

namespace marey {

class ChannelWatch {
 public:
  // Channels by their names, each once; throws Error(bad_input) where there is none of that name. The simulation stays where it is
  // and alive.
  ChannelWatch(Simulation&, std::span<const std::string> channels);
  ChannelWatch(ChannelWatch&&) noexcept;
  ~ChannelWatch();

  // Where a channel's numbers begin in a row.
  std::size_t column_of(const std::string& channel) const;
  // All of them one after another, at a time within the last step. Valid until the next call.
  std::span<const double> row_at(double t);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace marey
