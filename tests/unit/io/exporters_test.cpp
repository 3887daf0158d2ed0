// Every format in which motions can be written: begins as it says, replaces its own files and no others, comes back as it was, with
// numbers and names as odd as they come. A new format is in here by its line in the list (src/io/exchange/exporters.cpp).
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "marey/core/text.h"
#include "marey/io/scene.h"
#include "motion_fake.h"
#include "support/trouble.h"
#include "unit/io/export_readers.h"

namespace marey::exporters_test {
namespace {

using exported::Table;
using ::trouble::contents;

// ----------------------------------------------------------------------------------------------- csv, as RFC 4180 has it
double number_of(const std::string& word) {
  double x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  EXPECT_TRUE(error == std::errc() && end == word.data() + word.size()) << "no number: " << word;
  EXPECT_NE(word, "-nan");
  return x;
}
Table read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& word = lines.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      word += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      lines.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      lines.emplace_back(1);
    else {
      EXPECT_TRUE(quoted || text[i] != '\r') << "ends a line for some readers";
      word += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(lines.back(), std::vector<std::string>(1)) << "the last line has no end";
  lines.pop_back();
  Table table{lines.front(), std::vector<std::vector<double>>(lines.front().size())};
  for (std::size_t l = 1; l < lines.size(); ++l) {
    EXPECT_EQ(lines[l].size(), table.names.size());
    for (std::size_t c = 0; c < lines[l].size(); ++c) table.columns[c].push_back(number_of(lines[l][c]));
  }
  return table;
}
const exported::ReaderOf csv{"csv", read_csv};

// ----------------------------------------------------------------------------------------------- every format
// What the format has no word for may come back as no number at all.
void expect_same(double back, double written) {
  if (std::isfinite(written))
    EXPECT_EQ(back, written);
  else
    EXPECT_TRUE(std::isnan(back) || back == written) << back << " for " << written;
}
void expect_same(const Table& back, const Motion& motion) {
  std::size_t c = 0;
  for (std::size_t k = 0; k < motion.channels.size(); ++k)
    for (std::size_t i = 0; i < motion.channels[k].columns.size(); ++i, ++c) {
      ASSERT_LT(c, back.names.size());
      const std::string name = column_name(motion.channels[k], i);
      SCOPED_TRACE(name);
      EXPECT_TRUE(back.names[c].starts_with(name)) << back.names[c];
      ASSERT_EQ(back.columns[c].size(), motion.frames);
      for (std::size_t f = 0; f < motion.frames; ++f) expect_same(back.columns[c][f], motion.at(k, f)[i]);
    }
  EXPECT_EQ(c, back.names.size());
}

std::string file_of(const Exporter& e, const fake::Folder& folder) { return folder / (std::string("m.") + e.format); }

std::string written(const Exporter& e, const std::function<Motion()>& make) {
  const fake::Folder folder;
  export_motion(make, {file_of(e, folder), "", {}, Existing::refuse});
  return contents(file_of(e, folder));
}

void expect_comes_back(const Exporter& e, const Motion& motion) {
  const std::string text = written(e, [&] { return motion; });
  EXPECT_TRUE(text.starts_with(e.begins))
      << "begins with '" << text.substr(0, 40) << "', and says '" << e.begins << "'";
  const auto reader = exported::readers().find(e.format);
  ASSERT_NE(reader, exported::readers().end())
      << "no test reads what '" << e.format << "' writes: give it a reader in its own test (unit/io/export_readers.h)";
  expect_same(reader->second(text), motion);
}

template <class Check>
void for_every_format(Check check) {
  for (const Exporter* e : exporters()) {
    SCOPED_TRACE(e->format);
    check(*e);
  }
}

Motion of(std::vector<Channel> channels, std::size_t frames) {
  Motion m;
  m.file = "made.h5";
  m.channels = std::move(channels);
  m.frames = frames;
  for (std::size_t k = 0; k < m.channels.size(); ++k) {
    m.values.emplace_back(frames * m.channels[k].columns.size());
    for (std::size_t i = 0; i < m.values[k].size(); ++i) m.values[k][i] = 0.1 * static_cast<double>(i + k);
  }
  return m;
}
const Channel time_channel{"time", "s", {""}, ""};

TEST(Exporters, SayWhatTheyAre) {
  std::set<std::string> names;
  for_every_format([&](const Exporter& e) {
    const std::string name = e.format;
    EXPECT_TRUE(names.insert(name).second) << "there are two";
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
    EXPECT_STRNE(e.what, "");
    EXPECT_EQ(&exporter_for("", "x." + name), &e);
    EXPECT_EQ(&exporter_for(name, "x"), &e);
  });
}

TEST(Exporters, WriteAMotionOfAScene) {
  const fake::Folder folder;
  Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/finger-tap.yaml");
  scene.duration = 0.5;
  {
    MotionFile file(folder / "run.h5");
    run(scene, file);
  }
  const Motion motion = read_motion(folder / "run.h5");
  ASSERT_GT(motion.frames, 3u);
  for_every_format([&](const Exporter& e) {
    export_motion(folder / "run.h5", {file_of(e, folder), "", {}, Existing::refuse});
    EXPECT_EQ(contents(file_of(e, folder)), written(e, [&] { return motion; }));
    expect_comes_back(e, motion);
  });
}

TEST(Exporters, WriteNumbersHoweverOdd) {
  using Limits = std::numeric_limits<double>;
  Motion m = of({time_channel, {"x", "m", {"a", "b"}, ""}}, 6);
  m.values[1] = {
      Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(),   -Limits::infinity(), 0.0,       -0.0,
      Limits::max(),       Limits::lowest(),     Limits::denorm_min(), Limits::min(),       0.1 + 0.2, -1.0 / 3};
  for_every_format([&](const Exporter& e) { expect_comes_back(e, m); });
}

TEST(Exporters, WriteNamesHoweverOdd) {
  std::vector<Channel> channels{time_channel};
  for (const char* name :
       {"a,b", "the \"tip\"", "'single'", "two\nlines", "carriage\rreturn", "tab\tbed", "back\\slash", "\\", "<&>",
        "ünïcode", " spaces ", "{brace}", "[1]", "=1+1", "#", "%s", "a;b", "null", "1e5"})
    channels.push_back({std::string("link/") + name + "/x", "m/s²", {"", "é"}, "of something"});
  channels.push_back({"plain", "", {""}, ""});
  for_every_format([&](const Exporter& e) { expect_comes_back(e, of(channels, 2)); });
}

TEST(Exporters, WriteWhatIsHardlyThere) {
  for_every_format([&](const Exporter& e) {
    expect_comes_back(e, of({time_channel}, 0));
    expect_comes_back(e, of({time_channel}, 1));
    expect_comes_back(e, of({time_channel, {"x", "m", {"a", "b"}, ""}}, 0));
  });
}

// With --force: an earlier file of the same format and nothing else.
TEST(Exporters, ReplaceTheirOwnFilesAlone) {
  const auto make = [] { return of({time_channel, {"x", "m", {""}, ""}}, 2); };
  for_every_format([&](const Exporter& e) {
    const fake::Folder folder;
    const std::string name = file_of(e, folder);
    const auto refused = [&] {
      return ::trouble::of(ErrorKind::file_trouble, [&] { export_motion(make, {name, "", {}, Existing::replace}); });
    };
    const auto stays = [&](const std::string& text) {
      std::ofstream(name, std::ios::binary) << text;
      EXPECT_NE(refused(), "") << text;
      EXPECT_EQ(contents(name), text);
    };
    export_motion([] { return of({time_channel}, 3); }, {name, "", {}, Existing::refuse});
    EXPECT_NE(::trouble::of(ErrorKind::file_trouble,
                            [&] {
                              export_motion(make, {name, "", {}, Existing::refuse});
                            }),
              "");
    EXPECT_EQ(refused(), "");
    EXPECT_EQ(contents(name), written(e, make));
    stays("marey: 1\nduration: 1 s\n");
    stays("\x89HDF\r\n\x1a\n and more");
    if (*e.begins == 0) return;  // then its extension is all that it is known by
    stays("somebody's data\n");
    for (const Exporter* other : exporters())
      if (other != &e) stays(written(*other, make));
  });
}

}  // namespace
}  // namespace marey::exporters_test
