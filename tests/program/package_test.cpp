// Marey as a library in the hands of another program: installed, moved, found, linked with flags that are not ours.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "program.h"

namespace marey {
namespace package_test {
namespace {

namespace fs = std::filesystem;
using program::contents;

const fs::path source = MAREY_SOURCE_DIR, build = fs::path(MAREY_BIN_DIR).parent_path();

struct Said {
  int status = -1;
  std::string text;  // output and errors
};
// What the environment says of flags is for others.
Said shell(const std::string& command) {
  Said said;
  FILE* pipe = ::popen(("unset CXXFLAGS LDFLAGS CMAKE_PREFIX_PATH; (" + command + ") 2>&1").c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) said.text.append(part.data(), n);
  const int status = ::pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  return said;
}

std::string in_quotes(const fs::path& path) { return "'" + path.string() + "'"; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The compiler that Marey was built with.
std::string compiler() {
  for (const std::string& line : lines_of(contents(build / "CMakeCache.txt")))
    if (line.starts_with("CMAKE_CXX_COMPILER:")) return line.substr(line.find('=') + 1);
  return "c++";
}

std::string configure(const fs::path& from, const fs::path& to, const std::string& options) {
  return "cmake -G Ninja -S " + in_quotes(from) + " -B " + in_quotes(to) +
         " -DCMAKE_CXX_COMPILER=" + in_quotes(compiler()) + " -DCMAKE_EXPORT_COMPILE_COMMANDS=ON " + options;
}
std::string make(const fs::path& in) { return "cmake --build " + in_quotes(in) + " -j2"; }

// The blocks of a guide that are marked as `language`.
std::vector<std::string> blocks_of_guide(const std::string& language) {
  std::vector<std::string> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(contents(source / "docs/guide/embedding.md"))) {
    if (line == "```" + language)
      blocks.emplace_back(), inside = true;
    else if (line.starts_with("```"))
      inside = false;
    else if (inside)
      blocks.back() += line + "\n";
  }
  return blocks;
}

// The command lines of a build whose file's name matches, word by word and sorted; "-o", "-c" and what follows them left out.
std::vector<std::string> flags_in(const fs::path& folder, const std::string& file) {
  std::vector<std::string> flags;
  const std::string text = contents(folder / "compile_commands.json");
  static const std::regex command("\"command\": \"([^\n]*)\",");
  for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
    const std::string line = (*at)[1];
    if (!std::regex_search(line, std::regex("-c [^ ]*" + file + "$"))) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;  // the compiler
    while (words >> word)
      if (word == "-o" || word == "-c")
        words >> word;
      else
        flags.push_back(word);
  }
  std::ranges::sort(flags);
  return flags;
}

// Installed once for all tests, and moved before anybody looks at it.
struct Package : ::testing::Test {
  static void SetUpTestSuite() {
    fs::remove_all(work);
    fs::create_directories(work);
    const Said said = shell("cmake --install " + in_quotes(build) + " --prefix " + in_quotes(work / "first"));
    installed = said.status == 0;
    if (installed)
      fs::rename(work / "first", prefix);
    else
      std::printf("%s\n", said.text.c_str());
  }
  void SetUp() override { ASSERT_TRUE(installed); }

  static fs::path library(const std::string& name) {
    for (const auto& entry : fs::recursive_directory_iterator(prefix))
      if (entry.path().filename() == name) return entry.path();
    return prefix / name;
  }
  static void succeeds(const std::string& command) {
    const Said said = shell(command);
    ASSERT_EQ(said.status, 0) << command << "\n" << said.text;
  }

