// A kind whose line in its list is forgotten would be one that no scene knows: every form that a file defines is in the list.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/integrate.h"
#include "marey/io/motion.h"
#include "marey/model/joint_forms.h"
#include "marey/sim/compare.h"

namespace marey::lists_of_kinds_test {
namespace {

// NAME of each "const FORM NAME<ending>{" in the files of a folder.
std::set<std::string> defined(const std::string& folder, const std::string& form, const std::string& ending) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(MAREY_SOURCE_DIR "/" + folder)) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const std::string all = text.str(), before = "const " + form + " ";
    for (std::size_t at = all.find(before); at != std::string::npos; at = all.find(before, at + 1)) {
      const std::size_t begin = at + before.size(), end = all.find(ending + "{", begin);
      if (end != std::string::npos && end < all.find_first_of(" ;(", begin))
        names.insert(all.substr(begin, end - begin));
    }
  }
  return names;
}

TEST(ListsOfKinds, HaveAllForcesAndTorques) {
  std::set<std::string> listed;
  for (const ElementForms* forms : {&force_forms(), &torque_forms()})
    for (const ElementForm* form : forms->all) listed.insert(form->keys.name);
  EXPECT_EQ(defined("src/force/kinds", "ElementForm", "_form"), listed) << "src/force/element_forms.cpp";
  EXPECT_GE(listed.size(), 9u);
}

TEST(ListsOfKinds, HaveAllConstraints) {
  std::set<std::string> listed;
  for (const ConstraintForm* form : constraint_forms())
    listed.insert(form->keys.name == "loop" ? std::string(form->key) + "_loop" : form->key);
  EXPECT_EQ(defined("src/constraint/kinds", "ConstraintForm", "_form"), listed)
      << "src/constraint/constraint_forms.cpp";
  EXPECT_GE(listed.size(), 16u);
}

TEST(ListsOfKinds, HaveAllJoints) {
  std::set<std::string> listed;
  for (const JointForm* form : joint_forms()) listed.insert(form->name);
  EXPECT_EQ(defined("src/model/joints", "JointForm", "_joint"), listed) << "src/model/joint_forms.cpp";
  EXPECT_GE(listed.size(), 12u);
}

TEST(ListsOfKinds, HaveAllClosedForms) {
  std::set<std::string> listed;
  for (const ClosedFormKind* form : closed_forms()) listed.insert(form->word);
  EXPECT_EQ(defined("src/sim/closed_forms", "ClosedFormKind", "_closed"), listed) << "src/sim/closed_forms/forms.cpp";
  EXPECT_GE(listed.size(), 8u);
}

TEST(ListsOfKinds, HaveAllIntegrators) {
  std::set<std::string> listed;
  for (const Integrator i : all_integrators()) listed.insert(name_of(i));
  EXPECT_EQ(defined("src/integrate", "MethodForm", "_method"), listed) << "MAREY_INTEGRATORS in marey/integrate.h";
  EXPECT_GE(listed.size(), 8u);
}

TEST(ListsOfKinds, HaveAllExporters) {
  std::set<std::string> listed;
  for (const Exporter* e : exporters()) listed.insert(e->format);
  EXPECT_EQ(defined("src/io/exchange", "Exporter", "_exporter"), listed) << "src/io/exchange/exporters.cpp";
}

// Commands are functions: void add_NAME(CLI::App& …) { in apps/cli, X(NAME) in the list.
TEST(ListsOfKinds, HaveAllCommands) {
  const auto names = [](const std::string& text, const std::string& before, const std::string& after) {
    std::set<std::string> found;
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const std::size_t begin = at + before.size(), end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
      if (end > begin && text.compare(end, after.size(), after) == 0) found.insert(text.substr(begin, end - begin));
    }
    return found;
  };
  std::string all, list;
  for (const auto& entry : std::filesystem::directory_iterator(MAREY_SOURCE_DIR "/apps/cli")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    (entry.path().filename() == "commands.h" ? list : all) += text.str();
  }
  list = list.substr(list.find("#define MAREY_COMMANDS(X)") + 25);
  std::set<std::string> added = names(all, "\nvoid add_", "(CLI::App& app, Job& job)");
  added.erase("commands");  // which adds them all
  EXPECT_EQ(added, names(list.substr(0, list.find("#define")), " X(", ")")) << "MAREY_COMMANDS in apps/cli/commands.h";
}

}  // namespace
}  // namespace marey::lists_of_kinds_test
