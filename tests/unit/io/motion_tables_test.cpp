// How channels stand together in the datasets of a motion, and what a file costs.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "io/motion/read.h"
#include "io/motion/tables.h"
#include "motion_fake.h"

namespace marey::motion_tables_test {

const std::vector<std::string> xyz{"x", "y", "z"};

// A hinge and a ball, a particle without attitude, elements, and channels that stand alone.
std::vector<Channel> of_all_sorts() {
  return {{"time", "s", {""}, "since the start"},
          {"energy/kinetic", "J", {""}, "of all links"},
          {"momentum/linear", "kg m/s", xyz, "of all links"},
          {"link/a/position", "m", xyz, "p_WoBo_W"},
          {"link/a/spin", "rad/s", xyz, "w_WB"},
          {"link/b.c/position", "m", xyz, "p_WoBo_W"},
          {"link/b.c/spin", "rad/s", xyz, "w_WB"},
          {"link/dust/position", "m", xyz, "p_WoBo_W"},
          {"joint/a/angle", "rad", {""}, "the joint's coordinate"},
          {"joint/a/force", "N", xyz, "by its parent"},
          {"joint/b.c/angle", "rad", xyz, "Euler angles"},
          {"joint/b.c/force", "N", xyz, "by its parent"},
          {"contact/b.c/floor/gap", "m", {""}, "height"},
          {"element/wind/work", "J", {""}, "work of the element's forces"},
          {"element/spring/work", "J", {""}, "work put in"}};
}

const Table& table_at(const Tables& tables, const std::string& path) {
  for (const Table& t : tables.all)
    if (t.path == path) return t;
  throw std::runtime_error("no table " + path);
}
const std::vector<std::string>& labels_at(const Tables& tables, const std::string& path) {
  for (const LabelList& l : tables.lists)
    if (l.path == path) return l.labels;
  throw std::runtime_error("no list " + path);
}
using Sizes = std::vector<std::size_t>;
using Words = std::vector<std::string>;

TEST(MotionTables, OneForEveryKind) {
  const Tables tables = tables_of(of_all_sorts());
  EXPECT_EQ(tables.all.size(), 9u);
  EXPECT_EQ(tables.table_of.size(), 15u);
  EXPECT_EQ(table_at(tables, "time").extents(), Sizes{});
  EXPECT_EQ(table_at(tables, "momentum/linear").extents(), Sizes{3});
  EXPECT_EQ(table_at(tables, "link/position").extents(), (Sizes{3, 3}));
  EXPECT_EQ(table_at(tables, "link/position").pattern, "link/*/position");
  EXPECT_EQ(table_at(tables, "link/spin").extents(), (Sizes{2, 3}));
  EXPECT_EQ(table_at(tables, "joint/angle").extents(), Sizes{4});  // columns of a hinge and of a ball
  EXPECT_EQ(table_at(tables, "contact/gap").extents(), Sizes{1});
  EXPECT_EQ(table_at(tables, "element/work").extents(), Sizes{2});
  EXPECT_EQ(table_at(tables, "element/work").kinds.size(), 2u);
}

// Those that have all members share the list of the group; others have one of their own.
TEST(MotionTables, LabelsStandOnce) {
  const Tables tables = tables_of(of_all_sorts());
  EXPECT_EQ(table_at(tables, "link/position").labels_at, "link/names");
  EXPECT_EQ(labels_at(tables, "link/names"), (Words{"a", "b.c", "dust"}));
  EXPECT_EQ(labels_at(tables, table_at(tables, "link/spin").labels_at), (Words{"a", "b.c"}));
  EXPECT_EQ(table_at(tables, "joint/force").labels_at, "joint/names");
  EXPECT_EQ(table_at(tables, "joint/angle").labels_at, "joint/angle.names");
  EXPECT_EQ(labels_at(tables, "joint/angle.names"), (Words{"a", "b.c.x", "b.c.y", "b.c.z"}));
  EXPECT_EQ(labels_at(tables, "contact/names"), Words{"b.c/floor"});
}

// A kind that is called like something of Marey's own, or like a channel that stands alone, moves aside.
TEST(MotionTables, PathsAreNobodyElses) {
  const std::vector<Channel> channels{{"time", "s", {""}, ""},           {"link/a/names", "m", {""}, ""},
                                      {"link/a/position", "m", xyz, ""}, {"link/position", "m", xyz, "of all"},
                                      {"list/a/items", "", {""}, ""},    {"list/a/angle.kinds", "", {""}, ""},
                                      {"list/a/angle", "", {""}, ""},    {"list/b/angle", "m", {""}, ""}};
  const Tables tables = tables_of(channels, {"list/items"});
  std::set<std::string> paths{"list/items"};
  for (const Table& t : tables.all) {
    EXPECT_TRUE(paths.insert(t.path).second) << t.path;
    EXPECT_TRUE(t.kinds_at.empty() || paths.insert(t.kinds_at).second) << t.kinds_at;
  }
  for (const LabelList& l : tables.lists) EXPECT_TRUE(paths.insert(l.path).second) << l.path;
  EXPECT_EQ(table_at(tables, "link/position").pattern, "link/position");
}

// Whatever a row is made of reads back under the same names, in the same order.
TEST(MotionTables, ChannelsReadBackAsTheyWere) {
  const fake::Folder folder;
  MotionHeader header = fake::header();
  header.channels = of_all_sorts();
  for (int i = 0; i < 3; ++i)  // names that are taken, and kinds that differ
    header.channels.push_back({"link/n" + std::to_string(i) + "/names", i == 1 ? "m" : "s", {""}, "odd"});
  std::vector<double> row(header.row_width());
  {
    MotionFile file(folder / "run.h5");
    file.begin(header);
    for (int f = 0; f < 3; ++f) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = 100 * f + static_cast<double>(i);
      file.frame(row);
    }
    file.finish(fake::summary);
  }
  const Motion m = read_motion(folder / "run.h5");
  ASSERT_EQ(m.channels.size(), header.channels.size());
  double at = 0;
  for (std::size_t c = 0; c < m.channels.size(); ++c) {
    EXPECT_EQ(m.channels[c].name, header.channels[c].name);
    EXPECT_EQ(m.channels[c].unit, header.channels[c].unit);
    EXPECT_EQ(m.channels[c].columns, header.channels[c].columns);
    EXPECT_EQ(m.channels[c].meaning, header.channels[c].meaning);
    for (std::size_t f = 0; f < 3; ++f)
      for (std::size_t k = 0; k < m.channels[c].columns.size(); ++k)
        EXPECT_EQ(m.at(c, f)[k], 100 * static_cast<double>(f) + at + static_cast<double>(k)) << m.channels[c].name;
    at += static_cast<double>(m.channels[c].columns.size());
  }
  // And a few of them alone.
  const std::vector<std::string> few{"joint/b.c/angle.y", "link/dust"};
  const Motion part = read_motion(folder / "run.h5", few);
  for (std::size_t c = 0; c < m.channels.size(); ++c) {
    const std::string& name = m.channels[c].name;
    const bool wanted = name == "time" || name == "joint/b.c/angle" || name == "link/dust/position";
    EXPECT_EQ(part.values[c], wanted ? m.values[c] : std::vector<double>{}) << name;
  }
}