  static inline const fs::path work = build / "package-test", prefix = work / "moved";
  static inline bool installed = false;
};

// Every example, with a client's own flags, for this processor and for any.
void examples_work(const std::string& name, const std::string& flags) {
  const fs::path folder = Package::work / name;
  const std::string options =
      "-DCMAKE_PREFIX_PATH=" + in_quotes(Package::prefix) + " -DCMAKE_CXX_FLAGS=" + in_quotes(flags);
  Package::succeeds(configure(source / "examples", folder, options));
  Package::succeeds(make(folder));
  int count = 0;
  for (const auto& example : fs::directory_iterator(source / "examples")) {
    if (example.path().extension() != ".cpp") continue;
    Package::succeeds(in_quotes(folder / example.path().stem()));
    ++count;
  }
  EXPECT_GE(count, 3);
  // Beside the client's flags: C++20 and the include folder.
  std::vector<std::string> expected = lines_of(std::regex_replace(flags, std::regex(" "), "\n"));
  expected.insert(expected.end(), {"-isystem", (Package::prefix / "include").string(), "-std=gnu++20"});
  std::ranges::sort(expected);
  EXPECT_EQ(flags_in(folder, "pendulum.cpp"), expected);
}

TEST_F(Package, ServesClientsWithFlagsOfTheirOwn) { examples_work("plain", "-O2 -Wall -Wextra -Werror"); }

TEST_F(Package, ServesClientsOfAnOlderProcessor) {
  if (shell("uname -m").text != "x86_64\n") GTEST_SKIP() << "of x86-64 only";
  examples_work("older", "-O2 -Wall -Wextra -Werror -march=x86-64");
}

// The guide's first program, with all of Marey.
TEST_F(Package, RunsAScene) {
  const std::vector<std::string> cmake = blocks_of_guide("cmake"), code = blocks_of_guide("cpp");
  ASSERT_FALSE(cmake.empty() || code.empty());
  const fs::path folder = work / "client";
  fs::create_directories(folder);
  std::ofstream(folder / "CMakeLists.txt") << cmake[0];
  std::ofstream(folder / "client.cpp") << code[0];
  succeeds(configure(folder, folder / "build", "-DCMAKE_PREFIX_PATH=" + in_quotes(prefix)));
  succeeds(make(folder / "build"));
  const Said said = shell(in_quotes(folder / "build/client") + " " + in_quotes(source / "gallery/finger-tap.yaml"));
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_TRUE(said.text.starts_with("energy after 1 s: ")) << said.text;
  EXPECT_EQ(shell(in_quotes(folder / "build/client") + " nowhere.yaml").status, 2);
}

// Each of the guide's other pieces of code stands in an example, word for word.
TEST_F(Package, GuideShowsWhatIsCompiled) {
  std::string examples;
  for (const auto& example : fs::directory_iterator(source / "examples")) examples += contents(example.path());
  const std::vector<std::string> code = blocks_of_guide("cpp");
  ASSERT_GE(code.size(), 5u);
  for (std::size_t i = 1; i < code.size(); ++i) EXPECT_TRUE(program::contains(examples, code[i])) << code[i];
}

TEST_F(Package, EngineNeedsNoLibrariesOfFilesAndPictures) {
  const std::string engine = shell("readelf -d " + in_quotes(library("libmarey_engine.so"))).text;
  EXPECT_TRUE(program::contains(engine, "NEEDED")) << engine;
  for (const char* other : {"hdf5", "png", "yaml", "mpi", "petsc"})
    EXPECT_FALSE(program::contains(engine, other)) << engine;
  EXPECT_TRUE(program::contains(engine, "SYMBOLIC")) << "calls of its own functions may end in the client's";
  // The other library finds it in its own folder, and neither remembers where it was built.
  const std::string all = shell("readelf -d " + in_quotes(library("libmarey.so"))).text;
  EXPECT_TRUE(program::contains(all, "libmarey_engine.so")) << all;
  EXPECT_TRUE(program::contains(all, "[$ORIGIN]")) << all;
  const Said leak = shell("grep -rlF -e " + in_quotes(source) + " -e " + in_quotes(work / "first") + " " +
                          in_quotes(library("marey-config.cmake").parent_path()));
  EXPECT_EQ(leak.status, 1) << leak.text;
}

// Nor does it need them to be built: they are not even looked for.
TEST_F(Package, EngineAloneLooksForNoLibrariesOfFilesAndPictures) {
  succeeds(configure(source, work / "engine", "-DMAREY_ENGINE_ONLY=ON"));
  const std::string cache = contents(work / "engine/CMakeCache.txt");
  EXPECT_TRUE(program::contains(cache, "MAREY_CVODES_LIBRARY"));
  for (const char* other : {"HDF5", "PNG", "yaml-cpp", "CLI11"}) {
    const std::regex entry("(^|\n)[A-Za-z_]*" + std::string(other) + "[A-Za-z_]*:");
    EXPECT_FALSE(std::regex_search(cache, entry)) << other;
  }
}

std::set<std::string> symbols(const std::string& nm, const fs::path& file) {
  std::set<std::string> names;
  for (const std::string& line : lines_of(shell("nm " + nm + " --defined-only " + in_quotes(file)).text)) {
    std::istringstream words(line);
    std::string address, kind, name;
    words >> address >> kind >> name;
    if (!name.empty() && (kind == "W" || kind == "T" || kind == "u")) names.insert(name);
  }
  return names;
}

// Of what a library offers, functions that others may define, too, and that are no templates: it was to hide those. (A
// template that is defined in a source file has to be offered, and looks the same otherwise.)
std::vector<std::string> inline_functions_in(const fs::path& file) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(shell("nm -D -C --defined-only " + in_quotes(file)).text)) {
    const std::size_t at = line.find(" W ");
    if (at != std::string::npos && !program::contains(line.substr(0, line.find('(')), "<"))
      names.push_back(line.substr(at + 3));
  }
  return names;
}

