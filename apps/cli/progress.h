// A bar that shows how far a run has got. Only on a terminal.
#pragma once

#include <chrono>

namespace marey::cli {

class ProgressBar {
 public:
  // `start` is where the run begins or resumes, s.
  explicit ProgressBar(double start);
  ~ProgressBar();  // wipes the bar away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double t, double duration);

 private:
  bool on_ = false, drawn_ = false;
  double start_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace marey::cli
