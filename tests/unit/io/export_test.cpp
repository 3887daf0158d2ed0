// Tables of motions that are made on the way, on the screen and on disk.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "motion_fake.h"
#include "support/trouble.h"

namespace marey {
namespace export_test {
namespace {

namespace fs = std::filesystem;

using ::trouble::contents;

std::string complaint_of(const std::function<void()>& work, ErrorKind kind = ErrorKind::file_trouble) {
  return ::trouble::of(kind, work);
}

std::vector<std::string> files_in(const fake::Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}
using Names = std::vector<std::string>;

Motion made() {
  Motion m;
  m.file = "made.h5";
  m.channels = {{"time", "s", {""}, ""}, {"energy", "J", {""}, ""}, {"place", "m", {"x", "y"}, ""}};
  m.frames = 2;
  m.values = {{0, 0.5}, {7, -1e-300}, {1, 2, 3, 4}};
  return m;
}
const std::string table_of_all = "time [s],energy [J],place.x [m],place.y [m]\n0,7,1,2\n0.5,-1e-300,3,4\n";

TEST(ExportMade, WritesWhatIsChosenWithTheTimeFirst) {
  const fake::Folder folder;
  export_csv(made, folder / "all.csv", {});
  EXPECT_EQ(contents(folder / "all.csv"), table_of_all);
  const std::vector<std::string> y{"place.y"}, with_time{"place.x", "time"};
  export_csv(made, folder / "y.csv", y);
  EXPECT_EQ(contents(folder / "y.csv"), "time [s],place.y [m]\n0,2\n0.5,4\n");
  export_csv(made, folder / "x.csv", with_time);
  EXPECT_EQ(contents(folder / "x.csv"), "time [s],place.x [m]\n0,1\n0.5,3\n");
  EXPECT_EQ(files_in(folder), (Names{"all.csv", "x.csv", "y.csv"}));
}

TEST(ExportMade, GoesToTheScreen) {
  ::testing::internal::CaptureStdout();
  export_csv(made, "-", {});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), table_of_all);
  EXPECT_FALSE(fs::exists("-"));
}

TEST(ExportMade, IsRefusedBeforeAnythingIsMade) {
  const fake::Folder folder;
  std::ofstream(folder / "old.csv") << "old";
  const auto never = []() -> Motion {
    ADD_FAILURE() << "made all the same";
    return {};
  };
  EXPECT_EQ(complaint_of([&] { export_csv(never, folder / "old.csv", {}); }),
            "'" + (folder / "old.csv") + "' already exists. Choose another name with -o or replace it with --force");
  EXPECT_EQ(contents(folder / "old.csv"), "old");
  std::ofstream(folder / "run.h5", std::ios::binary) << "\x89HDF\r\n\x1a\n and more";
  EXPECT_EQ(complaint_of([&] { export_csv(never, folder / "run.h5", {}, Existing::replace); }),
            "'" + (folder / "run.h5") + "' is a motion, and is not replaced by a table. Choose another name with -o");
  EXPECT_EQ(complaint_of([&] { export_csv(never, "", {}); }, ErrorKind::bad_input), "the output has an empty name");
  EXPECT_EQ(complaint_of([&] { export_csv(never, folder / "", {}); }),
            "'" + (folder / "") + "' is a folder; the output must be a file");
  EXPECT_EQ(files_in(folder), (Names{"old.csv", "run.h5"}));
  std::ofstream(folder / "old.csv") << "time [s],energy [J]\n0,1\n";
  export_csv(made, folder / "old.csv", {}, Existing::replace);
  EXPECT_EQ(contents(folder / "old.csv"), table_of_all);
}

// With --force, too, a table takes the place of an earlier table or of nothing at all.
TEST(ExportMade, ReplacesTablesAlone) {
  const fake::Folder folder;
  const auto never = []() -> Motion {
    ADD_FAILURE() << "made all the same";
    return {};
  };
  const std::string end = ", and is not replaced by a table. Choose another name with -o";
  const std::pair<const char*, const char*> kept[] = {
      {"marey: 1\nduration: 1 s\n", "a scene"},
      {"# A scene with a head\nmarey: 1\n", "a scene"},
      {"subject,age\n1,34\n", "no earlier table (they begin with 'time [s]')"},
      {"time,x\n0,1\n", "no earlier table (they begin with 'time [s]')"}};
  for (const char* name : {"a.yaml", "a.csv"})
    for (const auto& [text, what] : kept) {
      std::ofstream(folder / name) << text;
      EXPECT_EQ(complaint_of([&] { export_csv(never, folder / name, {}, Existing::replace); }),
                "'" + (folder / name) + "' is " + what + end);
      EXPECT_EQ(contents(folder / name), text);
    }
  std::ofstream(folder / "empty.csv").close();
  export_csv(made, folder / "empty.csv", {}, Existing::replace);
  EXPECT_EQ(contents(folder / "empty.csv"), table_of_all);
}

// A file that comes to that name while the table is made stays, and nothing half done stays with it.
TEST(ExportMade, LeavesWhatCameMeanwhile) {
  const fake::Folder folder;
  const auto late = [&] {
    std::ofstream(folder / "t.csv") << "somebody else's";
    return made();
  };
  EXPECT_EQ(complaint_of([&] { export_csv(late, folder / "t.csv", {}); }),
            "cannot write '" + (folder / "t.csv") + "': File exists");
  EXPECT_EQ(contents(folder / "t.csv"), "somebody else's");
  EXPECT_EQ(files_in(folder), Names{"t.csv"});
}

TEST(ExportMade, NothingStaysOfWhatCannotBeChosen) {
  const fake::Folder folder;
  const std::vector<std::string> wrong{"plac"};
  EXPECT_EQ(complaint_of([&] { export_csv(made, folder / "t.csv", wrong); }, ErrorKind::bad_input),
            "'made.h5' records no channel 'plac'; did you mean 'place'?");
  EXPECT_EQ(files_in(folder), Names{});
}

// What is left of an earlier table under the unfinished name does not show through.
TEST(ExportMade, BeginsAnew) {
  const fake::Folder folder;
  std::ofstream(folder / "t.csv.tmp") << std::string(1000, 'x');
  export_csv(made, folder / "t.csv", {});
  EXPECT_EQ(contents(folder / "t.csv"), table_of_all);
}

TEST(ExportMade, LongTablesAreWhole) {
  const fake::Folder folder;
  Motion m = made();
  m.channels.resize(2);
  m.frames = 100'000;
  m.values.assign(2, {});
  std::string expected = "time [s],energy [J]\n";
  for (std::size_t f = 0; f < m.frames; ++f) {
    m.values[0].push_back(static_cast<double>(f)), m.values[1].push_back(static_cast<double>(2 * f));
    expected += std::to_string(f) + "," + std::to_string(2 * f) + "\n";
  }
  ASSERT_GT(expected.size(), std::size_t{1} << 20);  // more than is written at once
  export_csv([&] { return m; }, folder / "t.csv", {});
  EXPECT_TRUE(contents(folder / "t.csv") == expected);
}

TEST(ExportMade, QuotesHeadingsThatNeedIt) {
  const fake::Folder folder;
  Motion m = made();
  m.channels.resize(1), m.values.resize(1), m.frames = 1;
  m.channels.push_back({"a,b", "", {""}, ""}), m.channels.push_back({"the \"tip\"", "m", {""}, ""});
  m.channels.push_back({"plain", "", {""}, ""});
  m.values = {{0}, {1}, {2}, {3}};
  export_csv([&] { return m; }, folder / "t.csv", {});
  EXPECT_EQ(contents(folder / "t.csv"), "time [s],\"a,b\",\"the \"\"tip\"\" [m]\",plain\n0,1,2,3\n");
}

TEST(ExportFormats, FormatsAreFoundByNameOrExtension) {
  EXPECT_STREQ(exporter_for("csv", "x.jsn").format, "csv");
  EXPECT_STREQ(exporter_for("", "x.csv").format, "csv");
  for (const char* output : {"-", "x", "folder.d/x"}) EXPECT_STREQ(exporter_for("", output).format, "csv") << output;
  const std::string said = complaint_of([] { exporter_for("", "x.jsn"); }, ErrorKind::bad_input);
  EXPECT_EQ(said.substr(0, said.find(";")), "found the extension '.jsn' of the output, which no format has");
  EXPECT_NE(said.find(".csv"), std::string::npos) << said;
}

// What no text was made of holds no scene; what holds a broken one is itself to blame.
TEST(ExportFormats, MotionsWithoutASceneSaySo) {
  MotionInfo info;
  info.file = "mine.h5";
  EXPECT_EQ(complaint_of([&] { scene_of(info); }, ErrorKind::bad_input).substr(0, 29), "mine.h5: holds no scene: it w");
  info.scene_file = "gallery/sound.yaml", info.scene_text = "marey: 1\ndurration: 1 s\n";
  EXPECT_EQ(complaint_of([&] { scene_of(info); }, ErrorKind::bad_input).substr(0, 59),
            "mine.h5: the scene in it cannot be read: gallery/sound.yaml");
}

}  // namespace
}  // namespace export_test
}  // namespace marey
