// What a round must come to.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "fuzz/workers.h"

namespace marey::fuzz {

inline void expect_no_faults(const Outcome& outcome, const Round& round) {
  std::printf("%s, seed %llu: %s", round.name.c_str(), static_cast<unsigned long long>(round.seed),
              text_of(outcome).c_str());
  EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.size() << " faults; they are named above";
  EXPECT_EQ(outcome.done, round.cases);
  // Where everything is refused at the door nothing behind it is tried.
  if (round.cases >= 100) {
    EXPECT_GT(outcome.codes[0], round.cases / 20);
  }
}

}  // namespace marey::fuzz
