#include "marey/render/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "marey/core.h"

namespace marey::render {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void trouble(const std::string& what) { throw Error(ErrorKind::file_trouble, what); }

// A temporary folder that is deleted along with this object.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "marey-plot-XXXXXX").string();
    if (error || !mkdtemp(name.data()))
      trouble("no temporary folder can be made: " + std::string(std::strerror(errno)));
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) trouble(file + ": cannot be written: " + std::strerror(errno ? errno : EIO));
}

// Exit status of gnuplot; its messages go to a file.
int call(const std::string& script_file, const std::string& words_file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, words_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::string name = "gnuplot", file = script_file;
  char* arguments[] = {name.data(), file.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) trouble("plots are drawn by gnuplot, which is not installed (Debian: apt install gnuplot-nox)");
  if (error) trouble(std::string("gnuplot cannot be started: ") + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) trouble(std::string("gnuplot was lost: ") + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void run_gnuplot(const std::string& script, const std::string& file) {
  const Folder folder;
  const std::string picture = folder / "picture", words = folder / "words", script_file = folder / "script";
  write(script_file, "picture = " + quoted(picture) + "\n" + script);
  const int status = call(script_file, words);
  const std::string drawn = contents(picture);
  if (status != 0 || drawn.empty()) {
    const std::string said = contents(words);
    trouble("gnuplot failed (exit " + std::to_string(status) + ")" + (said.empty() ? "" : ": " + said));
  }
  write(file, drawn);
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return out + "'";
}

}  // namespace marey::render
