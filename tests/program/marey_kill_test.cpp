// The program killed and interrupted at random instants, on a real simulation. After each death the file must be
// readable; in the end its numbers must be those of a run that nobody disturbed, bit for bit.
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "marey/io/motion.h"
#include "program.h"

namespace marey {
namespace {

using program::Folder;

constexpr auto longest_life = std::chrono::milliseconds(600);  // longer than the time between two checkpoints

// Equal bit for bit; the shorter may be a beginning of the longer.
void expect_beginning(const Motion& part, const Motion& whole) {
  ASSERT_EQ(part.values.size(), whole.values.size());
  ASSERT_LE(part.frames, whole.frames);
  for (std::size_t c = 0; c < part.values.size(); ++c) {
    ASSERT_LE(part.values[c].size(), whole.values[c].size());
    if (part.values[c].empty()) continue;
    EXPECT_EQ(std::memcmp(part.values[c].data(), whole.values[c].data(), 8 * part.values[c].size()), 0)
        << part.channels[c].name;
  }
}

struct MareyKill : ::testing::Test {
  // The run to compare with, made once: long enough for a few checkpoints, however fast the machine is.
  static void SetUpTestSuite() {
    reference = std::make_unique<Folder>();
    for (int duration = 10; duration <= 640; duration *= 2) {
      program::write(*reference / "chain.yaml", program::chain(8, std::to_string(duration) + " s", "0.2 ms", "20 ms"));
      const auto outcome = program::marey(*reference, {"run", "chain.yaml", "-o", "whole.h5", "--force", "--json"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      if (YAML::Load(outcome.out)["wall_s"].as<double>() > 1.3) break;
    }
    whole = read_motion(*reference / "whole.h5");
    checkpoint = last_checkpoint(*reference / "whole.h5");
  }
  static void TearDownTestSuite() { reference.reset(); }

  MareyKill() { program::write(folder / "chain.yaml", program::contents(*reference / "chain.yaml")); }

  // Starts or goes on with run.h5, sends the signal after a random time, returns the status.
  int live_and_die(int signal) {
    const pid_t child = program::start(folder, {"run", "chain.yaml", "-o", "run.h5", "--resume"});
    const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(longest_life).count();
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<long>(0, longest)(random)));
    ::kill(child, signal);
    return program::wait_for(child);
  }

  void check_remains() {
    if (!std::filesystem::exists(folder / "run.h5")) return;
    expect_beginning(read_motion(folder / "run.h5"), whole);
    last_checkpoint(folder / "run.h5");
  }

  void expect_whole() {
    const Motion motion = read_motion(folder / "run.h5");
    EXPECT_EQ(motion.end, MotionEnd::done);
    EXPECT_EQ(motion.frames, whole.frames);
    expect_beginning(motion, whole);
    // The state after the last step, with the ledger and all else that a run carries.
    EXPECT_EQ(last_checkpoint(folder / "run.h5")->bytes, checkpoint->bytes);
  }

  // The same with `deaths` signals, over as many runs as it takes.
  void disturb(int signal, int deaths) {
    for (int died = 0; died < deaths && !HasFailure();) {
      const int status = live_and_die(signal);
      check_remains();
      if (status == 0) {
        expect_whole();
        std::filesystem::remove(folder / "run.h5");
        continue;
      }
      // An interrupt that comes before the program is ready for it ends it at once.
      EXPECT_TRUE(status == 1000 + signal || (status == 130 && signal != SIGKILL)) << status;
      ++died;
    }
    EXPECT_EQ(program::marey(folder, {"run", "chain.yaml", "-o", "run.h5", "--resume"}).status, 0);
    expect_whole();
  }

  inline static std::unique_ptr<Folder> reference;
  inline static Motion whole;
  inline static std::optional<Checkpoint> checkpoint;
  Folder folder;
  std::mt19937 random{1985};
};

TEST_F(MareyKill, FiftyTimesWithoutWarning) { disturb(SIGKILL, 50); }

TEST_F(MareyKill, ByCtrlC) { disturb(SIGINT, 6); }

// An interrupt finishes the file, says how to go on, and exits 130.
TEST_F(MareyKill, InterruptedRunsSayHowToGoOn) {
  const pid_t child = program::start(folder, {"run", "chain.yaml", "-o", "run.h5"});
  // A file in its place is the sign that the program is well under way.
  for (int i = 0; i < 20000 && !std::filesystem::exists(folder / "run.h5"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(child, SIGTERM);
  const int status = program::wait_for(child);
  EXPECT_EQ(status, 130);
  EXPECT_TRUE(program::contains(program::contents(folder / "out.txt"), "run --resume run.h5"));
  EXPECT_EQ(read_motion_info(folder / "run.h5").end, MotionEnd::interrupted);
}

}  // namespace
}  // namespace marey
