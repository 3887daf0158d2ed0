// Motions written, read back, searched, refused, gone on with.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "motion_fake.h"

namespace marey {
namespace {

using fake::Folder, fake::Plan;

std::string message_of(const std::function<void()>& work, ErrorKind code) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void write_motion(const std::string& name, const Plan& plan = {}, Existing existing = Existing::refuse) {
  MotionFile file(name, existing);
  fake::run(plan, file);
}

std::string contents(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// ----------------------------------------------------------------------------------------------- reading back
TEST(Motion, ReadsBackWhatWasWritten) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const Motion m = read_motion(folder / "run.h5");
  const MotionHeader h = fake::header();
  EXPECT_EQ(m.frames, 200u);
  EXPECT_EQ(m.values, fake::expected_values(200));
  const MotionItems items = read_items(folder / "run.h5", "touches");
  EXPECT_EQ(items.numbers, fake::expected_items(200).numbers);
  EXPECT_EQ(items.ends, fake::expected_items(200).ends);
  EXPECT_EQ(items.list.fields[1].columns, h.lists[0].fields[1].columns);
  EXPECT_EQ(items.list.fields[1].unit, "m");
  EXPECT_EQ(items.list.meaning, "any number of them");
  EXPECT_EQ(m.end, MotionEnd::done);
  EXPECT_EQ(m.summary, fake::summary);
  EXPECT_EQ(m.title, h.scene.title);
  EXPECT_EQ(m.source, h.scene.source);
  EXPECT_EQ(m.scene_file, h.scene.file);
  EXPECT_EQ(m.scene_text, h.scene.text);
  EXPECT_EQ(m.program_version, h.program_version);
  EXPECT_EQ(difference(m, h.scene), "");
  ASSERT_EQ(m.channels.size(), h.channels.size());
  for (std::size_t c = 0; c < m.channels.size(); ++c) {
    EXPECT_EQ(m.channels[c].name, h.channels[c].name);
    EXPECT_EQ(m.channels[c].unit, h.channels[c].unit);
    EXPECT_EQ(m.channels[c].columns, h.channels[c].columns);
    EXPECT_EQ(m.channels[c].meaning, h.channels[c].meaning);
  }
  const auto checkpoint = last_checkpoint(folder / "run.h5");
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->frames, 196u);
  fake::State state;
  while (state.frame < 196) fake::next_row(state);
  EXPECT_EQ(checkpoint->bytes, fake::checkpoint_of(state, {}).bytes);
  EXPECT_EQ(checkpoint->t, fake::checkpoint_of(state, {}).t);
}

TEST(Motion, KeepsNumbersThatAreNoNumbers) {
  const Folder folder;
  MotionFile file(folder / "run.h5");
  file.begin(fake::header());
  const std::vector<double> row{0, NAN, INFINITY, -0.0, 5e-324, 1, 0, 0, 0};
  file.frame(row);
  file.finish(fake::summary);
  const Motion m = read_motion(folder / "run.h5");
  EXPECT_TRUE(std::isnan(m.values[1][0]));
  EXPECT_EQ(m.values[2][0], INFINITY);
  EXPECT_TRUE(std::signbit(m.values[2][1]));
  EXPECT_EQ(m.values[2][2], 5e-324);
}

// A run that is as long as it says never has its file copied into a larger one.
TEST(Motion, HasRoomForAllThatWasPromised) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  const Plan plan{.frames = 20, .duration = 19};
  MotionFile file(name);
  file.begin(fake::header(plan));
  const auto write = [&](fake::State& state) {
    file.frame(fake::next_row(state));
    file.checkpoint({static_cast<double>(state.frame), state.frame, std::vector<std::byte>(64)});
    struct stat about {};
    EXPECT_EQ(::stat(name.c_str(), &about), 0);
    return about.st_ino;
  };
  fake::State state;
  const auto first = write(state);
  while (state.frame < plan.frames) EXPECT_EQ(write(state), first) << state.frame;
}

