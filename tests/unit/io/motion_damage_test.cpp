// Motions whose records are whole and speak of what is not there: refused as damaged, before anything is written to them.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "io/motion/layout.h"
#include "io/motion/read.h"
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
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
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

TEST(MotionDamage, ItemsThatAreNotThere) {
  const fake::Folder folder;
  const std::string file = damaged(folder, [](Progress& p) { p.items[0] = std::uint64_t{1} << 58; });
  expect_damaged(complaint([&] { read_items(file, "touches"); }));
  expect_damaged(complaint([&] { MotionFile::resume(file); }));
  // Frames that count more items than there are.
  const std::string fewer = damaged(folder, [](Progress& p) { p.items[0] = 1; });
  expect_damaged(complaint([&] { read_items(fewer, "touches"); }));
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

// Each number of a record by one too many, and as many as there may be.
TEST(MotionDamage, RecordsAreHeldAgainstTheirRoom) {
  const fake::Folder folder;
  Room room;
  {
    const std::string whole = damaged(folder, [](Progress&) {});
    room = layout_of(open_motion(whole)).room;
  }
  const auto said = [&](auto change) {
    const std::string name = damaged(folder, change);
    return complaint([&] { layout_of(open_motion(name)); });
  };
  const std::string why = "'" + (folder / "a.h5") + "' is damaged: HDF5 could not find what the progress speaks of";
  EXPECT_EQ(said([&](Progress& p) { p.frames = room.frames; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.frames = room.frames + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_frames = p.frames; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_frames = p.frames + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_slot = 0; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_slot = 2; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_slot = 3; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_bytes = room.checkpoint; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_bytes = room.checkpoint + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.summary_bytes = room.summary; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.summary_bytes = room.summary + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.items[0] = room.items[0]; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.items[0] = room.items[0] + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_items[0] = p.items[0]; }), "taken");
  EXPECT_EQ(said([&](Progress& p) { p.checkpoint_items[0] = p.items[0] + 1; }), why);
  EXPECT_EQ(said([&](Progress& p) { p.end = 4; }),
            "'" + (folder / "a.h5") + "' is damaged: HDF5 could not read the progress");
}

TEST(MotionDamage, AFormatOfLaterDays) {
  const fake::Folder folder;
  const std::string name = damaged(folder, [](Progress&) {});
  const auto with_version = [&](double version) {
    {
      const h5::Handle file{H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open"};
      const h5::Handle format{H5Aopen(file, "format_version", H5P_DEFAULT), H5Aclose, "open"};
      h5::need(H5Awrite(format, H5T_NATIVE_DOUBLE, &version), "write");
    }
    return complaint([&] { read_motion_info(name); });
  };
  EXPECT_EQ(with_version(2), "taken");
  EXPECT_EQ(with_version(3),
            "'" + name + "' has the motion format 3; this program (" + std::string(version) + ") knows up to 2");
  expect_damaged(with_version(1));  // it is not what it says
  expect_damaged(with_version(0));
}

TEST(MotionDamage, WhatIsNoFile) {
  const fake::Folder folder;
  std::ofstream(folder / "plain") << "x";
  for (const std::string& name : {folder / "none", folder / "plain/none"})
    EXPECT_EQ(complaint([&] { read_motion(name); }), "there is no motion '" + name + "'");
  EXPECT_EQ(complaint([&] { read_motion("/dev/null"); }), "'/dev/null' is not a plain file; expected a motion");
  std::filesystem::create_symlink("loop", folder / "loop");  // leads to itself
  try {
    read_motion(folder / "loop");
    ADD_FAILURE() << "taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::file_trouble);
    EXPECT_EQ(e.what(), "cannot open '" + (folder / "loop") + "': Too many levels of symbolic links");
  }
}

}  // namespace marey
