// Running the program as a person would: arguments in, exit status and text out, in a folder of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace marey::program {

struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "marey-program-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

inline std::string contents(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  int status = -1;  // exit status, or 1000 + the signal that ended it
  std::string out, err;
};

inline std::string program_file() { return std::string(MAREY_BIN_DIR) + "/marey"; }

// Standard output and error go to the files "out.txt" and "err.txt" of the folder.
inline pid_t start(const Folder& folder, const std::vector<std::string>& arguments, const char* out = "out.txt") {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::chdir(folder.path.c_str()) != 0) ::_exit(98);
  ::setenv("MAREY_GALLERY", MAREY_SOURCE_DIR "/gallery", 1);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(::open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
  ::dup2(::open("err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
  std::vector<std::string> words{"marey"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program_file().c_str(), pointers.data());
  ::_exit(99);
}

inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

inline Outcome marey(const Folder& folder, const std::vector<std::string>& arguments, const char* out = "out.txt") {
  const int status = wait_for(start(folder, arguments, out));
  return {status, contents(folder / "out.txt"), contents(folder / "err.txt")};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A chain that is let go: chaotic enough that a single wrong bit would show.
inline std::string chain(int links, const std::string& duration, const std::string& step = "1 ms",
                         const std::string& record_every = "10 ms") {
  return "marey: 1\ntitle: A test chain\nduration: " + duration +
         "\nsolver: {dynamics: aba, integrator: rk4, step: " + step +
         "}\nfigures:\n  rope:\n    at: [0, 0, 1 m]\n    chain:\n      links: " + std::to_string(links) +
         "\n      spacing: [0, 0, -5 cm]\n      link:\n        joint: ball\n"
         "        shape: {capsule: {radius: 6 mm, length: 5 cm, along: -z}}\n        density: 2700 kg/m^3\n"
         "        enlarge: {axis: z, factor: 10}\n"
         "      first:\n        start: {turned: {axis: y, angle: -70 deg}}\nrecord: {every: " +
         record_every + "}\n";
}

inline void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }

// A folder with the scene chain.yaml in it.
struct InFolder : ::testing::Test {
  InFolder() { write(folder / "chain.yaml", chain(3, "0.5 s")); }
  Outcome run(const std::vector<std::string>& arguments) { return marey(folder, arguments); }
  void refused(const std::vector<std::string>& arguments, int status, const std::string& part) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, status) << o.err;
    EXPECT_TRUE(contains(o.err, part)) << o.err;
  }
  Folder folder;
};

}  // namespace marey::program