// Any tool finds the channels of a kind in one dataset, with no more rows than were recorded.
TEST(Motion, IsPlainHdf5) {
  const Folder folder;
  write_motion(folder / "run.h5", {.frames = 50});  // fewer than promised
  const hid_t file = H5Fopen((folder / "run.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t dataset = H5Dopen2(file, "/link/position", H5P_DEFAULT);
  ASSERT_GE(dataset, 0);
  const hid_t space = H5Dget_space(dataset);
  hsize_t dims[3] = {};
  EXPECT_EQ(H5Sget_simple_extent_dims(space, dims, nullptr), 3);
  EXPECT_EQ(dims[0], 50u);
  EXPECT_EQ(dims[1], 1u);
  EXPECT_EQ(dims[2], 3u);
  EXPECT_GT(H5Lexists(file, "/link/names", H5P_DEFAULT), 0);
  EXPECT_GT(H5Aexists(dataset, "names"), 0);
  EXPECT_GT(H5Aexists(dataset, "unit"), 0);
  EXPECT_GT(H5Aexists(dataset, "meaning"), 0);
  H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
}

TEST(Motion, GrowsBeyondWhatWasPromised) {
  const Folder folder;
  write_motion(folder / "run.h5", {.frames = 5000, .checkpoint_every = 500, .duration = 3});
  EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(5000));
  write_motion(folder / "big.h5", {.frames = 20, .checkpoint_size = 1 << 20});
  EXPECT_EQ(last_checkpoint(folder / "big.h5")->bytes.size(), (1u << 20) + 14);
  EXPECT_EQ(read_motion(folder / "big.h5").values, fake::expected_values(20));
}

TEST(Motion, HoldsALongSummary) {
  const Folder folder;
  const std::string summary = "{\"warnings\": [\"" + std::string(200000, 'w') + "\"]}";
  MotionFile file(folder / "run.h5");
  file.begin(fake::header());
  file.finish(summary);
  EXPECT_EQ(read_motion_info(folder / "run.h5").summary, summary);
  EXPECT_EQ(read_motion_info(folder / "run.h5").frames, 0u);
}

TEST(Motion, IsReadableWhileItIsWritten) {
  const Folder folder;
  MotionFile file(folder / "run.h5");
  fake::run({}, file, [&](const fake::State& state) {
    if (state.frame % 7 == 0) {
      EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(state.frame));
    }
    return false;
  });
}

TEST(Motion, SavesWhatIsThereWhenNobodyFinishes) {
  const Folder folder;
  {
    MotionFile file(folder / "run.h5");
    file.begin(fake::header());
    fake::State state;
    for (int i = 0; i < 5; ++i) file.frame(fake::next_row(state));
  }
  EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(5));
  EXPECT_EQ(read_motion_info(folder / "run.h5").end, MotionEnd::open);
  { const MotionFile unused(folder / "unused.h5"); }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

TEST(Motion, KnowsHowItsRunEnded) {
  const Folder folder;
  const std::pair<const char*, MotionEnd> cases[] = {
      {R"({"interrupted": false, "breakdown": null})", MotionEnd::done},
      {R"({"interrupted": true, "breakdown": null})", MotionEnd::interrupted},
      {R"({"interrupted": false, "breakdown": "at t = 1 s: the \"tip\" broke"})", MotionEnd::broke_down},
      {"{}", MotionEnd::done}};
  for (const auto& [summary, end] : cases) {
    MotionFile file(folder / "run.h5", Existing::replace);
    file.begin(fake::header());
    file.finish(summary);
    EXPECT_EQ(read_motion_info(folder / "run.h5").end, end) << summary;
  }
}

// ----------------------------------------------------------------------------------------------- searching
TEST(MotionQuery, FindsColumnsByName) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const Motion m = read_motion(folder / "run.h5");
  const auto values = fake::expected_values(200);
  EXPECT_EQ(m.column("link/finger.tip/position.z")[3], values[2][3 * 3 + 2]);
  EXPECT_EQ(m.column("energy/kinetic"), values[1]);
  EXPECT_EQ(m.at(2, 3)[2], values[2][11]);
  EXPECT_EQ(m.frame_near(17.4), 17u);
  EXPECT_EQ(m.frame_near(17.6), 18u);
  EXPECT_EQ(m.frame_near(-5), 0u);
  EXPECT_EQ(m.frame_near(1e9), 199u);
  const auto miss = [&](const std::string& name) {
    return message_of([&] { (void)m.column(name); }, ErrorKind::bad_input);
  };
  EXPECT_TRUE(contains(miss("link/finger.tip/positon.z"), "did you mean 'link/finger.tip/position.z'?"));
  EXPECT_TRUE(contains(miss("energy/kinetc"), "did you mean 'energy/kinetic'?"));
  EXPECT_TRUE(contains(miss("link/finger.tip/position"), "choose one: link/finger.tip/position.x, .y, .z"));
  EXPECT_FALSE(contains(miss("qqqqqqqqqqqqqqqqqqqqqqq"), "did you mean"));
}

