// Runs of a scene with numbers in the places of its marks, one after another, the best kept.
//
// A point x has a number from 0 to 1 for each mark. What is run is the scene as it would be written: the numbers go through their
// text, so that the scene that is found moves like the run in which it was.
#pragma once

#include <optional>
#include <span>

#include "marey/search.h"

namespace marey {

// What a run came to.
struct Trial {
  std::vector<double> x;
  std::vector<std::string> numbers;
  std::vector<WantedOutcome> outcomes;  // none: it failed
  std::vector<double> misses;           // of all outcomes
  double badness = 0;  // a sum of squares; of a failed run more than of any other, and the less the longer it went on
  bool holds = false;
  // Runs of the same switches are parts of one smooth stretch, where steps are located at them.
  long long events = 0, impacts = 0;
  bool stepping = false;

  bool failed() const { return outcomes.empty(); }
};

// Thrown by run() when the search is to end.
enum class SearchEnd { no_runs_left, stopped };

class Trials {
 public:
  Trials(const SceneSpec&, std::vector<SearchMark>, const SearchOptions&, const SearchHooks&, SceneFiles*);

  std::size_t dimensions() const { return marks_.size(); }
  const std::vector<SearchMark>& marks() const { return marks_; }
  const std::vector<Want>& wants() const { return wants_; }
  std::vector<double> start() const;
  // Refuses scenes that cannot be built wherever one looks, with the reason.
  void check_that_some_can_be_built();

  Trial run(std::span<const double> x);
  // The same numbers with fewer digits.
  Trial run_rounded(const Trial&, int digits);

  const Trial& best() const { return best_; }
  int runs() const { return runs_; }
  int failed() const { return failed_; }
  int runs_left() const { return options_.runs - runs_; }
  const std::string& last_failure() const { return last_failure_; }
  // h of derivatives, of what lies between the bounds: the cube root of what a motion is rounded to.
  double difference() const { return difference_; }
  void set_phase(const char* phase) { phase_ = phase; }

 private:
  Trial run_numbers(std::span<const double> x, std::vector<std::string> numbers);
  void simulate(const SceneSpec&, Trial&);
  Scene build_with(std::span<const std::string> numbers) const;
  std::vector<std::string> numbers_at(std::span<const double> x, int digits) const;
  void tell(double badness) const;

  SceneSpec spec_;
  std::vector<SearchMark> marks_;
  std::vector<Want> wants_;
  const SearchOptions& options_;
  const SearchHooks& hooks_;
  SceneFiles* files_;
  Trial best_;
  int runs_ = 0, failed_ = 0;
  std::string last_failure_;
  double difference_ = 0;
  const char* phase_ = "";
};

}  // namespace marey
