// Motions whose records are whole and speak of what is not there: refused as damaged, before anything is written to them.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "io/motion_layout.h"
#include "io/motion_read.h"
#include "motion_fake.h"

namespace marey {
namespace {

// A motion that was broken off, with both of its records changed and sealed anew.
template <class Change>
std::string damaged(const fake::Folder& folder, Change change) {
  const std::string name = folder / "a.h5";
  {
    MotionFile file(name, Existing::replace);
    fake::run({}, file, [](const fake::State& s) { return s.frame == 50; });
  }
  const Layout layout = layout_of(open_motion(name));
  std::fstream file(name, std::ios::in | std::ios::out | std::ios::binary);
  for (std::uint64_t k = 0; k < 2; ++k) {
    Progress p;
    file.seekg(static_cast<std::streamoff>(layout.progress_record(k)));
    file.read(reinterpret_cast<char*>(&p), sizeof p);
    change(p);
    seal(p);
    file.seekp(static_cast<std::streamoff>(layout.progress_record(k)));
    file.write(reinterpret_cast<const char*>(&p), sizeof p);
  }
  return name;
}

template <class Work>
std::string complaint(Work work) {
  try {
    work();
    return "taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bad_input);
    return e.what();
  }
}

void expect_damaged(const std::string& said) { EXPECT_NE(said.find("is damaged"), std::string::npos) << said; }

}  // namespace

TEST(MotionDamage, WhatIsWholeGoesOn) {
  const fake::Folder folder;
  EXPECT_EQ(complaint([&] { MotionFile::resume(damaged(folder, [](Progress&) {})); }), "taken");
}

TEST(MotionDamage, ACheckpointAfterFramesThatAreNotThere) {
  const fake::Folder folder;
  for (const std::uint64_t frames : {std::uint64_t{10'000}, std::uint64_t{1} << 60})
    expect_damaged(
        complaint([&] { MotionFile::resume(damaged(folder, [&](Progress& p) { p.checkpoint_frames = frames; })); }));
}

TEST(MotionDamage, MoreFramesThanRoom) {
  const fake::Folder folder;
  const std::string file = damaged(folder, [](Progress& p) { p.frames = std::uint64_t{1} << 61; });
  expect_damaged(complaint([&] { read_motion(file); }));
  expect_damaged(complaint([&] { MotionFile::resume(file); }));
}

TEST(MotionDamage, ASummaryLongerThanItsRoom) {
  const fake::Folder folder;
  const std::string file = damaged(folder, [](Progress& p) { p.summary_bytes = std::uint64_t{1} << 50; });
  expect_damaged(complaint([&] { MotionFile::resume(file); }));
}

// A slow band that no int holds; the reader of numbers knows nothing of ranges.
TEST(MotionDamage, ASlowBandBeyondAllMeasure) {
  const fake::Folder folder;
  const std::string name = damaged(folder, [](Progress&) {});
  {
    const h5::Handle file{H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open"};
    const h5::Handle scene = h5::open_dataset(file, "marey/scene");
    const h5::Handle band{H5Aopen(scene, "slow_band", H5P_DEFAULT), H5Aclose, "open"};
    const double value = 1e15;
    h5::need(H5Awrite(band, H5T_NATIVE_DOUBLE, &value), "write");
  }
  expect_damaged(complaint([&] { read_motion_info(name); }));
}

}  // namespace marey
