// The round of mesh_fuzz_test, long.
#include "fuzz/mesh_rounds.h"

namespace marey {

TEST(MeshFuzzLong, Meshes) { fuzz::fuzz_meshes(fuzz::Round("MeshFuzzLong.Meshes", 100'000)); }

}  // namespace marey