// Two things a client for another processor could stumble over: types that have another layout there, and a function that
// both define and only one is kept of (docs/decisions/0019-package.md).
TEST_F(Package, ClientAndLibraryShareLayoutsAndNoFunction) {
  if (shell("uname -m").text != "x86_64\n") GTEST_SKIP() << "of x86-64 only";
  const auto compile = [&](const std::string& processor) {
    succeeds(in_quotes(compiler()) + " -std=c++20 -Wall -Wextra -Werror -march=" + processor + " -I " +
             in_quotes(prefix / "include") + " " + in_quotes(source / "tests/program/client/layout.cpp") + " -o " +
             in_quotes(work / processor));
    return shell(in_quotes(work / processor)).text;
  };
  const std::string here = compile("native"), anywhere = compile("x86-64");
  EXPECT_GT(lines_of(here).size(), 50u);
  EXPECT_EQ(here, anywhere);

  const std::set<std::string> clients = symbols("", work / "x86-64");
  EXPECT_TRUE(clients.contains("_ZN5marey8ForceSumIdE13begin_elementEv"));
  EXPECT_TRUE(clients.contains("_ZN5marey13quaternion_ofERKNS_4Mat3IdEE"));
  for (const char* name : {"libmarey_engine.so", "libmarey.so"}) {
    const std::set<std::string> offered = symbols("-D", library(name));
    EXPECT_GT(offered.size(), 30u) << name;
    EXPECT_EQ(inline_functions_in(library(name)), std::vector<std::string>{}) << name;
    for (const std::string& symbol : offered) {
      EXPECT_FALSE(clients.contains(symbol)) << name << " offers " << symbol << ", which a client has of its own";
      EXPECT_TRUE(symbol.starts_with("_ZN5marey") || symbol.starts_with("_ZNK5marey")) << name << " offers " << symbol;
    }
  }
}

