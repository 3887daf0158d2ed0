// Work that is shared out to threads (marey/core/threads.h).
#include "marey/core/threads.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace marey {

TEST(Threads, EveryPieceIsTakenOnceWhoeverTakesIt) {
  for (const int count : {1, 2, 4}) {
    Threads threads(count);
    for (const std::size_t n : {0u, 1u, 7u, 8u, 1000u}) {
      std::vector<int> seen(n, 0);
      std::vector<std::size_t> first(Threads::pieces(n, 8), n);
      std::vector<std::atomic<int>> at_work(static_cast<std::size_t>(count));
      std::atomic<int> shared_slots = 0;
      threads.in_pieces(n, 8, [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t slot) {
        if (++at_work.at(slot) > 1) ++shared_slots;
        first.at(piece) = from;
        for (std::size_t i = from; i < to; ++i) ++seen.at(i);
        --at_work[slot];
      });
      EXPECT_EQ(seen, std::vector<int>(n, 1)) << count << ' ' << n;
      for (std::size_t piece = 0; piece < first.size(); ++piece) EXPECT_EQ(first[piece], 8 * piece);
      EXPECT_EQ(shared_slots, 0);
    }
  }
}

TEST(Threads, WhatIsThrownArrives) {
  Threads threads(2);
  const auto throwing = [&] {
    threads.in_pieces(100, 1, [](std::size_t piece, std::size_t, std::size_t, std::size_t) {
      if (piece == 57) throw std::runtime_error("57");
    });
  };
  for (int k = 0; k < 3; ++k) EXPECT_THROW(throwing(), std::runtime_error);
}

// Calls that follow each other at once, so that a thread comes late to one and must not take pieces of the next for it; and calls after
// a while, when all sleep.
TEST(Threads, CallsMayFollowEachOtherAtOnce) {
  Threads threads(3);
  long long wrong = 0;
  for (int call = 0; call < 20000; ++call) {
    const auto n = static_cast<std::size_t>(2 + call % 5);
    std::array<int, 8> found{};
    threads.in_pieces(n, 1, [&](std::size_t piece, std::size_t, std::size_t, std::size_t) {
      found[piece] += call + static_cast<int>(piece);
    });
    for (std::size_t piece = 0; piece < n; ++piece) wrong += found[piece] != call + static_cast<int>(piece);
    for (std::size_t piece = n; piece < found.size(); ++piece) wrong += found[piece] != 0;
    if (call % 5000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace marey
