// The program: one file per command; this one is the table of contents.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "commands.h"

namespace marey::cli {
namespace {

constexpr const char* what_it_is = "Marey: physics for moving figures.";
constexpr const char* examples = R"(Examples:
  marey list                                the scenes that come with the program
  marey run finger-tap                      computes a motion, saves it in out/finger-tap.h5
  marey render out/finger-tap.h5 --strobe   the whole motion in one picture
  marey plot out/finger-tap.h5 link/finger.tip/position.z
                                            what was recorded, over time
  marey run --resume out/finger-tap.h5      resumes an interrupted run
  marey COMMAND --help                      more about a command

Exit status: 0 done, 2 bad input, 3 the simulation could not go on, 4 file or disk trouble, 5 done but doubtful (run
--strict, --verify), 130 interrupted.)";

void add_commands(CLI::App& app, Job& job) {
#define MAREY_ADD(name) add_##name(app, job);
  MAREY_COMMANDS(MAREY_ADD)
#undef MAREY_ADD
}

int go(int argc, char** argv) {
  CLI::App app{what_it_is, "marey"};
  Job job;
  app.footer(examples);
  app.set_version_flag("--version", fmt::format("marey {}", version));
  add_commands(app, job);
  if (const int status = parse(app, argc, argv); status != go_on) return status;
  const ExitCode code = job();
  if (std::fflush(stdout) != 0) throw Error(ErrorKind::file_trouble, "cannot write to standard output");
  return static_cast<int>(code);
}

int complain(const char* what, ExitCode code) {
  std::fflush(stdout);
  fmt::print(stderr, "marey: {}\n", what);
  return static_cast<int>(code);
}

// Everything that can go wrong ends here, as one line and an exit status.
int go_carefully(int argc, char** argv) {
  try {
    return go(argc, argv);
  } catch (const Error& error) {
    return complain(error.what(), exit_code_of(error.kind()));
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory for this", ExitCode::cannot_go_on);
  } catch (const std::exception& error) {
    return complain(error.what(), ExitCode::cannot_go_on);
  }
}

}  // namespace
}  // namespace marey::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, not a reason to die
  return marey::cli::go_carefully(argc, argv);
}