TEST(MotionQuery, SelectsByPattern) {
  const MotionHeader h = fake::header();
  MotionInfo info;
  info.channels = h.channels;
  using List = std::vector<std::size_t>;
  const auto select = [&](std::vector<std::string> patterns) { return select_channels(info, patterns); };
  EXPECT_EQ(select({"energy/kinetic"}), (List{1}));
  EXPECT_EQ(select({"link/*/position"}), (List{2}));
  EXPECT_EQ(select({"link", "time"}), (List{0, 2, 3}));
  EXPECT_EQ(select({"link/finger.tip"}), (List{2, 3}));
  EXPECT_EQ(select({"*/*/*"}), (List{2, 3}));
  message_of([&] { select({"link/finger"}); }, ErrorKind::bad_input);
  message_of([&] { select({""}); }, ErrorKind::bad_input);
  const std::string said = message_of([&] { select({"link/finger.tpi"}); }, ErrorKind::bad_input);
  EXPECT_TRUE(contains(said, "did you mean 'link/finger.tip'?")) << said;  // groups are offered, too
}

TEST(MotionQuery, ReadsOnlyWhatIsAskedFor) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const std::vector<std::string> patterns{"link/*/position"};
  const Motion m = read_motion(folder / "run.h5", patterns);
  EXPECT_EQ(m.time().size(), 200u);
  EXPECT_EQ(m.values[2].size(), 600u);
  EXPECT_TRUE(m.values[1].empty());
}

TEST(MotionExport, WritesNumbersThatReadBack) {
  const Folder folder;
  write_motion(folder / "run.h5", {.frames = 3});
  const std::vector<std::string> patterns{"link/*/position", "energy"};
  export_csv(folder / "run.h5", folder / "run.csv", patterns);
  std::ifstream in(folder / "run.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line,
            "time [s],energy/kinetic [J],link/finger.tip/position.x [m],link/finger.tip/position.y [m],"
            "link/finger.tip/position.z [m]");
  const auto values = fake::expected_values(3);
  for (std::size_t f = 0; f < 3; ++f) {
    double t = 0, e = 0, x = 0, y = 0, z = 0;
    ASSERT_TRUE(std::getline(in, line));
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf", &t, &e, &x, &y, &z), 5);
    EXPECT_EQ(t, values[0][f]);
    EXPECT_EQ(e, values[1][f]);
    EXPECT_EQ(z, values[2][3 * f + 2]);
  }
  EXPECT_FALSE(std::getline(in, line));
  message_of([&] { export_csv(folder / "run.h5", folder / "run.csv", {}); }, ErrorKind::file_trouble);
  export_csv(folder / "run.h5", folder / "run.csv", {}, Existing::replace);
  EXPECT_TRUE(contains(contents(folder / "run.csv"), "orientation.w,"));
}

// A channel of mixed units has one unit in the heading of each column.
TEST(MotionExport, OneUnitAColumnAndColumnsByName) {
  const Folder folder;
  MotionHeader h = fake::header();
  h.channels[3] = {"joint/finger.tip/velocity", "rad/s, m/s", {"wx", "wy", "vx", "vy"}, "of a joint"};
  {
    MotionFile file(folder / "run.h5");
    file.begin(h);
    file.frame(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8});
    file.finish("{}");
  }
  EXPECT_EQ(unit_of({"constraints/error", "m, rad", {""}, ""}, 0), "m or rad");
  const auto table = [&](const std::vector<std::string>& patterns) {
    export_csv(folder / "run.h5", folder / "run.csv", patterns, Existing::replace);
    return contents(folder / "run.csv");
  };
  EXPECT_EQ(table({"joint"}),
            "time [s],joint/finger.tip/velocity.wx [rad/s],joint/finger.tip/velocity.wy [rad/s],"
            "joint/finger.tip/velocity.vx [m/s],joint/finger.tip/velocity.vy [m/s]\n0,5,6,7,8\n");
  EXPECT_EQ(table({"link/finger.tip/position.z", "joint/*/velocity.wy"}),
            "time [s],link/finger.tip/position.z [m],joint/finger.tip/velocity.wy [rad/s]\n0,4,6\n");
  EXPECT_EQ(std::ranges::count(table({}), ','), 16);
  const std::string said = message_of([&] { table({"link/finger.tip/position.w"}); }, ErrorKind::bad_input);
  EXPECT_TRUE(contains(said, "did you mean 'link/finger.tip/position.")) << said;
}

