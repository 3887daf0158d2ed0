#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace marey::cli {

namespace {

constexpr int longest_bar = 40;

int terminal_width() {
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_left(double seconds) {
  if (!std::isfinite(seconds)) return "";
  if (seconds < 60) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

std::string bar(double done, int width) {
  const int full = static_cast<int>(done * width);
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "━" : "╌";
  return text;
}

}  // namespace

ProgressBar::ProgressBar(double start)
    : on_(::isatty(STDERR_FILENO) == 1), start_(start), began_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(double t, double duration) {
  if (!on_) return;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const double speed = wall > 0 ? (t - start_) / wall : 0, done = std::clamp(t / duration, 0.0, 1.0);
  const std::string text = fmt::format(" {:3.0f} %  {:.2f} of {:g} s  {:.3g} × real time  {}", 100 * done, t, duration,
                                       speed, time_left((duration - t) / speed));
  const int room = std::clamp(terminal_width() - static_cast<int>(text.size()) - 1, 0, longest_bar);
  fmt::print(stderr, "\r{}{}\x1b[K", bar(done, room), text);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace marey::cli
