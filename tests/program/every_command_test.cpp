// What every command owes its user, whatever it does: help that says what it does, complaints about what it was not asked for, and
// nothing on standard output that is no result. A new command is in here by its line in the list (apps/cli/commands.h).
#include <algorithm>
#include <sstream>

#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;

struct EveryCommand : program::InFolder {
  // As `marey --help` lists them: name and what it does.
  std::vector<std::pair<std::string, std::string>> commands() {
    std::istringstream help(run({"--help"}).out);
    std::vector<std::pair<std::string, std::string>> all;
    bool listing = false;
    for (std::string line; std::getline(help, line);) {
      if (listing && line.empty()) break;
      if (listing) {
        std::istringstream words(line);
        std::string name, what;
        words >> name >> std::ws;
        std::getline(words, what);
        all.emplace_back(name, what);
      }
      listing = listing || line == "Subcommands:";
    }
    EXPECT_GE(all.size(), 9u);
    return all;
  }
  // Exit status 2, one complaint that names what is wrong, and no result.
  void complains(const std::vector<std::string>& words, const std::string& of) {
    const Outcome o = run(words);
    std::string line = "marey";
    for (const std::string& w : words) line += " " + w;
    SCOPED_TRACE(line + "\n" + o.err);
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(contains(o.err, of));
    std::istringstream err(o.err);
    for (std::string said; std::getline(err, said);)
      EXPECT_TRUE(said.starts_with("marey: ") || said.starts_with("Try 'marey ")) << said;
  }
};

TEST_F(EveryCommand, SaysWhatItDoes) {
  for (const auto& [name, what] : commands()) {
    SCOPED_TRACE(name);
    EXPECT_GT(what.size(), 10u);
    const Outcome o = run({name, "--help"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    EXPECT_TRUE(o.out.starts_with(what + "\nUsage: marey " + name)) << o.out;
    EXPECT_EQ(run({name, "-h"}).out, o.out);
    // Each option and argument with a word on what it is for: behind its name, or, where that is long, on the next line.
    std::istringstream help(o.out);
    std::string before;
    for (std::string line; std::getline(help, line); before = line) {
      if (!before.starts_with("  -") || before.find("  ", 3) != std::string::npos) continue;
      EXPECT_TRUE(line.starts_with("          ")) << "nothing is said of" << before;
    }
  }
}

TEST_F(EveryCommand, ComplainsOfOptionsThatItDoesNotHave) {
  for (const auto& [name, what] : commands()) {
    complains({name, "--nonsense"}, "'--nonsense'");
    complains({name, "--nonsense=3"}, "'--nonsense");
    if (contains(run({name, "--help"}).out, "\nPositionals:"))
      complains({name, "chain.yaml", "--nonsense"}, "unknown option '--nonsense'");
  }
}

// Whether they are one too many, or all taken for something that there is not.
TEST_F(EveryCommand, ComplainsOfArgumentsThatItCannotUse) {
  for (const auto& [name, what] : commands()) complains({name, "nothing.h5", "nought.h5", "nil.h5"}, "h5'");
}

TEST_F(EveryCommand, NamesTheFileThatIsNotThere) {
  for (const auto& [name, what] : commands()) {
    complains({name, "nothing.yaml"}, "'nothing.yaml'");
    complains({name, "no/folder/nothing.h5"}, "nothing.h5'");
  }
}

TEST_F(EveryCommand, LeavesNothingBehindWhereItFailed) {
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path))
      names.push_back(entry.path().string());
    std::ranges::sort(names);
    return names;
  };
  run({"--help"});
  const std::vector<std::string> before = files();
  for (const auto& [name, what] : commands()) {
    for (const char* word : {"nothing.yaml", "--nonsense"}) run({name, word});
    EXPECT_EQ(files(), before) << name;
  }
}

TEST_F(EveryCommand, IsInTheGuide) {
  std::string guide = program::contents(MAREY_SOURCE_DIR "/README.md");
  for (const auto& page : std::filesystem::directory_iterator(MAREY_SOURCE_DIR "/docs/guide"))
    if (page.path().extension() == ".md") guide += program::contents(page.path().string());
  for (const auto& [name, what] : commands())
    EXPECT_TRUE(contains(guide, "marey " + name + " ") || contains(guide, "marey " + name + "`"))
        << "neither README.md nor docs/guide says how 'marey " << name << "' is used";
}

}  // namespace
}  // namespace marey