// What a layout that differs would end in.
TEST_F(Package, TakesPacksOfAClientOfAnOlderProcessor) {
  if (shell("uname -m").text != "x86_64\n") GTEST_SKIP() << "of x86-64 only";
  const fs::path folder = library("libmarey_engine.so").parent_path();
  succeeds(in_quotes(compiler()) + " -std=c++20 -O1 -Wall -Wextra -Werror -march=x86-64 -I " +
           in_quotes(prefix / "include") + " " + in_quotes(source / "tests/program/client/packs.cpp") + " -o " +
           in_quotes(work / "packs") + " -L " + in_quotes(folder) + " -lmarey_engine -Wl,-rpath," + in_quotes(folder));
  succeeds(in_quotes(work / "packs"));
}

// What the other project finds after add_subdirectory(marey), written down by itself.
const char* const report = R"(
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
get_property(definitions DIRECTORY PROPERTY COMPILE_DEFINITIONS)
get_property(tests DIRECTORY marey PROPERTY TESTS)
file(WRITE ${CMAKE_BINARY_DIR}/left.txt "${CMAKE_BUILD_TYPE}${CMAKE_CXX_STANDARD}${CMAKE_CXX_EXTENSIONS}"
     "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}${CMAKE_LIBRARY_OUTPUT_DIRECTORY}${CMAKE_CXX_COMPILER_LAUNCHER}"
     "${options}${definitions}${tests}")
get_property(targets DIRECTORY marey PROPERTY BUILDSYSTEM_TARGETS)
list(JOIN targets "\n" targets)
file(WRITE ${CMAKE_BINARY_DIR}/targets.txt "${targets}\n")
if(NOT TARGET marey::engine OR NOT TARGET marey::marey)
  message(FATAL_ERROR "a target is missing")
endif()
)";

TEST_F(Package, StandsInAnotherProjectAndLeavesItAlone) {
  const std::vector<std::string> cmake = blocks_of_guide("cmake");
  ASSERT_EQ(cmake.size(), 2u);
  const fs::path folder = work / "parent", made = folder / "build";
  fs::create_directories(folder);
  fs::create_directory_symlink(source, folder / "marey");
  std::ofstream(folder / "CMakeLists.txt") << cmake[1] << report;
  std::ofstream(folder / "client.cpp") << "int main() {}\n";
  succeeds(configure(folder, made, ""));

  EXPECT_EQ(contents(made / "left.txt"), "");
  EXPECT_EQ(flags_in(made, "/client.cpp"),
            (std::vector<std::string>{"-I" + (folder / "marey/include").string(), "-std=gnu++20"}));
  for (const std::string& target : lines_of(contents(made / "targets.txt")))
    EXPECT_TRUE(target.starts_with("marey_") || target == "package_libraries") << target;
  const std::vector<std::string> ours = flags_in(made, "\\.c(pp|xx)");
  EXPECT_TRUE(std::ranges::count(ours, "-O2")) << "optimised though no type of build is set";
  for (const char* flag : {"-Werror", "-Wall", "-Wextra"}) EXPECT_FALSE(std::ranges::count(ours, flag)) << flag;

  // The engine is all that is built; nothing is, here.
  const std::string steps = shell("ninja -C " + in_quotes(made) + " -t commands all").text;
  EXPECT_TRUE(program::contains(steps, "libmarey_engine.so")) << steps;
  for (const char* other : {"marey_io", "marey_render", "libmarey_core.a"})
    EXPECT_FALSE(program::contains(steps, other)) << other;
}

// Told, not held against anything: less than two seconds are wanted.
TEST_F(Package, TellsWhatAClientCostsToCompile) {
  std::ofstream(work / "small.cpp") << "#include \"marey/simulation.h\"\n"
                                       "int main() { marey::Simulation(marey::Scene{}).run_until(1); }\n";
  const auto used = [] {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = used();
  succeeds(in_quotes(compiler()) + " -std=c++20 -O2 -c -I " + in_quotes(prefix / "include") + " " +
           in_quotes(work / "small.cpp") + " -o " + in_quotes(work / "small.o"));
  std::printf("a client of marey/simulation.h: %.2f s of processor time to compile\n", used() - before);
}

}  // namespace
}  // namespace package_test
}  // namespace marey
