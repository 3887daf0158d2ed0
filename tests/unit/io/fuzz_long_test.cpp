// The rounds of fuzz_test, long: a hundred thousand of each.
#include "fuzz/rounds.h"

namespace marey {

TEST(FuzzLong, Scenes) { fuzz::fuzz_scenes(fuzz::Round("FuzzLong.Scenes", 100'000)); }
TEST(FuzzLong, Formulas) { fuzz::fuzz_formulas(fuzz::Round("FuzzLong.Formulas", 100'000)); }
TEST(FuzzLong, Units) { fuzz::fuzz_units(fuzz::Round("FuzzLong.Units", 100'000)); }
TEST(FuzzLong, Motions) { fuzz::fuzz_motions(fuzz::Round("FuzzLong.Motions", 100'000)); }

}  // namespace marey