// ----------------------------------------------------------------------------------------------- refusing
TEST(MotionRefuses, WhatIsNoMotion) {
  const Folder folder;
  const auto refusal = [&](const std::string& name) {
    return message_of([&] { read_motion(folder / name); }, ErrorKind::bad_input);
  };
  EXPECT_TRUE(contains(refusal("missing.h5"), "there is no motion"));
  EXPECT_TRUE(contains(refusal(""), "is a folder"));
  std::ofstream(folder / "empty.h5").close();
  EXPECT_TRUE(contains(refusal("empty.h5"), "is empty"));
  std::ofstream(folder / "text.h5") << "marey: 1\n";
  EXPECT_TRUE(contains(refusal("text.h5"), "no HDF5 file"));
  H5Fclose(H5Fcreate((folder / "foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_TRUE(contains(refusal("foreign.h5"), "not a motion of Marey"));
}

TEST(MotionRefuses, FilesCutShort) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const std::string whole = contents(folder / "run.h5");
  for (std::size_t size = 1; size < whole.size(); size += 397) {
    std::ofstream(folder / "cut.h5", std::ios::binary) << whole.substr(0, size);
    message_of([&] { read_motion(folder / "cut.h5"); }, ErrorKind::bad_input);
  }
}

// Bytes turned over at random must lead to an error or to numbers, never to a crash.
TEST(MotionRefuses, FilesThatRotted) {
  const Folder folder;
  write_motion(folder / "run.h5", {.frames = 4, .duration = 3});
  const std::string whole = contents(folder / "run.h5");
  std::uint64_t seed = 7;
  for (int i = 0; i < 200; ++i) {
    std::string bad = whole;
    for (int k = 0; k < 3; ++k) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      bad[(seed >> 20) % bad.size()] ^= static_cast<char>(1 << (seed >> 60) % 8);
    }
    std::ofstream(folder / "bad.h5", std::ios::binary) << bad;
    try {
      read_motion(folder / "bad.h5");
      last_checkpoint(folder / "bad.h5");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    }
  }
}

TEST(MotionRefuses, OutputsThatCannotBe) {
  const Folder folder;
  const auto refusal = [&](const std::string& name, ErrorKind code = ErrorKind::file_trouble) {
    return message_of([&] { const MotionFile file(name); }, code);
  };
  EXPECT_TRUE(contains(refusal(folder / ""), "is a folder"));
  EXPECT_TRUE(contains(refusal(folder / "no/run.h5"), "there is no folder"));
  EXPECT_TRUE(contains(refusal("/dev/full"), "not a plain file"));
  // The file is first made as run.h5.tmp, which is nothing the user asked for.
  EXPECT_TRUE(contains(refusal("/proc/run.h5"), "cannot write to '/proc/run.h5'"));
  refusal("", ErrorKind::bad_input);
}

TEST(MotionRefuses, ChannelsThatAreNoPath) {
  const Folder folder;
  const auto refusal = [&](std::vector<Channel> channels) {
    MotionHeader h = fake::header();
    h.channels = std::move(channels);
    MotionFile file(folder / "run.h5");
    return message_of([&] { file.begin(h); }, ErrorKind::bad_input);
  };
  const Channel time{"time", "s", {""}, ""};
  refusal({});
  refusal({{"energy", "J", {""}, ""}});
  EXPECT_TRUE(contains(refusal({time, time}), "two of that name"));
  EXPECT_TRUE(contains(refusal({time, {"a/b", "", {""}, ""}, {"a", "", {""}, ""}}), "also a group"));
  for (const char* name : {"", "/a", "a/", "a//b", "a/./b", "marey/scene"}) refusal({time, {name, "", {""}, ""}});
  EXPECT_TRUE(contains(refusal({time, {"a", "", {}, ""}}), "no columns"));
}

// ----------------------------------------------------------------------------------------------- older files
TEST(MotionExisting, IsRefusedUnlessAskedOtherwise) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const std::string before = contents(folder / "run.h5");
  const std::string why = message_of([&] { write_motion(folder / "run.h5"); }, ErrorKind::file_trouble);
  EXPECT_TRUE(contains(why, "--force")) << why;
  EXPECT_EQ(contents(folder / "run.h5"), before);
}

