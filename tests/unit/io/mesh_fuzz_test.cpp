// A short round with damaged mesh files (fuzz_test.cpp says how to have others).
#include "fuzz/mesh_rounds.h"

namespace marey {

TEST(MeshFuzz, SoundFilesAreTaken) {
  for (const fuzz::MeshFile& file : fuzz::mesh_corpus()) {
    const fuzz::Verdict verdict = fuzz::read_mesh(file);
    EXPECT_EQ(verdict.code, 0) << file.name;
    EXPECT_EQ(verdict.fault, "") << file.name;
  }
}
TEST(MeshFuzz, Meshes) { fuzz::fuzz_meshes(fuzz::Round("MeshFuzz.Meshes", 3000)); }

}  // namespace marey
