// The commands. Each add_… describes its arguments to the parser and, when the command was chosen, sets the job.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "marey/core.h"

namespace marey::cli {

using Job = std::function<ExitCode()>;

// Of `run`, which knows it alone: done and saved, and not to be relied on. The account is not closed (--strict), or the
// solvers do not agree (--verify).
inline constexpr ExitCode doubtful{5};

void add_run(CLI::App&, Job&);
void add_check(CLI::App&, Job&);
void add_list(CLI::App&, Job&);
void add_render(CLI::App&, Job&);
void add_plot(CLI::App&, Job&);
void add_export(CLI::App&, Job&);
void add_inverse(CLI::App&, Job&);
void add_bench(CLI::App&, Job&);

// Parses, and says what is wrong in the program's own words. Returns go_on, or the status to end with.
inline constexpr int go_on = -1;
int parse(CLI::App&, int argc, char** argv);

}  // namespace marey::cli