TEST(MotionExisting, IsReplacedOnlyWhenItIsAMotion) {
  const Folder folder;
  std::ofstream(folder / "notes.h5") << "milk, bread";
  const auto write_over = [&](const char* name) { MotionFile(folder / name, Existing::replace); };
  message_of([&] { write_over("notes.h5"); }, ErrorKind::file_trouble);
  EXPECT_EQ(contents(folder / "notes.h5"), "milk, bread");
  std::ofstream(folder / "empty.h5").close();
  write_over("empty.h5");
  write_motion(folder / "run.h5");
  write_over("run.h5");
  const auto export_over = [&] { export_csv(folder / "run.h5", folder / "run.h5", {}, Existing::replace); };
  message_of(export_over, ErrorKind::file_trouble);
  EXPECT_GT(read_motion(folder / "run.h5").frames, 0u);
}

TEST(MotionExisting, GivesWayOnlyToFramesOnDisk) {
  const Folder folder;
  write_motion(folder / "run.h5");
  const std::string before = contents(folder / "run.h5");
  {
    MotionFile file(folder / "run.h5", Existing::replace);
    file.begin(fake::header());
    EXPECT_EQ(contents(folder / "run.h5"), before);
  }
  EXPECT_EQ(contents(folder / "run.h5"), before);
  MotionFile file(folder / "run.h5", Existing::replace);
  fake::run({.frames = 30}, file);
  EXPECT_EQ(file.displaced(), "");
  EXPECT_EQ(read_motion(folder / "run.h5").frames, 30u);
}

TEST(MotionExisting, CanBeKeptAsPrevious) {
  const Folder folder;
  for (const std::size_t frames : {10, 20, 30}) {
    MotionFile file(folder / "run.h5", Existing::keep_previous);
    fake::run({.frames = frames}, file);
    EXPECT_EQ(file.displaced().value_or("none"), frames > 10 ? folder / "run.previous.h5" : "none");
  }
  EXPECT_EQ(read_motion(folder / "run.h5").frames, 30u);
  EXPECT_EQ(read_motion(folder / "run.previous.h5").frames, 20u);
}

TEST(MotionExisting, IsSafeFromASecondRun) {
  const Folder folder;
  MotionFile first(folder / "run.h5");
  const auto refused = [&](const std::function<void()>& work) {
    EXPECT_TRUE(contains(message_of(work, ErrorKind::file_trouble), "another run"));
  };
  refused([&] { const MotionFile second(folder / "run.h5"); });
  fake::run({}, first, [&](const fake::State& state) {
    if (state.frame == 100) {
      refused([&] { const MotionFile second(folder / "run.h5", Existing::replace); });
      refused([&] { MotionFile::resume(folder / "run.h5"); });
    }
    return false;
  });
  EXPECT_EQ(read_motion(folder / "run.h5").values, fake::expected_values(200));
}

TEST(MotionExisting, IsWrittenThroughALink) {
  const Folder folder;
  write_motion(folder / "real.h5");
  std::filesystem::create_symlink("real.h5", folder / "link.h5");
  write_motion(folder / "link.h5", {.frames = 9}, Existing::replace);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.h5"));
  EXPECT_EQ(read_motion_info(folder / "real.h5").frames, 9u);
}

// ----------------------------------------------------------------------------------------------- going on
TEST(MotionResume, EndsWithTheSameNumbers) {
  const Folder folder;
  for (const std::size_t stop_at : {1, 6, 7, 8, 100, 195, 199}) {
    const std::string name = folder / ("run" + std::to_string(stop_at) + ".h5");
    {
      MotionFile file(name);
      fake::run({}, file, [&](const fake::State& state) { return state.frame == stop_at; });
    }
    EXPECT_EQ(read_motion_info(name).end, MotionEnd::interrupted);
    EXPECT_EQ(read_motion(name).values, fake::expected_values(stop_at));
    MotionFile file = MotionFile::resume(name);
    EXPECT_EQ(file.from().has_value(), stop_at >= 7);
    fake::run({}, file);
    const Motion m = read_motion(name);
    EXPECT_EQ(m.values, fake::expected_values(200));
    EXPECT_EQ(m.end, MotionEnd::done);
    EXPECT_EQ(m.summary, fake::summary);
    EXPECT_EQ(last_checkpoint(name)->frames, 196u);
  }
}

