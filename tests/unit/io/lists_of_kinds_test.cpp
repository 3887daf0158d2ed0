// A kind whose line in its list is forgotten would be one that no scene knows: every form that a file defines is in the list.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/integrate.h"
#include "marey/io/motion.h"
#include "marey/model/joint_forms.h"
#include "marey/sim/compare.h"

namespace marey::lists_of_kinds_test {
namespace {

// All files of a folder in one text, without what stands behind // in a line.
std::string text_of(const std::string& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(MAREY_SOURCE_DIR "/" + folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) all += line.substr(0, line.find("//")) + "\n";
  }
  return all;
}

std::set<std::string> found(const std::string& text, const std::string& pattern) {
  std::set<std::string> names;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) names.insert(at->str(1));
  return names;
}

// NAME of each "FORM NAME<ending>{", "… = {", "… = FORM{" or "…(": all that C++ has for a definition with a value.
std::set<std::string> defined_in(const std::string& text, const std::string& form, const std::string& ending) {
  return found(text, "\\b" + form + "(?:\\s+const)?\\s+(\\w+)" + ending + "\\s*(?:=\\s*(?:" + form + "\\s*)?)?[{(]");
}
std::set<std::string> defined(const std::string& folder, const std::string& form, const std::string& ending) {
  return defined_in(text_of(folder), form, ending);
}

// NAME of each add_NAME that has a body and takes the parser and the job, whatever it calls them; and of what it adds.
std::set<std::string> commands_in(const std::string& text) {
  std::set<std::string> names =
      found(text, "\\badd_(\\w+)\\s*\\(\\s*CLI::App\\s*&\\s*\\w*\\s*,\\s*Job\\s*&\\s*\\w*\\s*\\)\\s*\\{");
  names.merge(found(text, "\\badd_subcommand\\s*\\(\\s*\"([^\"]*)\""));
  names.erase("commands");  // which adds them all
  return names;
}

using Names = std::set<std::string>;

TEST(ListsOfKinds, FindDefinitionsHoweverTheyAreWritten) {
  for (const char* definition :
       {"extern const Exporter json_exporter{\"json\"};", "extern const Exporter json_exporter = {\"json\"};",
        "extern constinit const Exporter  json_exporter =\n    Exporter{};", "const Exporter json_exporter(1);",
        "extern Exporter const json_exporter {};", "extern const struct Exporter json_exporter\n{};",
        "extern const Exporter json_exporter= Exporter {};"})
    EXPECT_EQ(defined_in(definition, "Exporter", "_exporter"), Names{"json"}) << definition;
  EXPECT_EQ(defined_in("extern const Exporter json_exporter;", "Exporter", "_exporter"), Names{});
  for (const char* command :
       {"void add_weigh(CLI::App& app, Job& job) {", "void add_weigh(CLI::App& cli, Job& what) {",
        "void add_weigh(CLI::App &, Job &)\n{", "static void add_weigh( CLI::App& a ,\n Job& b )  {",
        "app.add_subcommand(\"weigh\", \"Weigh\")", "cli.add_subcommand(\n    \"weigh\")"})
    EXPECT_EQ(commands_in(command), Names{"weigh"}) << command;
  EXPECT_EQ(commands_in("void add_weigh(CLI::App&, Job&);"), Names{});
  EXPECT_EQ(commands_in("void add_looks(CLI::App& command, RenderArguments& a) {"), Names{});
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

// Commands are functions: add_NAME in apps/cli, X(NAME) in the list.
TEST(ListsOfKinds, HaveAllCommands) {
  std::string list = text_of("apps/cli");
  const std::size_t at = list.find("#define MAREY_COMMANDS(X)") + 25;
  list = list.substr(at, list.find("#define", at) - at);
  const std::set<std::string> listed = found(list, "\\bX\\((\\w+)\\)");
  EXPECT_EQ(commands_in(text_of("apps/cli")), listed) << "MAREY_COMMANDS in apps/cli/commands.h";
  EXPECT_GE(listed.size(), 9u);
}

}  // namespace
}  // namespace marey::lists_of_kinds_test
