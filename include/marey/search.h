// Finding numbers of a scene so that what it wants comes true (docs/guide/search.md).
//
//   marey::SceneSpec spec = marey::read_spec("throw.yaml");   // marey/io/scene.h
//   const marey::SearchResult found = marey::search(spec, {.seed = 1}, {}, files.get());
//   if (found.holds) std::cout << found.text;                 // the scene, with the numbers in it
//
// Everything here throws Error(bad_input) with its place for a scene in which there is nothing to search, or that cannot be built.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "marey/scene.h"
#include "marey/scene/marks.h"
#include "marey/sim/outcome.h"

namespace marey {

struct SearchOptions {
  std::uint64_t seed = 1;
  int runs = 1000;         // at most
  bool from_found = true;  // begins with what has been found; otherwise in the middle
  SceneOverrides overrides{};
};

struct SearchProgress {
  int runs = 0, most = 0;
  double badness = 0;      // of the best, the root of the sum of squares of its misses
  const char* phase = "";  // "sampling"
};
struct SearchHooks {
  std::function<void()> begin;                          // when the scene has been built, before the first run
  std::function<void(const SearchProgress&)> progress;  // after each run, and now and then within
  std::function<bool()> stop;                           // true: give back the best so far
};

struct SearchResult {
  bool holds = false;        // all that is wanted
  bool interrupted = false;  // by the hook
  std::vector<SearchMark> marks;
  std::vector<std::string> numbers;  // of these, as texts: of the best run
  std::vector<Want> wants;
  std::vector<WantedOutcome> outcomes;  // of these, in the best run; none: no run came to its end
  double badness = 0;
  int runs = 0, failed = 0;
  std::string last_failure;  // why the last run that failed did
  std::string text;          // the scene with the numbers found, as YAML that can be run; empty: there are none
};

SearchResult search(const SceneSpec&, const SearchOptions& = {}, const SearchHooks& = {}, SceneFiles* = nullptr);

}  // namespace marey
