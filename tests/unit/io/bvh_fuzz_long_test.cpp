// The round of bvh_fuzz_test, long.
#include "fuzz/bvh_rounds.h"

namespace marey {

TEST(BvhFuzzLong, Files) { fuzz::fuzz_bvh(fuzz::Round("BvhFuzzLong.Files", 100'000)); }

}  // namespace marey
