// Motions whose writer dies: at every single call that changes a file (before it, and with half of its bytes
// written), and by SIGKILL at random instants. Whatever is left must read back exactly, and going on from it
// must end with the numbers of a run that was never disturbed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "disk_errors.h"
#include "motion_fake.h"
#include "support/sanitized.h"

// ----------------------------------------------------------------------------------------------- a fragile disk
// These take the place of the C library's in this program. Call number `last_call` is the writer's last: it happens
// not at all, or half (a write) or wholly (anything else).
namespace {
long calls = 0, last_call = 0;  // 0: nothing happens
enum class Death { before, halfway } death = Death::before;

bool is_last() { return last_call > 0 && ++calls == last_call; }
[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  ::_exit(99);
}
template <class Call>
auto fragile(Call call) {
  if (!is_last()) return call();
  if (death != Death::before) call();
  die();
}
int fails_with(int error) {
  errno = error;
  return -1;
}
bool is_interrupted() { return marey::fake::interrupted_calls > 0 && marey::fake::interrupted_calls-- > 0; }
}  // namespace

// Under names of their own here, under the library's for the linker.
extern "C" {
ssize_t fragile_pread(int file, void* bytes, size_t count, off_t at) __asm__("pread");
ssize_t fragile_pwrite(int file, const void* bytes, size_t count, off_t at) __asm__("pwrite");
int fragile_ftruncate(int file, off_t size) __asm__("ftruncate");
int fragile_renameat2(int folder, const char* name, int new_folder, const char* new_name,
                      unsigned flags) __asm__("renameat2");
int fragile_rename(const char* name, const char* new_name) __asm__("rename");
int fragile_fdatasync(int file) __asm__("fdatasync");
}

ssize_t fragile_pread(int file, void* bytes, size_t count, off_t at) {
  return is_interrupted() ? fails_with(EINTR) : ::syscall(SYS_pread64, file, bytes, count, at);
}
ssize_t fragile_pwrite(int file, const void* bytes, size_t count, off_t at) {
  if (is_interrupted()) return fails_with(EINTR);
  const bool last = is_last();
  if (last && death == Death::before) die();
  if (last && death == Death::halfway) count /= 2;
  const ssize_t n = ::syscall(SYS_pwrite64, file, bytes, count, at);
  if (last) die();
  return n;
}
int fragile_ftruncate(int file, off_t size) {
  return fragile([&] { return static_cast<int>(::syscall(SYS_ftruncate, file, size)); });
}
int fragile_renameat2(int folder, const char* name, int new_folder, const char* new_name, unsigned flags) {
  if (flags != 0 && marey::fake::renames_without_refusal != 0) return fails_with(marey::fake::renames_without_refusal);
  return fragile([&] { return static_cast<int>(::syscall(SYS_renameat2, folder, name, new_folder, new_name, flags)); });
}
int fragile_rename(const char* name, const char* new_name) {
  return fragile([&] { return static_cast<int>(::syscall(SYS_rename, name, new_name)); });
}

// The system keeps what a killed process wrote, so waiting for the disk changes nothing here but the time it takes.
int fragile_fdatasync(int file) {
  struct stat about {};
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode))
    return marey::fake::sync_error == 0 ? 0 : fails_with(marey::fake::sync_error);
  return static_cast<int>(::syscall(SYS_fdatasync, file));  // what no disk is behind answers as it would
}

namespace marey {
namespace {

using fake::Folder, fake::Plan;

// What the writer knows to be safe, told to the parent through shared memory.
struct Shared {
  std::atomic<std::size_t> safe_frames{0};
};

Shared& shared() {
  static void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  static Shared* s = new (memory) Shared;
  return *s;
}

bool is_done(const std::string& name) {
  return std::filesystem::exists(name) && read_motion_info(name).end == MotionEnd::done;
}

// Runs or goes on in a process of its own.
pid_t start_writer(const std::string& name, const Plan& plan, long dies_at = 0, Death how = Death::before,
                   int microseconds_per_frame = 0) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  last_call = dies_at, death = how;
  try {
    MotionFile file = std::filesystem::exists(name) ? MotionFile::resume(name) : MotionFile(name);
    fake::run(plan, file, [&](const fake::State& state) {
      if (state.frame % plan.checkpoint_every == 0) shared().safe_frames = state.frame;
      if (microseconds_per_frame) ::usleep(static_cast<useconds_t>(microseconds_per_frame));
      return false;
    });
  } catch (const Error& error) {
    ::write(2, error.what(), std::strlen(error.what()));
    ::_exit(1);
  }
  ::_exit(0);
}

// True when it came to its end, false when it was killed.
bool wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return false;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return true;
}

