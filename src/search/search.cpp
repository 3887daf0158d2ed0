// How a search goes: where the scene says, or in the middle; then points everywhere, and from the best of them downhill by derivatives;
// then, in rounds that get longer, random search that narrows down, simplices around the best, and derivatives again.
#include "marey/search.h"

#include <algorithm>

#include "search/found_text.h"
#include "search/least_squares.h"
#include "search/sampling.h"
#include "search/trials.h"

namespace marey {
namespace {

constexpr int points_per_number = 6, fewest_points = 12;
constexpr int descents = 3;
constexpr int runs_of_a_round = 24;  // for each number, in the first one

void improve(Trials& trials) {
  trials.set_phase("by derivatives");
  descend(trials, trials.best());
}

void look_everywhere(Trials& trials, const SearchOptions& options) {
  trials.set_phase("sampling");
  const auto n = static_cast<int>(trials.dimensions());
  const std::vector<Trial> samples = sample(trials, std::max(fewest_points, points_per_number * n), options.seed);
  if (trials.best().holds) return improve(trials);
  trials.set_phase("by derivatives");
  for (std::size_t i = 0; i < std::min<std::size_t>(descents, samples.size()); ++i)
    if (descend(trials, samples[i]).holds) return;
  for (int round = 0;; ++round) {
    const int runs = (runs_of_a_round * (n + 1)) << std::min(round, 10), before = trials.runs();
    trials.set_phase("around the best");
    search_around(trials, trials.best(), 0.1, runs / 2);
    if (trials.best().holds) return improve(trials);
    improve(trials);
    if (trials.best().holds) return;
    trials.set_phase("at random");
    search_everywhere(trials, runs, options.seed + static_cast<std::uint64_t>(round) + 1);
    improve(trials);
    if (trials.best().holds || trials.runs() == before) return;
  }
}

// What is found holds with few digits, too, as a rule. The fewest with which it is as good as it was, or nearly.
Trial with_few_digits(Trials& trials) {
  constexpr int fewest = 4, most = 12;
  constexpr double nearly = 0.05;  // of what is allowed
  const Trial exact = trials.best();
  for (int digits = fewest; digits <= most; digits += 2) {
    Trial rounded = trials.run_rounded(exact, digits);
    if (!rounded.holds) continue;
    double worse = 0;
    for (std::size_t k = 0; k < rounded.misses.size(); ++k)
      worse = std::max(worse, std::abs(rounded.misses[k]) - std::abs(exact.misses[k]));
    if (worse <= nearly) return rounded;
  }
  return exact;
}

}  // namespace

SearchResult search(const SceneSpec& given, const SearchOptions& options, const SearchHooks& hooks, SceneFiles* files) {
  const SceneSpec spec = given.places_are_in_file() ? given : given.numbered();
  Trials trials(spec, search_marks(spec.root()), options, hooks, files);
  trials.check_that_some_can_be_built();
  if (hooks.begin) hooks.begin();
  SearchResult result;
  Trial found;
  try {
    trials.set_phase("at the start");
    descend(trials, trials.run(trials.start()));
    if (!trials.best().holds) look_everywhere(trials, options);
    found = trials.best();
    trials.set_phase("rounding");
    found = with_few_digits(trials);
  } catch (const SearchEnd& end) {
    result.interrupted = end == SearchEnd::stopped;
    if (!found.holds) found = trials.best();
  }
  result.holds = found.holds;
  result.marks = trials.marks(), result.numbers = found.numbers;
  result.wants = trials.wants(), result.outcomes = found.outcomes;
  result.badness = std::sqrt(found.badness);
  result.runs = trials.runs(), result.failed = trials.failed(), result.last_failure = trials.last_failure();
  if (!found.failed()) result.text = found_text(given, result.marks, result.numbers, result.wants, result.outcomes);
  for (SearchMark& mark : result.marks) mark.at.file = nullptr;  // the result may outlive the spec, whose it is
  return result;
}

}  // namespace marey
