// Damaged BVH files: each is refused with its place, or has joints that are somewhere, and is the same when written and read again.
#pragma once

#include "fuzz/expect.h"
#include "fuzz/mesh_mutator.h"
#include "marey/core.h"
#include "marey/core/index.h"
#include "marey/io/bvh.h"

namespace marey::fuzz {

inline const std::string plain_bvh =
    "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    "  JOINT Knee\n  {\n    OFFSET 0 -4 0\n    CHANNELS 3 Xrotation Yrotation Zrotation\n    End Site\n    {\n      "
    "OFFSET 0 "
    "-5 0\n    }\n  }\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0 0 0 0 0 0 0\n1 2 3 90 0 0 90 0 0\n";

inline std::vector<MeshFile> bvh_corpus() {
  return {{"plain.bvh", plain_bvh},
          {"odd.bvh",
           "hierarchy\r\nROOT mixamorig:Hips{OFFSET 1 2 3\r\nCHANNELS 0\r\nJOINT Left Leg\r\n{OFFSET 0 0 1 CHANNELS 1 "
           "Yrotation EndSite x\r\n{OFFSET 1e2 +3 .5}}}\r\nROOT b{OFFSET 0 0 0 CHANNELS 3 Zposition Xrotation "
           "Yposition}\r\nMOTION\r\nFrames:3\r\nFrameTime:3.333E-02\r\n1 2 3 4 5\r\n6 7\r\n8 -9 10 11 12"}};
}

inline Verdict read_bvh(const MeshFile& file) {
  BvhMotion m;
  try {
    m = parse_bvh(file.bytes, file.name);
  } catch (const Error& e) {
    const std::string message = e.what();
    if (e.kind() == ErrorKind::bad_input && message.starts_with(file.name + ":")) return {2, ""};
    return {2, "a refusal of the wrong kind or without a place: " + message};
  } catch (const std::exception& e) {
    return {3, std::string("an exception that is none of ours: ") + e.what()};
  }
  if (m.values.size() != index(m.frames) * index(m.width)) return {0, "numbers that are no frames"};
  for (const Transform<double>& X : m.poses(m.frames - 1))
    if (!finite(X.p)) return {0, "a joint that is nowhere"};
  // Numbers are printed to nine places, frame times to nine digits, which may become zero.
  try {
    const std::string text = text_of(m);
    if (text_of(parse_bvh(text, file.name)) != text) return {0, "another motion when it is written and read again"};
  } catch (const Error& e) {
    return {0, std::string("what was written is refused: ") + e.what()};
  }
  return {0, ""};
}

inline void fuzz_bvh(const Round& round) {
  const MeshMutator mutator(bvh_corpus());
  const auto text = [&](std::uint64_t n) { return mutator.file(round.seed, n).bytes; };
  expect_no_faults(run_round(
                       round, [&](std::uint64_t n) { return read_bvh(mutator.file(round.seed, n)); }, text),
                   round);
}

}  // namespace marey::fuzz
