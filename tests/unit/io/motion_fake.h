// A stand-in for a simulation: its rows follow from a state by exact arithmetic, so that two runs can be compared bit
// for bit, and its checkpoints carry that state.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "marey/io/motion.h"

namespace marey::fake {

// A folder that goes away with the test.
struct Folder {
  explicit Folder(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
    std::string pattern = (where / "marey-motion-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

// Where files are kept in memory, if there is such a place: what a process has written outlives its being killed there as it does
// on a disk, and nobody waits for the disk.
inline std::filesystem::path in_memory() {
  const char* const place = "/dev/shm";
  return ::access(place, W_OK) == 0 ? place : std::filesystem::temp_directory_path();
}

struct Plan {
  std::size_t frames = 200;          // how many the run has
  std::size_t checkpoint_every = 7;  // frames
  double duration = 199;             // s; what the header promises, one frame per second
  std::size_t checkpoint_size = 64;  // bytes of the first; each later one is a byte longer
  bool items = true;                 // whether any come
  std::uint64_t burst = 11;          // the frame before which more of them come than there is room for at first
};

inline MotionHeader header(const Plan& plan = {}) {
  MotionHeader h;
  h.program_version = "0.1.0";
  h.scene.file = "gallery/fake.yaml";
  h.scene.text = "marey: 1\ntitle: A fake\n# ünïcode\n";
  h.scene.title = "A fake";
  h.scene.source = "A7";
  h.scene.duration = plan.duration;
  h.scene.record.every = 1;
  h.scene.solver = {Dynamics::armstrong, Integrator::semi_implicit, 0.01, 2, true};
  h.channels = {{"time", "s", {""}, "since the start"},
                {"energy/kinetic", "J", {""}, "of all links"},
                {"link/finger.tip/position", "m", {"x", "y", "z"}, "p_WoBo_W"},
                {"link/finger.tip/orientation", "", {"w", "x", "y", "z"}, "of R_WB"}};
  h.lists = {{"touches", {{"t", "s", {""}, "when"}, {"place", "m", {"x", "y", "z"}, "where"}}, "any number of them"}};
  return h;
}

// The items that come before a frame: none to three of four numbers, and once very many.
inline std::vector<double> items_before(std::uint64_t frame, const Plan& plan) {
  const std::uint64_t count = frame == plan.burst ? 300 : (5 * frame + 3) % 4;
  std::vector<double> items;
  for (std::uint64_t i = 0; i < count; ++i)
    for (const std::uint64_t x : {frame, i, 7 * frame + i, frame * i}) items.push_back(static_cast<double>(x));
  return items;
}

struct State {
  std::uint64_t frame = 0, seed = 42;
};

inline std::vector<double> next_row(State& state) {
  std::vector<double> row{static_cast<double>(state.frame++)};
  for (int i = 1; i < 9; ++i) {
    state.seed = state.seed * 6364136223846793005u + 1442695040888963407u;
    row.push_back(static_cast<double>(state.seed >> 11) * 0x1p-53);
  }
  return row;
}

inline Checkpoint checkpoint_of(const State& state, const Plan& plan) {
  Checkpoint c{static_cast<double>(state.frame), state.frame, {}};
  c.bytes.resize(plan.checkpoint_size + state.frame, std::byte{0xa5});
  std::memcpy(c.bytes.data(), &state, sizeof state);
  return c;
}

inline const char* summary = R"({"title": "A fake", "interrupted": false, "breakdown": null})";
inline const char* interrupted_summary = R"({"title": "A fake", "interrupted": true, "breakdown": null})";

// Begins, or goes on from where the file says, until the end or until `stop` says so.
inline void run(const Plan& plan, MotionFile& file, const std::function<bool(const State&)>& stop = {}) {
  State state;
  if (file.from()) std::memcpy(&state, file.from()->bytes.data(), sizeof state);
  file.begin(header(plan));
  bool stopped = false;
  while (state.frame < plan.frames && !stopped) {
    if (plan.items) file.items(0, items_before(state.frame, plan));
    file.frame(next_row(state));
    if (state.frame % plan.checkpoint_every == 0) file.checkpoint(checkpoint_of(state, plan));
    stopped = stop && stop(state);
  }
  file.finish(stopped ? interrupted_summary : summary);
}

// The items of the first `frames` frames.
struct ExpectedItems {
  std::vector<double> numbers;
  std::vector<std::size_t> ends;
};
inline ExpectedItems expected_items(std::size_t frames, const Plan& plan = {}) {
  ExpectedItems all;
  for (std::size_t f = 0; f < frames; ++f) {
    const std::vector<double> items = items_before(f, plan);
    all.numbers.insert(all.numbers.end(), items.begin(), items.end());
    all.ends.push_back(all.numbers.size() / 4);
  }
  return all;
}

// The rows of the first `frames` frames, channel by channel, as read_motion() gives them.
inline std::vector<std::vector<double>> expected_values(std::size_t frames) {
  std::vector<std::vector<double>> values(4);
  State state;
  for (std::size_t f = 0; f < frames; ++f) {
    const std::vector<double> row = next_row(state);
    values[0].push_back(row[0]);
    values[1].push_back(row[1]);
    values[2].insert(values[2].end(), row.begin() + 2, row.begin() + 5);
    values[3].insert(values[3].end(), row.begin() + 5, row.end());
  }
  return values;
}

}  // namespace marey::fake
