// Files on disk as a motion sees them, and a writer in trouble.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "disk_errors.h"
#include "marey/io/disk.h"
#include "motion_fake.h"
#include "support/trouble.h"

namespace marey {
namespace motion_disk_test {
namespace {

namespace fs = std::filesystem;
using fake::Folder;

using ::trouble::contents;

std::string complaint_of(const std::function<void()>& work, ErrorKind kind = ErrorKind::file_trouble) {
  return ::trouble::of(kind, work);
}

std::size_t count_files(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path), {}));
}

// ---- files
TEST(MotionDisk, SaysWhatTheSystemSays) {
  EXPECT_EQ(complaint_of([] { file_trouble("cannot do it", ENOSPC); }), "cannot do it: the disk is full");
  EXPECT_EQ(complaint_of([] { file_trouble("cannot do it", EDQUOT); }), "cannot do it: the disk is full");
  EXPECT_EQ(complaint_of([] { file_trouble("cannot do it", EACCES); }), "cannot do it: Permission denied");
}

TEST(MotionDisk, WritesReadsAndAppends) {
  const Folder folder;
  const DiskFile file(::open((folder / "a").c_str(), O_RDWR | O_CREAT, 0666), folder / "a");
  file.append("abc", 3);
  file.append("def", 3);
  file.write(1, "XY", 2);
  EXPECT_EQ(contents(folder / "a"), "aXYdef");
  std::string read(3, ' ');
  file.read(2, read.data(), 3);
  EXPECT_EQ(read, "Yde");
  file.resize(2);
  file.sync();
  EXPECT_EQ(contents(folder / "a"), "aX");
  EXPECT_EQ(complaint_of([&] { file.read(1, read.data(), 2); }),
            "cannot read '" + (folder / "a") + "': Input/output error");
}

TEST(MotionDisk, SpeaksOfWhatTheUserAskedFor) {
  const DiskFile full(::open("/dev/full", O_RDWR), "hidden", "asked");
  EXPECT_EQ(complaint_of([&] { full.write(0, "a", 1); }), "cannot write to 'asked': the disk is full");
  EXPECT_EQ(complaint_of([&] { full.append("a", 1); }), "cannot write to 'asked': the disk is full");
  const DiskFile closed(-1, "hidden", "asked");
  EXPECT_FALSE(closed.is_open());
  EXPECT_EQ(complaint_of([&] { closed.write(0, "a", 1); }), "cannot write to 'asked': Bad file descriptor");
  EXPECT_EQ(complaint_of([&] { closed.append("a", 1); }), "cannot write to 'asked': Bad file descriptor");
  EXPECT_EQ(complaint_of([&] { closed.resize(1); }), "cannot make room in 'asked': Bad file descriptor");
  EXPECT_EQ(complaint_of([&] { closed.sync(); }), "cannot write to 'asked': Bad file descriptor");
  char c = 0;
  EXPECT_EQ(complaint_of([&] { closed.read(0, &c, 1); }), "cannot read 'asked': Bad file descriptor");
}

// A pipe has nothing to wait for.
TEST(MotionDisk, SyncsWhatCanBeSynced) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const DiskFile reader(ends[0], "pipe"), writer(ends[1], "pipe");
  EXPECT_EQ(complaint_of([&] { writer.sync(); }), "");
  writer.append("abc", 3);
  std::string got(3, ' ');
  EXPECT_EQ(::read(ends[0], got.data(), 3), 3);
  EXPECT_EQ(got, "abc");
}

TEST(MotionDisk, RenamesOnlyToWhatIsFree) {
  const Folder folder;
  const auto make = [&](const char* name) {
    std::ofstream(folder / name) << name;
    return DiskFile(::open((folder / name).c_str(), O_RDWR), folder / name);
  };
  DiskFile a = make("a"), b = make("b");
  EXPECT_EQ(complaint_of([&] { a.rename_to(folder / "b", true); }),
            "cannot write '" + (folder / "b") + "': File exists");
  EXPECT_EQ(a.name(), folder / "a");
  EXPECT_EQ(contents(folder / "b"), "b");
  EXPECT_TRUE(b.has_its_name());
  a.rename_to(folder / "b", false);
  EXPECT_EQ(a.name(), folder / "b");
  EXPECT_EQ(contents(folder / "b"), "a");
  EXPECT_TRUE(a.has_its_name());
  EXPECT_FALSE(b.has_its_name());  // its name leads to another file now
  a.rename_to(folder / "c", true);
  EXPECT_FALSE(b.has_its_name());  // and now to none
  EXPECT_EQ(complaint_of([&] { a.rename_to(folder / "no/c", false); }),
            "cannot write '" + (folder / "no/c") + "': No such file or directory");
}

