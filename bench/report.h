// How benchmarks print: a readable table, or with --json one array of rows {case, subject, metric, value, unit}.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "marey/core.h"

namespace marey::bench {

class Report {
 public:
  // `more`: whether the benchmark has options of its own, and has read them.
  Report(int argc, char** argv, bool more = false) {
    for (int i = 1; i < argc; ++i) {
      const bool known = std::strcmp(argv[i], "--json") == 0;
      json_ = json_ || known;
      if (known || more) continue;
      fmt::print(stderr, "found '{}'; expected --json or nothing\n", argv[i]);
      std::exit(2);
    }
  }
  ~Report() {
    if (json_) fmt::print("{}]\n", rows_ ? "" : "[");
  }
  void title(const std::string& text) const {
    if (json_) return;
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }
  void row(const std::string& which, const std::string& subject, const std::string& metric, double value,
           const std::string& unit) {
    if (!json_) fmt::print("  {:<16} {:<34} {:<44} {:>12.5g} {}\n", which, subject, metric, value, unit);
    detail(which, subject, metric, value, unit);
  }
  // A row that the reader of a table need not see. JSON has no NaN: it is written as null.
  void detail(const std::string& which, const std::string& subject, const std::string& metric, double value,
              const std::string& unit) {
    if (json_)
      fmt::print("{}{}", rows_ ? ",\n " : "[",
                 nlohmann::ordered_json{
                     {"case", which}, {"subject", subject}, {"metric", metric}, {"value", value}, {"unit", unit}}
                     .dump());
    ++rows_;
  }

 private:
  bool json_ = false;
  int rows_ = 0;
};

// The exit status for an error, as in the program.
inline int status_of(ErrorKind kind) {
  return kind == ErrorKind::bad_input ? 2 : kind == ErrorKind::cannot_go_on ? 3 : 4;
}

// The body of main(): a benchmark whose errors are reported and become the exit code.
inline int guarded(int (*benchmark)(int, char**), int argc, char** argv) {
  try {
    return benchmark(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return status_of(error.kind());
  }
}

// Seconds of processor time of this thread: other work on the machine does not count.
inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
// The shortest of several timings of f().
template <class F>
double best_seconds(int rounds, F&& f) {
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const double start = cpu_seconds();
    f();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

}  // namespace marey::bench
