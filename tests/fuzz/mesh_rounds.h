// Damaged mesh files: each is refused with its name in front, or is a solid that can be weighed, wrapped and shot at.
#pragma once

#include "fuzz/expect.h"
#include "fuzz/mesh_mutator.h"
#include "marey/io/mesh.h"
#include "marey/shape/hull.h"
#include "unit/io/mesh_files.h"

namespace marey::fuzz {

inline std::vector<MeshFile> mesh_corpus() {
  using namespace mesh_files;
  const std::string drum =
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
      "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
  const std::string family = gltf_text(R"(, "translation": [1, 0, 0], "rotation": [0, 0, 0, 1], "scale": [2, 3, 4])");
  return {{"cube.obj", obj_cube},  {"drum.obj", drum},
          {"t.stl", stl_text()},   {"b.stl", stl_binary()},
          {"t.gltf", gltf_text()}, {"f.gltf", family},
          {"t.glb", glb()},        {"m.gltf", gltf_text(R"(, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 1,2,3,1])")}};
}

inline Verdict read_mesh(const MeshFile& file) {
  Mesh mesh;
  try {
    mesh = closed_mesh(mesh_files::read(file.name, file.bytes));
  } catch (const Error& e) {
    const std::string message = e.what();
    const bool has_its_name =
        message.starts_with(file.name + ":") || message.find(": there is no such file") != std::string::npos;
    if (e.kind() == ErrorKind::bad_input && has_its_name) return {2, ""};
    return {2, "a refusal of the wrong kind or without a place: " + message};
  } catch (const std::exception& e) {
    return {3, std::string("an exception that is none of ours: ") + e.what()};
  }
  const SolidMass m = solid_mass(mesh, 1000);
  if (!(m.mass > 0) || !finite(m.center)) return {0, "a solid of mass " + std::to_string(m.mass)};
  const BoxTree tree = box_tree(mesh);
  const Vec3<double> size = tree.bounds().high - tree.bounds().low;
  // At a corner of a face, which may be at the rim of what is seen: the ray may also pass it by.
  RayHit hit;
  const Vec3<double> target = mesh.vertices[index(mesh.triangles[0][0])], from = tree.bounds().high + size;
  if (cast_ray(mesh, tree, {from, target - from}, hit) && !(hit.t >= 0 && hit.t <= 3 && finite(hit.normal)))
    return {0, "a ray met the solid at t = " + std::to_string(hit.t)};
  try {
    (void)solid_mass(hull_of_points(mesh.vertices), 1000, 0.1 * norm(size));
  } catch (const InvalidHull&) {
  }
  return {0, ""};
}

inline void fuzz_meshes(const Round& round) {
  const MeshMutator mutator(mesh_corpus());
  const auto text = [&](std::uint64_t n) { return mutator.file(round.seed, n).bytes; };
  expect_no_faults(run_round(
                       round, [&](std::uint64_t n) { return read_mesh(mutator.file(round.seed, n)); }, text),
                   round);
}

}  // namespace marey::fuzz
