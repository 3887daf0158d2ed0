// The commands. Each add_… describes its arguments to the parser and, when the command was chosen, sets the job.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "marey/core.h"

namespace marey::cli {

enum class ExitCode : int {
  done = 0,
  bad_input = 2,  // these match the kinds of errors
  cannot_go_on = 3,
  file_trouble = 4,
  // Only from `run`: done and saved, but not to be relied on. The account is not closed (--strict), or the solvers do
  // not agree (--verify).
  doubtful = 5,
  interrupted = 130,
};
constexpr ExitCode exit_code_of(ErrorKind kind) {
  return kind == ErrorKind::bad_input      ? ExitCode::bad_input
         : kind == ErrorKind::cannot_go_on ? ExitCode::cannot_go_on
                                           : ExitCode::file_trouble;
}

using Job = std::function<ExitCode()>;

// In the order in which `marey --help` lists them.
#define MAREY_COMMANDS(X) \
  X(run) X(check) X(list) X(render) X(plot) X(range) X(probe) X(export) X(inverse) X(search) X(human) X(bench)
#define MAREY_DECLARE(name) void add_##name(CLI::App&, Job&);
MAREY_COMMANDS(MAREY_DECLARE)
#undef MAREY_DECLARE

// Parses, and reports errors in the program's own words. Returns go_on, or the status to exit with.
inline constexpr int go_on = -1;
int parse(CLI::App&, int argc, char** argv);

}  // namespace marey::cli