// Not every file system knows how to refuse by itself; then it is done for it.
TEST(MotionDisk, RenamesOnlyToWhatIsFreeOnEveryFileSystem) {
  const Folder folder;
  for (const int error : {EINVAL, ENOSYS}) {
    std::ofstream(folder / "a") << "a";
    std::ofstream(folder / "b") << "b";
    DiskFile a(::open((folder / "a").c_str(), O_RDWR), folder / "a");
    fake::renames_without_refusal = error;
    const std::string taken = complaint_of([&] { a.rename_to(folder / "b", true); });
    const std::string free = complaint_of([&] { a.rename_to(folder / "c", true); });
    fake::renames_without_refusal = 0;
    EXPECT_EQ(taken, "cannot write '" + (folder / "b") + "': File exists");
    EXPECT_EQ(free, "");
    EXPECT_EQ(contents(folder / "b"), "b");
    EXPECT_EQ(contents(folder / "c"), "a");
    EXPECT_EQ(a.name(), folder / "c");
    fs::remove(folder / "c");
  }
  std::ofstream(folder / "a") << "a";
  DiskFile a(::open((folder / "a").c_str(), O_RDWR), folder / "a");
  fake::renames_without_refusal = EACCES;  // another trouble is trouble
  const std::string said = complaint_of([&] { a.rename_to(folder / "d", true); });
  fake::renames_without_refusal = 0;
  EXPECT_EQ(said, "cannot write '" + (folder / "d") + "': Permission denied");
  EXPECT_FALSE(fs::exists(folder / "d"));
}

TEST(MotionDisk, ASyncThatCannotBeIsNoTroubleButOneThatFailsIs) {
  const Folder folder;
  const DiskFile file(::open((folder / "a").c_str(), O_RDWR | O_CREAT, 0666), folder / "a");
  const auto said = [&](int error) {
    fake::sync_error = error;
    const std::string what = complaint_of([&] { file.sync(); });
    fake::sync_error = 0;
    return what;
  };
  EXPECT_EQ(said(0), "");
  EXPECT_EQ(said(EINVAL), "");
  EXPECT_EQ(said(ENOSYS), "");
  EXPECT_EQ(said(EIO), "cannot write to '" + (folder / "a") + "': Input/output error");
}

TEST(MotionDisk, TriesAgainWhatWasInterrupted) {
  const Folder folder;
  const DiskFile file(::open((folder / "a").c_str(), O_RDWR | O_CREAT, 0666), folder / "a");
  fake::interrupted_calls = 2;
  file.write(0, "abc", 3);
  EXPECT_EQ(fake::interrupted_calls, 0);
  EXPECT_EQ(contents(folder / "a"), "abc");
  std::string read(3, ' ');
  fake::interrupted_calls = 2;
  file.read(0, read.data(), 3);
  EXPECT_EQ(fake::interrupted_calls, 0);
  EXPECT_EQ(read, "abc");
}

// A full pipe makes the writer wait; a signal interrupts it, and its handler empties the pipe.
int full_pipe[2] = {};
void empty_the_pipe(int) {
  const int interrupted_error = errno;  // whoever was interrupted has it still
  char some[4096];
  while (::read(full_pipe[0], some, sizeof some) > 0) continue;
  errno = interrupted_error;
}
TEST(MotionDisk, AppendsAgainWhatWasInterrupted) {
  ASSERT_EQ(::pipe2(full_pipe, O_NONBLOCK), 0);
  const DiskFile reader(full_pipe[0], "pipe"), writer(full_pipe[1], "pipe");
  const std::string some(4096, 'x');
  while (::write(full_pipe[1], some.data(), some.size()) > 0) continue;
  ASSERT_EQ(::fcntl(full_pipe[1], F_SETFL, 0), 0);  // from now on it waits
  struct sigaction action = {}, before = {};
  action.sa_handler = empty_the_pipe;  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const struct itimerval soon = {{0, 20'000}, {0, 20'000}}, never = {};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  const std::string said = complaint_of([&] { writer.append("abc", 3); });
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(said, "");
}