TEST(MotionResume, RefusesAnotherRunAndLeavesTheFileAlone) {
  const Folder folder;
  const std::string name = folder / "run.h5";
  {
    MotionFile file(name);
    fake::run({}, file, [](const fake::State& state) { return state.frame == 100; });
  }
  const std::string before = contents(name);
  const auto refusal = [&](const std::function<void(MotionHeader&)>& change) {
    MotionHeader h = fake::header();
    change(h);
    MotionFile file = MotionFile::resume(name);
    return message_of([&] { file.begin(h); }, ErrorKind::bad_input);
  };
  const auto expect = [&](const char* part, const std::function<void(MotionHeader&)>& change) {
    const std::string why = refusal(change);
    EXPECT_TRUE(contains(why, part)) << why;
  };
  expect("line 2: 'title: Another' was 'title: A fake'",
         [](MotionHeader& h) { h.scene.text = "marey: 1\ntitle: Another\n"; });
  expect("duration of 199 s, now it is 300 s", [](MotionHeader& h) { h.scene.duration = 300; });
  expect("frame every 1 s, now it is 2 s", [](MotionHeader& h) { h.scene.record.every = 2; });
  expect("armstrong", [](MotionHeader& h) { h.scene.solver.dynamics = Dynamics::aba; });
  expect("semi", [](MotionHeader& h) { h.scene.solver.integrator = Integrator::rk4; });
  expect("step of 0.01 s, now it is 0.02 s", [](MotionHeader& h) { h.scene.solver.step = 0.02; });
  expect("slow band", [](MotionHeader& h) { h.scene.solver.slow_band = 3; });
  expect("spread", [](MotionHeader& h) { h.scene.solver.spread = false; });
  expect("reuse of factors", [](MotionHeader& h) { h.scene.solver.reuse = 0.01; });
  expect("joints welded on the fly", [](MotionHeader& h) { h.scene.solver.weld.emplace(); });
  expect("version 0.1.0", [](MotionHeader& h) { h.program_version = "0.2.0"; });
  expect("other channels", [](MotionHeader& h) { h.channels.pop_back(); });
  expect("other channels", [](MotionHeader& h) { h.lists.clear(); });
  expect("other channels chosen to be recorded (all, now energy)",
         [](MotionHeader& h) { h.scene.record.channels = {"energy"}; });
  EXPECT_EQ(contents(name), before);
}

// What was run could be run: a motion stays readable when scenes are looked at more strictly than when it was made.
TEST(MotionResume, ARecordedSceneIsNotAskedAgainWhetherItCanRun) {
  const std::string head = "marey: 1\nduration: 1 s\n",
                    ball = "ball: {links: {body: {shape: {sphere: 5 cm}, mass: 1 kg}}}",
                    bar = "arm: {links: {bar: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}}}";
  const std::string scenes[] = {
      head + "figures: {" + ball +
          "}\nconstraints: [{path: {b: ball.body, points: [[0, 0, 0], [1 m, 1 m, 0], [1 m, 0, 0], [0, 1 m, 0]]}}]\n",
      head + "figures: {" + bar + "}\nconstraints: [{follow: {joint: arm.bar, angle: 0.5}}]\n",
      head + "start: equilibrium\nfigures: {" + bar + "}\ndrives: [{joint: arm.bar, acceleration: 5 rad/s^2}]\n",
      head + "solver: {dynamics: multipliers, stabilisation: baumgarte, stabilisation_time: 0.1 ms}\nfigures: {" + bar +
          "}\n"};
  for (const std::string& text : scenes) {
    MotionInfo info;
    info.scene_text = text, info.scene_file = "old.yaml";
    info.duration = 0.5, info.record.every = 0.1;
    if (text == scenes[3]) info.solver.dynamics = Dynamics::multipliers;
    EXPECT_THROW(parse_scene(text, "old.yaml"), Error) << text;
    try {
      EXPECT_EQ(scene_of(info).duration, 0.5);
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

TEST(MotionResume, RefusesWhatIsFinishedOrMissing) {
  const Folder folder;
  write_motion(folder / "run.h5");
  EXPECT_TRUE(contains(message_of([&] { MotionFile::resume(folder / "run.h5"); }, ErrorKind::bad_input), "finished"));
  message_of([&] { MotionFile::resume(folder / "missing.h5"); }, ErrorKind::bad_input);
}

}  // namespace
}  // namespace marey
