// Cases by the thousand, in workers that may die of them: a forked child takes case after case and says in shared memory
// where it is. When it crashes, takes too long over a case or eats too much memory, the case is noted, its input is saved
// beside a command that repeats it, and another child goes on behind it.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace marey::fuzz {

// ---- what a round is asked for
// MAREY_FUZZ_CASES, MAREY_FUZZ_SEED and MAREY_FUZZ_FIRST change how many cases there are, of which seed, from which on.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}
struct Round {
  std::string name;  // also of the files that faults leave behind
  std::uint64_t cases, seed = from_environment("MAREY_FUZZ_SEED", 1), first = from_environment("MAREY_FUZZ_FIRST", 0);
  int limit = 10;  // s of the processor for a case; on a busy machine the clock on the wall says nothing
  std::size_t most_memory = std::size_t{3} << 30;  // bytes
  explicit Round(std::string name_, std::uint64_t usual_cases)
      : name(std::move(name_)), cases(from_environment("MAREY_FUZZ_CASES", usual_cases)) {}
};

// ---- what came of it
inline constexpr std::size_t most_codes = 16;
struct Verdict {
  int code = 0;       // the exit status that the program would have ended with
  std::string fault;  // empty: as it should be
};
struct Outcome {
  std::uint64_t done = 0;
  std::array<std::uint64_t, most_codes> codes{};  // how many cases ended in which status
  std::vector<std::string> faults;
};

namespace detail {

struct Shared {
  std::atomic<std::uint64_t> number;               // of the case that is being done
  std::atomic<std::int64_t> began, began_on_wall;  // s, of the processor and of the wall
  std::atomic<int> limit;
  std::atomic<std::size_t> most_memory;
  std::uint64_t codes[most_codes];
  char fault[2000];
};
inline Shared* watched = nullptr;

enum WorkerEnd { finished = 0, has_fault = 90, took_too_long = 91, ate_too_much = 92 };

inline std::int64_t seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec;
}
// Only calls that a signal handler may make.
inline std::size_t resident_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY);
  char text[128] = {};
  const ssize_t n = file < 0 ? 0 : ::read(file, text, sizeof text - 1);
  if (file >= 0) ::close(file);
  std::size_t pages[2] = {}, field = 0;
  for (ssize_t i = 0; i < n && field < 2; ++i) {
    if (text[i] == ' ')
      ++field;
    else
      pages[field] = 10 * pages[field] + static_cast<std::size_t>(text[i] - '0');
  }
  return pages[1] * 4096;
}
inline void watch(int) {
  constexpr int patience = 10;  // who waits for something that never comes takes no time of the processor
  if (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - watched->began > watched->limit ||
      seconds_of(CLOCK_MONOTONIC) - watched->began_on_wall > patience * watched->limit)
    ::_exit(took_too_long);
  if (resident_bytes() > watched->most_memory) ::_exit(ate_too_much);
}
inline void start_watching() {
  struct sigaction action = {};
  action.sa_handler = watch;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 200'000}, {0, 200'000}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
}

// In the child: one case after another, up to the first that has a fault.
template <class Case>
[[noreturn]] void work(const Case& one, std::uint64_t end) {
  start_watching();
  for (; watched->number < end; ++watched->number) {
    watched->began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    watched->began_on_wall = seconds_of(CLOCK_MONOTONIC);
    Verdict verdict;
    try {
      verdict = one(watched->number);
    } catch (const std::exception& e) {  // of the fuzzer itself; the child must not go on with the parent's work
      verdict.fault = std::string("the fuzzer failed: ") + e.what();
    }
    ++watched->codes[static_cast<std::size_t>(verdict.code) % most_codes];
    if (verdict.fault.empty()) continue;
    std::snprintf(watched->fault, sizeof watched->fault, "%s", verdict.fault.c_str());
    ::_exit(has_fault);
  }
  ::_exit(finished);
}

inline std::string what_happened(int status, int limit) {
  if (WIFSIGNALED(status)) return std::string("died of ") + ::strsignal(WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case has_fault:
      return watched->fault;
    case took_too_long:
      return "took longer than " + std::to_string(limit) + " s";
    case ate_too_much:
      return "took too much memory";
    default:
      return "the process ended by itself, with status " + std::to_string(WEXITSTATUS(status)) +
             " (a sanitizer's report is above)";
  }
}

}  // namespace detail

inline std::string saved_input(const Round& round, std::uint64_t number, const std::string& input) {
  const char* folder = std::getenv("MAREY_FUZZ_OUT");
  const std::filesystem::path into = folder != nullptr ? folder : std::filesystem::temp_directory_path() / "marey-fuzz";
  std::filesystem::create_directories(into);
  const std::filesystem::path file =
      into / (round.name + "-" + std::to_string(round.seed) + "-" + std::to_string(number));
  std::ofstream(file, std::ios::binary) << input;
  return file.string();
}

// `one` does the case of a number, `input` makes what it was given; both follow from seed and number alone.
// Beyond `most_faults` a round is given up.
template <class Case, class Input>
Outcome run_round(const Round& round, const Case& one, const Input& input, std::size_t most_faults = 20) {
  void* memory = ::mmap(nullptr, sizeof(detail::Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory to share with workers");
  detail::watched = new (memory) detail::Shared{};
  detail::Shared& shared = *detail::watched;
  shared.limit = round.limit, shared.most_memory = round.most_memory, shared.number = round.first;
  const std::uint64_t end = round.first + round.cases;
  constexpr std::uint64_t batch = 5000;  // a new child now and then, so that leaks of libraries do not add up
  Outcome outcome;
  while (shared.number < end && outcome.faults.size() < most_faults) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) detail::work(one, std::min<std::uint64_t>(end, shared.number + batch));
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("a worker was lost");
    if (WIFEXITED(status) && WEXITSTATUS(status) == detail::finished) {
      if (round.cases > batch)
        std::fprintf(stderr, "%s: %llu of %llu\n", round.name.c_str(),
                     static_cast<unsigned long long>(shared.number - round.first),
                     static_cast<unsigned long long>(round.cases));
      continue;
    }
    const std::uint64_t number = shared.number;
    outcome.faults.push_back(
        detail::what_happened(status, round.limit) + "\n  input: " + saved_input(round, number, input(number)) +
        "\n  again: MAREY_FUZZ_SEED=" + std::to_string(round.seed) + " MAREY_FUZZ_FIRST=" + std::to_string(number) +
        " MAREY_FUZZ_CASES=1, of the test '" + round.name + "'");
    std::fprintf(stderr, "%s case %llu: %s\n", round.name.c_str(), static_cast<unsigned long long>(number),
                 outcome.faults.back().c_str());
    shared.number = number + 1;
  }
  outcome.done = shared.number - round.first;
  std::copy(std::begin(shared.codes), std::end(shared.codes), outcome.codes.begin());
  ::munmap(memory, sizeof(detail::Shared));
  return outcome;
}

// "1000 cases; exit status 0: 210, 2: 700, 3: 90"
inline std::string text_of(const Outcome& outcome) {
  std::string text = std::to_string(outcome.done) + " cases; exit status";
  for (std::size_t code = 0; code < most_codes; ++code)
    if (outcome.codes[code] > 0) text += " " + std::to_string(code) + ": " + std::to_string(outcome.codes[code]) + ",";
  text.back() = '\n';
  for (const std::string& fault : outcome.faults) text += fault + "\n";
  return text;
}

}  // namespace marey::fuzz