// Items that have come before a frame are there with it; the next frame's may be there before it.
void check_items(const std::string& name, std::size_t frames, const Plan& plan) {
  const MotionItems items = read_items(name, "touches");
  const fake::ExpectedItems expected = fake::expected_items(plan.frames, plan);
  ASSERT_LE(items.numbers.size(), expected.numbers.size());
  EXPECT_TRUE(std::equal(items.numbers.begin(), items.numbers.end(), expected.numbers.begin()));
  EXPECT_EQ(items.ends, fake::expected_items(frames, plan).ends);
  EXPECT_GE(items.count(), items.ends.empty() ? 0 : items.ends.back());
}

// The remains hold at least what the writer knew to be safe, and nothing that is not so.
void check_remains(const std::string& name, const Plan& plan) {
  const std::size_t safe = shared().safe_frames;
  if (!std::filesystem::exists(name)) {
    EXPECT_EQ(safe, 0u);
    return;
  }
  const Motion motion = read_motion(name);
  EXPECT_GE(motion.frames, safe);
  EXPECT_EQ(motion.values, fake::expected_values(motion.frames));
  check_items(name, motion.frames, plan);
  if (const auto checkpoint = last_checkpoint(name)) {
    EXPECT_GE(checkpoint->frames, safe);
    EXPECT_LE(checkpoint->frames, motion.frames);
  } else {
    EXPECT_EQ(safe, 0u);
  }
}

void finish_and_check(const std::string& name, const Plan& plan) {
  // The last calls of a run come after its end was put on record; then there is nothing to go on with.
  ASSERT_TRUE(is_done(name) || wait_for(start_writer(name, plan)));
  const Motion motion = read_motion(name);
  EXPECT_EQ(motion.end, MotionEnd::done);
  EXPECT_EQ(motion.values, fake::expected_values(plan.frames));
  check_items(name, plan.frames, plan);
  EXPECT_EQ(read_items(name, "touches").numbers, fake::expected_items(plan.frames, plan).numbers);
}

void kill_at_every_call(const Plan& plan) {
  const Folder folder(fake::in_memory());
  const std::string name = folder / "run.h5";
  int deaths = 0;
  for (const Death how : {Death::before, Death::halfway})
    for (long call = 1;; call += every(7)) {
      SCOPED_TRACE(::testing::Message() << "call " << call << ", way " << static_cast<int>(how));
      std::filesystem::remove(name);
      shared().safe_frames = 0;
      if (wait_for(start_writer(name, plan, call, how))) break;
      check_remains(name, plan);
      finish_and_check(name, plan);
      ++deaths;
      if (::testing::Test::HasFailure()) return;
    }
  EXPECT_GT(deaths, 40 / every(7));
}

TEST(MotionKill, AtEveryCallOfAPlainRun) {
  kill_at_every_call({.frames = 20, .checkpoint_every = 7, .duration = 19, .burst = 1000});
}

// Promises 3 frames and a small checkpoint, so that the file is copied again and again while it grows.
TEST(MotionKill, AtEveryCallOfARunThatGrows) {
  kill_at_every_call({.frames = 16, .checkpoint_every = 5, .duration = 2, .checkpoint_size = 5000});
}

// Also deaths of runs that go on, and deaths of those.
TEST(MotionKill, AtEveryCallOfAResumedRun) {
  const Plan plan{.frames = 30, .checkpoint_every = 4, .duration = 10};
  const Folder folder(fake::in_memory());
  const std::string name = folder / "run.h5";
  for (int first = 1; first < 60; first += 17)
    for (int second = 1;; second += 5 * every(7)) {
      SCOPED_TRACE(::testing::Message() << "calls " << first << ", " << second);
      std::filesystem::remove(name);
      shared().safe_frames = 0;
      ASSERT_FALSE(wait_for(start_writer(name, plan, first, Death::halfway)));
      if (is_done(name) || wait_for(start_writer(name, plan, second, Death::halfway))) break;
      check_remains(name, plan);
      finish_and_check(name, plan);
      if (::testing::Test::HasFailure()) return;
    }
}

// Fifty kills by the clock, fewer in a sanitized build. A run takes about a tenth of a second; kills fall anywhere in it, also into runs that go on.
TEST(MotionKill, AtFiftyRandomInstants) {
  const Plan plan{.frames = 300, .checkpoint_every = 5, .duration = 40};
  const Folder folder(fake::in_memory());
  const std::string name = folder / "run.h5";
  std::mt19937 random(1);
  const int wanted = 50 / every(5);
  int kills = 0;
  for (int attempt = 0; attempt < 2000 && kills < wanted; ++attempt) {
    if (!std::filesystem::exists(name)) shared().safe_frames = 0;
    const pid_t child = start_writer(name, plan, 0, Death::before, 100);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 50000)(random)));
    ::kill(child, SIGKILL);
    if (wait_for(child)) {
      EXPECT_EQ(read_motion(name).values, fake::expected_values(plan.frames));
      std::filesystem::remove(name);
      continue;
    }
    ++kills;
    check_remains(name, plan);
    if (is_done(name)) std::filesystem::remove(name);
  }
  EXPECT_EQ(kills, wanted);
}

}  // namespace
}  // namespace marey
