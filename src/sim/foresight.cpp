#include "sim/foresight.h"

#include <algorithm>
#include <cmath>

namespace marey {

namespace {

constexpr double same_step_length = 1e-6;  // of a step: grids of time are not exact
constexpr double slowest_rate = 0.1;       // ρ beyond which nothing is foreseen
constexpr double rate_margin = 10;
constexpr int most_rounds_foreseen = 3;  // more are not counted
constexpr double most_change = 1e-6;     // m/s, rad/s: works of forces are those of the v⁺ that was guessed
constexpr double most_alone = 32;        // steps of one round

struct Way {  // of (1): factors of Δ₁, Δ₂, Δ₃
  double steps, a, b, c;
};
constexpr std::array<Way, 5> ways{{{1, 1, 0, 0}, {2, 2, -1, 0}, {3, 3, -3, 1}, {2, 0, 1, 0}, {3, 1, 1, -1}}};

double largest_of(std::span<const double> x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

Foresight::Foresight(std::size_t nv, double enough) : enough_(enough), next_(nv) {
  last_.fill(std::vector<double>(nv));
}

void Foresight::forget() { known_ = rate_ = since_ = pending_ = 0; }

void Foresight::take(std::span<const double> v_minus, std::span<const double> v_plus, double h, bool evenly) {
  pending_ = evenly ? 1 : -1, pending_h_ = h;
  for (std::size_t k = 0; k < next_.size(); ++k) next_[k] = v_plus[k] - v_minus[k];
}

void Foresight::begin_step() {
  if (pending_ == 0) return;
  if (pending_ < 0 || !(std::abs(pending_h_ - h_) <= same_step_length * h_)) known_ = 0;
  choose();
  std::rotate(last_.begin(), last_.end() - 1, last_.end());
  last_[0].swap(next_);
  known_ = pending_ > 0 ? std::min(known_ + 1, static_cast<double>(last_.size())) : 0;
  h_ = pending_h_, pending_ = 0;
}

// The way that leads nearest to the step that is about to count.
void Foresight::choose() {
  way_ = -1;
  std::array<double, ways.size()> most{};
  largest_misses(most);
  for (std::size_t w = 0; w < ways.size(); ++w)
    if (ways[w].steps <= known_ && (way_ < 0 || most[w] < error_)) way_ = static_cast<double>(w), error_ = most[w];
}

// Of all ways at once, in as many lanes as a register has.
void Foresight::largest_misses(std::span<double> out) const {
  std::array<std::array<double, 8>, ways.size()> most{};
  const double *next = next_.data(), *one = last_[0].data(), *two = last_[1].data(), *three = last_[2].data();
  const auto look = [&](std::size_t k, std::size_t l) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const double miss = std::abs(next[k] - (ways[w].a * one[k] + ways[w].b * two[k] + ways[w].c * three[k]));
      most[w][l] = miss > most[w][l] ? miss : most[w][l];
    }
  };
  const std::size_t n = next_.size();
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l) look(k + l, l);
  for (; k < n; ++k) look(k, 0);
  for (std::size_t w = 0; w < ways.size(); ++w) out[w] = *std::ranges::max_element(most[w]);
}

int Foresight::rounds_from(double error) const {
  int n = 1;
  for (double left = error * rate_; left > enough_ && n < most_rounds_foreseen; left *= rate_) ++n;
  return error > most_change ? std::max(n, 2) : n;
}

bool Foresight::knows(double h) const { return known_ >= 2 && way_ >= 0 && std::abs(h - h_) <= same_step_length * h_; }

bool Foresight::helps(double h) const {
  if (!knows(h) || !(rate_ > 0 && rate_ < slowest_rate)) return false;
  const double change = largest_of(last_[0]);
  return change > enough_ && rounds_from(error_) < rounds_from(change);
}

void Foresight::guess(std::span<const double> v_minus, std::span<double> v_plus) const {
  const auto [steps, a, b, c] = ways[static_cast<std::size_t>(way_)];
  for (std::size_t k = 0; k < next_.size(); ++k)
    v_plus[k] = v_minus[k] + (a * last_[0][k] + b * last_[1][k] + c * last_[2][k]);
}

std::array<double, 3> Foresight::way() const {
  const auto [steps, a, b, c] = ways[static_cast<std::size_t>(way_)];
  return {a, b, c};
}

bool Foresight::may_be_alone() const { return since_ + 1 < most_alone; }

bool Foresight::will_be_enough(double change) const {
  return rate_ > 0 && change * rate_ <= enough_ && change <= most_change && may_be_alone();
}

bool Foresight::is_enough(double change) {
  return change * rate_ <= enough_ && change <= most_change && ++since_ < most_alone;
}

void Foresight::learn(double before, double change) {
  if (before > 0 && std::isfinite(change)) rate_ = std::max(rate_margin * change / before, 1e-9);
  since_ = 0;
}

template <class Visit>
void Foresight::for_numbers(Visit visit) {
  for (double* x : {&known_, &h_, &rate_, &since_, &way_, &error_, &pending_, &pending_h_}) visit(*x);
  for (std::vector<double>* x : {&last_[0], &last_[1], &last_[2], &next_})
    for (double& value : *x) visit(value);
}

std::vector<double> Foresight::memory() const {
  std::vector<double> all;
  Foresight(*this).for_numbers([&](double& x) { all.push_back(x); });
  return all;
}

void Foresight::recall(std::span<const double> all) {
  for_numbers([&, at = std::size_t{0}](double& x) mutable { x = all[at++]; });
}

}  // namespace marey
