// Motions on disks that are full, or that fill up under way.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "motion_fake.h"
#include "support/trouble.h"

namespace marey {
namespace {

using fake::Folder, fake::Plan;

constexpr int not_possible_here = 77;

using ::trouble::in_child;

void put(const char* file, const std::string& text) { std::ofstream(file) << text; }

// Puts a disk of its own, of the given size, over the folder; only this process sees it.
void mount_small_disk(const Folder& folder, const char* size) {
  const std::string user = std::to_string(::getuid()), group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(not_possible_here);
  put("/proc/self/uid_map", "0 " + user + " 1");
  put("/proc/self/setgroups", "deny");
  put("/proc/self/gid_map", "0 " + group + " 1");
  if (::mount("none", folder.path.c_str(), "tmpfs", 0, (std::string("size=") + size).c_str()) != 0)
    ::_exit(not_possible_here);
}

void resize_disk(const Folder& folder, const char* size) {
  ASSERT_EQ(::mount("none", folder.path.c_str(), "tmpfs", MS_REMOUNT, (std::string("size=") + size).c_str()), 0);
}

std::string trouble_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file_trouble);
    return error.what();
  }
  ADD_FAILURE() << "no trouble";
  return "";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

std::size_t count_files(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path), {}));
}

TEST(MotionTrouble, AFullDiskFromTheStart) {
  const Folder folder;
  const int status = in_child([&] {
    mount_small_disk(folder, "64k");
    {
      MotionFile old(folder / "run.h5");
      fake::run({.frames = 3}, old);
    }
    std::ofstream(folder / "filler") << std::string(100000, 'x');
    const std::string trouble = trouble_of([&] {
      MotionFile file(folder / "run.h5", Existing::replace);
      fake::run({}, file);
    });
    expect_part(trouble, "the disk is full");
    expect_part(trouble, "no older file was touched");
    EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(3));
    EXPECT_EQ(count_files(folder), 2u);
  });
  if (status == not_possible_here) GTEST_SKIP() << "no disk of our own here";
  EXPECT_EQ(status, 0);
}

// The file was promised all the rows, but the disk has no room for them. With more room the run goes on to its end.
TEST(MotionTrouble, ADiskThatFillsUp) {
  const Folder folder;
  const Plan plan{.frames = 20000, .checkpoint_every = 100, .duration = 19999, .items = false};
  const int status = in_child([&] {
    mount_small_disk(folder, "256k");
    const std::string trouble = trouble_of([&] {
      MotionFile file(folder / "run.h5");
      fake::run(plan, file);
    });
    const Motion motion = read_motion(folder / "run.h5");
    EXPECT_GT(motion.frames, 1000u);
    EXPECT_EQ(motion.values, fake::expected_values(motion.frames));
    expect_part(trouble, "the disk is full");
    const std::string frames = std::to_string(motion.frames);
    expect_part(trouble, "is safe up to " + std::to_string(motion.frames - 1) + " s (" + frames + " frames)");
    expect_part(trouble, "--resume");
    resize_disk(folder, "8m");
    MotionFile file = MotionFile::resume(folder / "run.h5");
    fake::run(plan, file);
    EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(plan.frames));
  });
  if (status == not_possible_here) GTEST_SKIP() << "no disk of our own here";
  EXPECT_EQ(status, 0);
}

// The file grows by copies; the one that does not fit leaves the original alone, and nothing behind.
TEST(MotionTrouble, AFileThatMayNotGrow) {
  const Folder folder;
  const Plan plan{.frames = 20000, .checkpoint_every = 100, .duration = 3, .items = false};
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {200000, 200000};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const std::string trouble = trouble_of([&] {
      MotionFile file(folder / "run.h5");
      fake::run(plan, file);
    });
    expect_part(trouble, "is safe up to");
  });
  ASSERT_EQ(status, 0);
  const Motion motion = read_motion(folder / "run.h5");
  EXPECT_GT(motion.frames, 1000u);
  EXPECT_EQ(motion.values, fake::expected_values(motion.frames));
  EXPECT_EQ(count_files(folder), 1u);
  MotionFile file = MotionFile::resume(folder / "run.h5");
  fake::run(plan, file);
  EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(plan.frames));
}

}  // namespace
}  // namespace marey