TEST(MotionDisk, CopiesWhatWasWritten) {
  const Folder folder;
  const DiskFile from = memory_file();
  const std::string piece(5000, 'p'), large((std::size_t{1} << 20) + 77, 'l');
  from.write(100, piece.data(), piece.size());
  from.write(std::size_t{8} << 20, large.data(), large.size());
  from.resize(std::size_t{32} << 20);
  const DiskFile to(::open((folder / "to").c_str(), O_RDWR | O_CREAT, 0666), folder / "to");
  to.copy_written_parts_of(from);
  std::string expected(std::size_t{32} << 20, '\0');
  expected.replace(100, piece.size(), piece);
  expected.replace(std::size_t{8} << 20, large.size(), large);
  EXPECT_TRUE(contents(folder / "to") == expected);
}

TEST(MotionDisk, AMovedFileIsClosedOnce) {
  const Folder folder;
  std::ofstream(folder / "a").close();
  DiskFile a(::open((folder / "a").c_str(), O_RDWR), folder / "a", "asked"), b;
  const int descriptor = a.descriptor();
  EXPECT_FALSE(b.is_open());
  b = std::move(a);
  EXPECT_EQ(b.descriptor(), descriptor);
  EXPECT_EQ(b.name(), folder / "a");
  {
    const DiskFile c(std::move(b));
    EXPECT_EQ(c.descriptor(), descriptor);
    EXPECT_EQ(c.name(), folder / "a");
    EXPECT_NE(::fcntl(descriptor, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

TEST(MotionDisk, KnowsHdf5ByItsBeginning) {
  const Folder folder;
  std::ofstream(folder / "h5", std::ios::binary) << "\x89HDF\r\n\x1a\n...";
  std::ofstream(folder / "short", std::ios::binary) << "\x89HDF\r\n";
  EXPECT_TRUE(looks_like_hdf5(folder / "h5"));
  EXPECT_FALSE(looks_like_hdf5(folder / "short"));
  EXPECT_FALSE(looks_like_hdf5(folder / "none"));
  fs::create_symlink("nowhere", folder / "link");
  EXPECT_TRUE(exists(folder / "link"));  // a link that leads nowhere has its name all the same
  EXPECT_FALSE(exists(folder / "none"));
}

TEST(MotionDisk, ALockIsSeenByOthers) {
  const Folder folder;
  {
    const DiskFile first = open_unfinished(folder / "run.h5");
    EXPECT_EQ(first.name(), folder / "run.h5.tmp");
    EXPECT_EQ(complaint_of([&] { open_unfinished(folder / "run.h5"); }),
              "'" + (folder / "run.h5") + "' is being written by another run");
    EXPECT_EQ(complaint_of([&] { open_locked(folder / "run.h5.tmp"); }),
              "'" + (folder / "run.h5.tmp") + "' is being written by another run");
  }
  open_locked(folder / "run.h5.tmp");
  EXPECT_EQ(complaint_of([&] { open_locked(folder / "none"); }),
            "cannot write to '" + (folder / "none") + "': No such file or directory");
}

// ---- the writer
TEST(MotionWriter, CanBeMoved) {
  const Folder folder;
  fake::State state;
  {
    MotionFile a(folder / "a.h5");
    MotionFile b(std::move(a));
    b.begin(fake::header());
    EXPECT_EQ(b.info().title, "A fake");
    EXPECT_EQ(b.info().file, folder / "a.h5");
    EXPECT_FALSE(b.displaced());
    b.frame(fake::next_row(state));
    MotionFile c(folder / "c.h5");
    c = std::move(b);
    c.frame(fake::next_row(state));
    c.finish(fake::summary);
  }
  EXPECT_EQ(read_motion(folder / "a.h5").values, fake::expected_values(2));
}

// What waits is written after a second: on a machine that took so long over a test it may have been.
class Patience {
 public:
  bool is_over() const { return Clock::now() - begun_ > std::chrono::milliseconds(900); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
};

TEST(MotionWriter, KeepsTheFileFresh) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  const Patience patience;
  MotionFile file(name);
  file.begin(fake::header());
  fake::State state;
  file.frame(fake::next_row(state));
  file.keep_fresh();
  EXPECT_TRUE(!fs::exists(name) || patience.is_over());
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  file.keep_fresh();
  EXPECT_EQ(read_motion(name).values, fake::expected_values(1));
  EXPECT_EQ(read_motion_info(name).end, MotionEnd::open);
}

TEST(MotionWriter, TakesNothingMoreOnceFinished) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  MotionFile file(name);
  fake::run({.frames = 3, .duration = 2}, file);
  const std::string before = contents(name);
  fake::State state;
  file.frame(fake::next_row(state));
  file.checkpoint(fake::checkpoint_of(state, {}));
  file.finish(fake::interrupted_summary);
  file.keep_fresh();
  file.frame(std::vector<double>(3));  // not even looked at
  EXPECT_TRUE(contents(name) == before);
}

TEST(MotionWriter, RefusesRowsOfAnotherLength) {
  const Folder folder;
  MotionFile file(folder / "run.h5");
  file.begin(fake::header());
  for (const std::size_t width : {8, 10})
    EXPECT_EQ(complaint_of([&] { file.frame(std::vector<double>(width)); }, ErrorKind::bad_input),
              "a row of the motion has the wrong length");
}

TEST(MotionWriter, WritesWhenMuchIsWaiting) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  const Patience patience;
  MotionFile file(name);
  MotionHeader h = fake::header();
  h.channels.resize(2);
  h.channels[1].columns.assign((std::size_t{1} << 17) - 1, "a");
  for (std::size_t i = 0; i < h.channels[1].columns.size(); ++i) h.channels[1].columns[i] = std::to_string(i);
  h.scene.duration = 20;
  file.begin(h);
  const std::vector<double> row(std::size_t{1} << 17);  // 1 MiB
  for (int i = 0; i < 7; ++i) file.frame(row);
  EXPECT_TRUE(!fs::exists(name) || patience.is_over());
  file.frame(row);  // 8 MiB
  EXPECT_EQ(read_motion_info(name).frames, 8u);
}

// In a process of its own, for files may not grow there.
void with_small_files(rlim_t bytes, const std::function<void()>& work) {
  const int status = ::trouble::in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {bytes, bytes};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    work();
  });
  EXPECT_EQ(status, 0);
}

