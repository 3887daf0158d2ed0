// Many scenes by chance, run one after another: how many books are left open.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "marey/io/scene.h"
#include "recorded.h"

namespace marey {

// Runs scene_of(1) … scene_of(count), prints whose books are open and returns their number. Each has to reach its end; `look(seed, summary)` may ask for more.
template <class SceneOf, class Look>
int count_open(unsigned count, SceneOf scene_of, Look look) {
  int open = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = scene_of(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ":\n" + text);
    recorded::Memory memory;
    RunSummary s;
    EXPECT_NO_THROW(s = run(parse_scene(text, "random.yaml"), memory));
    EXPECT_TRUE(s.breakdown.empty()) << s.breakdown;
    look(seed, s);
    if (s.ledger.closed) continue;
    ++open;
    std::printf("seed %u: energy %.1e, momenta %.1e %.1e\n", seed, s.ledger.energy_residual_relative,
                s.ledger.linear_momentum_residual_relative, s.ledger.angular_momentum_residual_relative);
  }
  return open;
}
template <class SceneOf>
int count_open(unsigned count, SceneOf scene_of) {
  return count_open(count, scene_of, [](unsigned, const RunSummary&) {});
}

}  // namespace marey
