// A short round with damaged BVH files (fuzz_test.cpp says how to have others).
#include "fuzz/bvh_rounds.h"

namespace marey {

TEST(BvhFuzz, SoundFilesAreTaken) {
  for (const fuzz::MeshFile& file : fuzz::bvh_corpus()) {
    const fuzz::Verdict verdict = fuzz::read_bvh(file);
    EXPECT_EQ(verdict.code, 0) << file.name;
    EXPECT_EQ(verdict.fault, "") << file.name;
  }
}
TEST(BvhFuzz, Files) { fuzz::fuzz_bvh(fuzz::Round("BvhFuzz.Files", 3000)); }

}  // namespace marey