TEST(MotionWriter, SaysThatNothingIsSafe) {
  const Folder folder;
  with_small_files(100, [&] {
    MotionFile file(folder / "run.h5");
    EXPECT_EQ(complaint_of([&] { file.begin(fake::header()); }),
              "cannot describe the motion: HDF5 could not write it. Nothing of this run was saved; no older file was "
              "touched");
  });
  EXPECT_EQ(count_files(folder), 0u);
}

// The first rows fit, a checkpoint that is larger than its room does not: what was there before is what is safe.
TEST(MotionWriter, SaysUpToWhereItIsSafe) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  with_small_files(200'000, [&] {
    MotionFile file(name);
    file.begin(fake::header({.duration = 9}));
    fake::State state;
    const auto large = [&] {
      file.checkpoint({static_cast<double>(state.frame), state.frame, std::vector<std::byte>(1 << 20)});
    };
    for (int i = 0; i < 3; ++i) file.frame(fake::next_row(state));
    file.checkpoint(fake::checkpoint_of(state, {}));  // at 3 s
    for (int i = 0; i < 2; ++i) file.frame(fake::next_row(state));
    const std::string said = complaint_of(large);
    const std::string safe = "cannot describe the motion: HDF5 could not write it. '" + name +
                             "' is safe up to 4 s (5 frames); when the trouble is over, 'marey run --resume " + name +
                             "' goes on from 3 s";
    EXPECT_EQ(said, safe);
    file.frame(fake::next_row(state));
    file.frame(std::vector<double>(3));
    file.finish(fake::summary);  // nothing more is looked at or written
  });
  EXPECT_EQ(read_motion(name).values, fake::expected_values(5));
  EXPECT_EQ(read_motion_info(name).end, MotionEnd::open);
  EXPECT_EQ(last_checkpoint(name)->frames, 3u);
  EXPECT_EQ(count_files(folder), 1u);
}

