// A kind whose line in its list is forgotten would be one that no scene knows: every form that a file defines is in the list.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/model/joint_forms.h"

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

}  // namespace
}  // namespace marey::lists_of_kinds_test
