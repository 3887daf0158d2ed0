// marey bench shapes: nanoseconds for the manifold of two convex solids, for every pair of kinds: cold, and with what the
// step before has found.
//
//   bench_shapes [--json]
//
// Sixty-four poses a pair of kinds, solids of about one metre with their surfaces within a centimetre of each other, half
// of them apart and half overlapping; between steps they move by a micrometre and turn by a microradian. Then the broad
// phase, for 10³ to 10⁵ boxes, and solids on a floor that is a mesh. Beside them Bullet (contact points, cold) and FCL
// (signed distance), where they are installed, each in a process of its own with a time limit. One thread, thread CPU time,
// the best of several rounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "marey/shape/broad_phase.h"
#include "marey/shape/collider.h"
#include "marey/shape/manifold.h"
#include "report.h"
#include "shape_peers/ask.h"
#include "support/convex_samples.h"
#include "unit/shape/solids.h"

namespace marey::bench {
namespace {

using samples::Chance;
using V = Vec3<double>;
using X = Transform<double>;

struct Scene {
  Convex a, b;
  X X_WA, X_WB;
  PairCache cache;
};

Convex solid_of(Chance& chance, ConvexKind kind, int vertices) {
  switch (kind) {
    case ConvexKind::plane:
      return convex_plane();
    case ConvexKind::sphere:
      return convex_sphere(0.5);
    case ConvexKind::capsule:
      return convex_capsule(0.25, 1);
    case ConvexKind::box:
      return convex_box({1, 0.8, 0.6});
    case ConvexKind::cylinder:
      return convex_cylinder(0.4, 1);
    case ConvexKind::cone:
      return convex_cone(0.4, 1);
    case ConvexKind::ellipsoid:
      return convex_ellipsoid({0.5, 0.4, 0.3});
    case ConvexKind::hull:
      return convex_hull(samples::random_hull(chance, vertices, {0.5, 0.4, 0.45}));
    case ConvexKind::triangle:  // of meshes only
      break;
  }
  return {};
}

// b is moved along a random line until the gap is what is wanted.
Scene scene_of(Chance& chance, const Convex& a, const Convex& b, double gap) {
  Scene s{a, b, {chance.turn(), {}}, {chance.turn(), {}}, {}};
  const V way = a.kind == ConvexKind::plane   ? s.X_WA.R * V{0, 0, 1}
                : b.kind == ConvexKind::plane ? s.X_WB.R * V{0, 0, -1}
                                              : chance.direction();
  double low = 0, high = 4;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    s.X_WB.p = middle * way;
    (distance_between(a, s.X_WA, b, s.X_WB).distance < gap ? low : high) = middle;
  }
  return s;
}

void move(Chance& chance, Scene& s) {
  const V w = 1e-6 * chance.direction();
  s.X_WB.R = rotation(Quaternion<double>{1, w.x, w.y, w.z}) * s.X_WB.R;
  s.X_WB.p += 1e-6 * chance.direction();
}

double volatile_sum = 0;

// Four steps of all scenes for each reading of the clock, which costs as much as several queries.
double nanoseconds(std::vector<Scene>& scenes, bool cached) {
  Chance chance(5);
  constexpr std::size_t steps = 4;
  std::vector<Transform<double>> poses(steps * scenes.size());
  double best = 1e300;
  for (int round = 0; round < 30; ++round) {
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t k = 0; k < scenes.size(); ++k) {
        move(chance, scenes[k]);
        poses[step * scenes.size() + k] = scenes[k].X_WB;
      }
    const double start = cpu_seconds();
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t k = 0; k < scenes.size(); ++k) {
        Scene& s = scenes[k];
        Manifold m;
        find_manifold(s.a, s.X_WA, s.b, poses[step * scenes.size() + k], 0.02, m, cached ? &s.cache : nullptr);
        volatile_sum += m.normal_W.x + m.points[0].gap;
      }
    best = std::min(best, (cpu_seconds() - start) / static_cast<double>(poses.size()));
  }
  return 1e9 * best;
}

// ---- other libraries, each in a process of its own with a time limit (bench/shape_peers)

void peer_rows(Report& report, const std::string& which, const char* peer, const char* program, const char* does,
               const std::vector<Scene>& scenes) {
  std::vector<std::string> lines;
  for (const Scene& s : scenes) lines.push_back(text_of(s.a, s.X_WA) + " " + text_of(s.b, s.X_WB));
  const std::optional<PeerAnswer> answer = ask_peer(program, lines, 20);
  if (!answer) return;
  report.row(which, peer, does, answer->nanoseconds, "ns");
  double worst = 0;
  for (size_t k = 0; k < scenes.size(); ++k) {
    const Scene& s = scenes[k];
    const double ours = distance_between(s.a, s.X_WA, s.b, s.X_WB).distance, theirs = answer->distances[k];
    if (!std::isnan(theirs)) worst = std::max(worst, std::abs(theirs - ours));
  }
  report.detail(which, peer, std::string(does) + ", largest difference from the certified distance", worst, "m");
}