TEST(MotionWriter, WithoutACheckpointItGoesOnFromTheStart) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  with_small_files(200'000, [&] {
    MotionFile file(name);
    file.begin(fake::header({.duration = 9}));
    fake::State state;
    for (int i = 0; i < 3; ++i) file.frame(fake::next_row(state));
    const std::string said = complaint_of([&] { file.finish("{\"a\": \"" + std::string(1 << 20, 'a') + "\"}"); });
    EXPECT_TRUE(said.ends_with("' is safe up to 2 s (3 frames); when the trouble is over, 'marey run --resume " + name +
                               "' goes on from 0 s"))
        << said;
  });
  EXPECT_EQ(read_motion(name).values, fake::expected_values(3));
  EXPECT_EQ(count_files(folder), 1u);
}

// Somebody takes the name while the run sets out.
TEST(MotionWriter, ANameThatWasTakenMeanwhile) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  {
    MotionFile file(name);
    file.begin(fake::header());
    fake::State state;
    file.frame(fake::next_row(state));
    std::ofstream(name) << "somebody else's";
    EXPECT_EQ(complaint_of([&] { file.checkpoint(fake::checkpoint_of(state, {})); }),
              "cannot write '" + name + "': File exists. Nothing of this run was saved; no older file was touched");
  }
  EXPECT_EQ(contents(name), "somebody else's");
  EXPECT_EQ(count_files(folder), 1u);
}

// What a run was begun with is in its file, whatever it was.
TEST(MotionWriter, KeepsHowItWasSolved) {
  const Folder folder;
  MotionHeader h = fake::header();
  const auto read_back = [&] {
    MotionFile file(folder / "run.h5", Existing::replace);
    file.begin(h);
    file.finish("{}");
    const Motion m = read_motion(folder / "run.h5");
    EXPECT_EQ(m.values, std::vector<std::vector<double>>(4));  // no frames
    return m.solver;
  };
  for (const Dynamics d :
       {Dynamics::armstrong, Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers}) {
    h.scene.solver.dynamics = d;
    EXPECT_EQ(read_back().dynamics, d);
  }
  for (const Integrator i : all_integrators()) {
    h.scene.solver.integrator = i;
    EXPECT_EQ(read_back().integrator, i);
  }
  h.scene.solver.step = 0.25, h.scene.solver.tolerance = 1e-3, h.scene.solver.slow_band = 1000;
  h.scene.solver.spread = false, h.scene.solver.reuse = 0.125;
  SolverOptions s = read_back();
  EXPECT_EQ(s.step, 0.25);
  EXPECT_EQ(s.tolerance, 1e-3);
  EXPECT_FALSE(s.absolute_tolerance);
  EXPECT_EQ(s.slow_band, 1000);
  EXPECT_FALSE(s.spread);
  EXPECT_EQ(s.reuse, 0.125);
  EXPECT_FALSE(s.weld);
  h.scene.solver.absolute_tolerance = 1e-4, h.scene.solver.spread = true, h.scene.solver.weld = WeldOptions{1, 2, 3};
  s = read_back();
  EXPECT_EQ(s.absolute_tolerance, 1e-4);
  EXPECT_TRUE(s.spread);
  ASSERT_TRUE(s.weld);
  EXPECT_EQ(s.weld->below, 1);
  EXPECT_EQ(s.weld->lasts, 2);
  EXPECT_EQ(s.weld->wake, 3);
}

TEST(MotionWriter, LeavesNoFileOfARunThatWroteNothing) {
  const Folder folder;
  {
    MotionFile file(folder / "run.h5");
    EXPECT_EQ(count_files(folder), 1u);
    file.begin(fake::header());
  }
  EXPECT_EQ(count_files(folder), 0u);
}

}  // namespace
}  // namespace motion_disk_test
}  // namespace marey