// Two frames of 10,000 links: eight bytes a number, and names. What is set aside for checkpoints and summaries goes.
TEST(MotionTables, AFileCostsWhatIsRecorded) {
  const fake::Folder folder;
  MotionHeader header = fake::header();
  constexpr std::size_t links = 10000, name_length = 11;
  header.scene.duration = 1;
  header.channels.resize(1), header.lists.clear();
  for (std::size_t i = 0; i < links; ++i)
    for (const char* kind : {"position", "velocity", "spin"})
      header.channels.push_back({"link/chain." + std::to_string(10000 + i) + "/" + kind, "", xyz, "a kind of vector"});
  const std::vector<double> row(header.row_width(), 1.5);
  {
    MotionFile file(folder / "run.h5");
    file.begin(header);
    for (int f = 0; f < 2; ++f) file.frame(row);
    file.checkpoint({1, 2, std::vector<std::byte>(1000)});
    file.finish(fake::summary);
  }
  const std::size_t numbers = 2 * 8 * row.size(), names = links * name_length;
  const std::size_t size = std::filesystem::file_size(folder / "run.h5");
  EXPECT_GT(size, numbers + names);
  EXPECT_LT(size, numbers + names + 32768);  // structures of HDF5, the order of channels packed, the scene
  EXPECT_EQ(read_motion(folder / "run.h5").channels.size(), 1 + 3 * links);
}

// What is in a table of very many kinds is no different.
TEST(MotionTables, OfThousandsOfKinds) {
  const fake::Folder folder;
  MotionHeader header = fake::header();
  header.channels.resize(1), header.lists.clear();
  for (int i = 0; i < 3000; ++i)
    header.channels.push_back({"joint/j" + std::to_string(i) + "/coordinate",
                               "m",
                               {"a" + std::to_string(i), "b"},
                               "the coordinates of a joint that has its own names for them"});
  {
    MotionFile file(folder / "run.h5");
    file.begin(header);
    file.frame(std::vector<double>(header.row_width(), 2.5));
    file.finish(fake::summary);
  }
  const Motion m = read_motion(folder / "run.h5");
  ASSERT_EQ(m.channels.size(), 3001u);
  EXPECT_EQ(m.channels[2000].columns[0], "a1999");
  EXPECT_EQ(m.column("joint/j2999/coordinate.a2999"), std::vector<double>{2.5});
}

}  // namespace marey::motion_tables_test