// Boxes of one metre, at a density at which each overlaps about two others, that drift by a centimetre a step. Returns
// seconds per step.
double broad_phase_seconds(int boxes) {
  Chance chance(7);
  BroadPhase broad;
  const double side = std::cbrt(4.0 * boxes);
  std::vector<Bounds> bounds;
  std::vector<V> drift;
  for (int k = 0; k < boxes; ++k) {
    const V c{chance.number(0, side), chance.number(0, side), chance.number(0, side)};
    bounds.push_back(widened({c, c}, chance.number(0.3, 0.7)));
    drift.push_back(0.01 * chance.direction());
    broad.add(bounds.back());
  }
  double best = 1e300;
  for (int step = 0; step < 20; ++step) {
    for (int k = 0; k < boxes; ++k) {
      Bounds& b = bounds[static_cast<size_t>(k)];
      b.low += drift[static_cast<size_t>(k)], b.high += drift[static_cast<size_t>(k)];
      broad.move(k, b);
    }
    const double start = cpu_seconds();
    volatile_sum += static_cast<double>(broad.pairs().size());
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}
void broad_phase_rows(Report& report) {
  report.title("broad phase, all boxes moving");
  const int counts[] = {1000, 3162, 10000, 31623, 100000};
  double first = 0, last = 0;
  for (const int n : counts) {
    last = broad_phase_seconds(n);
    if (n == counts[0]) first = last;
    report.row(std::to_string(n) + " boxes", "Marey", "a step", 1e3 * last, "ms");
  }
  report.row("1000 … 100000", "Marey", "exponent of its growth", std::log(last / first) / std::log(100.0), "");
}

// What slides over a floor of 4,800 triangles, sunk in by a tenth of a millimetre. The floor is convex, and known to be; the
// second time it is met triangle by triangle, as concave ones are, and so are the meshes on it.
void mesh_rows(Report& report, bool by_triangles) {
  report.title(by_triangles ? "manifolds on a mesh of 4,800 triangles, triangle by triangle"
                            : "manifolds on a convex mesh of 4,800 triangles");
  const auto solid_of = [&](const Mesh& mesh) {
    auto solid = std::make_shared<MeshSolid>(*mesh_solid(mesh));
    if (by_triangles) solid->hull = nullptr;
    return collider_of(std::shared_ptr<const MeshSolid>(solid));
  };
  const Collider floor = solid_of(solids::fine_box({2, 2, 0.5}, 20));
  const std::pair<const char*, Collider> others[] = {
      {"sphere", collider_of(convex_sphere(0.25))},
      {"box", collider_of(convex_box({0.5, 0.5, 0.5}))},
      {"cylinder", collider_of(convex_cylinder(0.25, 0.5))},
      {"mesh of 12", solid_of(solids::fine_box({0.25, 0.25, 0.25}, 1))},
      {"mesh of 108", solid_of(solids::fine_box({0.25, 0.25, 0.25}, 3))}};
  for (const auto& [name, other] : others) {
    QueryScratch scratch;
    std::vector<Manifold> found;
    double best = 1e300;
    for (int round = 0; round < 10; ++round) {
      const double start = cpu_seconds();
      for (int k = 0; k < 20; ++k) {
        const V at{-1.5 + 0.145 * k, 0.05 * k, 0.75 - 1e-4};
        find_manifolds(floor, {}, other, {rotation_about(V{0, 0, 1}, 0.3), at}, 1e-3, scratch, found);
        volatile_sum += static_cast<double>(found.size());
      }
      best = std::min(best, (cpu_seconds() - start) / 20);
    }
    report.row(fmt::format("floor–{}", name), "Marey", "overlapping", 1e6 * best, "µs");
  }
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  broad_phase_rows(report);
  for (const bool by_triangles : {false, true}) mesh_rows(report, by_triangles);
  report.title("manifolds of two convex solids, near contact");
  for (const bool deep : {false, true})
    for (int i = 0; i < convex_kind_count; ++i)
      for (int j = i; j < convex_kind_count; ++j) {
        if (j == 0) continue;
        Chance chance(static_cast<unsigned>(10 * i + j));
        const Convex a = solid_of(chance, samples::kind_number(i), 100),
                     b = solid_of(chance, samples::kind_number(j), 100);
        std::vector<Scene> scenes;
        for (int k = 0; k < 64; ++k) scenes.push_back(scene_of(chance, a, b, deep ? -0.01 : 0.01));
        const std::string which = std::string(name_of(a.kind)) + "–" + name_of(b.kind);
        report.row(which, "Marey", deep ? "overlapping, cold" : "apart, cold", nanoseconds(scenes, false), "ns");
        report.row(which, "Marey", deep ? "overlapping, cached" : "apart, cached", nanoseconds(scenes, true), "ns");
        if (!known_to_peers(a.kind) || !known_to_peers(b.kind)) continue;
        const std::string how = deep ? "overlapping" : "apart";
        peer_rows(report, which, "Bullet", "shapes_bullet", (how + ", contact points").c_str(), scenes);
        peer_rows(report, which, "FCL", "shapes_fcl", (how + ", signed distance").c_str(), scenes);
      }
  return std::isnan(volatile_sum) ? 1 : 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
