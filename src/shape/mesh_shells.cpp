// The closed surfaces ("shells") of which a mesh consists: each has a volume, and lies right within the others.
//
// A shell within no other, or within an even number, is the outside of a solid: the volume within it, counted by its
// orientation, is positive. Within an odd number of others it is the wall of a cavity, and its volume is negative.
// Shells do not touch (mesh_crossing.cpp), so that one vertex tells where a whole shell lies. It lies within those that a
// segment from there to a place outside of everything crosses an odd number of times. Whether the segment crosses a
// triangle is decided by exact signs; if it goes through an edge another segment is tried.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shape/mesh_check.h"
#include "shape/predicates.h"

namespace marey {

namespace {

struct Shell {
  std::vector<int> triangles;
  double volume = 0;
};

// In the order of their first triangles; fills in which shell a triangle belongs to.
std::vector<Shell> shells_of(const Mesh& mesh, const std::vector<int>& opposite, std::vector<int>& shell_of) {
  std::vector<Shell> shells;
  shell_of.assign(mesh.triangles.size(), -1);
  std::vector<int> waiting;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    if (shell_of[index(t)] >= 0) continue;
    const int shell = static_cast<int>(shells.size());
    shells.emplace_back();
    shell_of[index(t)] = shell;
    waiting.push_back(t);
    while (!waiting.empty()) {
      const int here = waiting.back();
      waiting.pop_back();
      shells.back().triangles.push_back(here);
      for (int k = 0; k < 3; ++k) {
        const int beside = opposite[index(3 * here + k)] / 3;
        if (shell_of[index(beside)] < 0) shell_of[index(beside)] = shell, waiting.push_back(beside);
      }
    }
  }
  return shells;
}

// By its faces, from the middle of its box. A face's share a·(b × c)/6 has an error of a few roundings of |a||b||c|.
double volume_within(const MeshDraft& draft, const Shell& shell) {
  Bounds box;
  for (const int t : shell.triangles) box.add(bounds_of(draft.mesh, t));
  const Vec3<double> origin = box.center();
  double sum = 0, sizes = 0;
  for (const int t : shell.triangles) {
    const auto& v = draft.mesh.triangles[index(t)];
    const Vec3<double> a = draft.mesh.vertices[index(v[0])] - origin, b = draft.mesh.vertices[index(v[1])] - origin,
                       c = draft.mesh.vertices[index(v[2])] - origin;
    sum += dot(a, cross(b, c)), sizes += norm(a) * norm(b) * norm(c);
  }
  if (std::abs(sum) <= 16 * std::numeric_limits<double>::epsilon() * sizes)
    refuse_triangle(draft, MeshReason::no_volume, shell.triangles.front(),
                    fmt::format("belongs to a surface of {} triangles with no volume within; expected a solid",
                                shell.triangles.size()));
  return sum / 6;
}

enum class Crossing { none, through, unclear };

Crossing crossing_of(const Mesh& mesh, int triangle, const Vec3<double>& p, const Vec3<double>& q) {
  const auto& v = mesh.triangles[index(triangle)];
  const Vec3<double>&a = mesh.vertices[index(v[0])], &b = mesh.vertices[index(v[1])], &c = mesh.vertices[index(v[2])];
  const int sp = side_of_plane(a, b, c, p), sq = side_of_plane(a, b, c, q);
  if (sp == 0 && sq == 0) return Crossing::unclear;
  if (sp * sq >= 0) return Crossing::none;  // p or q in its plane is not in the triangle: p is on another shell
  const int ab = side_of_plane(p, q, a, b), bc = side_of_plane(p, q, b, c), ca = side_of_plane(p, q, c, a);
  if ((ab < 0 || bc < 0 || ca < 0) && (ab > 0 || bc > 0 || ca > 0)) return Crossing::none;
  return ab == 0 || bc == 0 || ca == 0 ? Crossing::unclear : Crossing::through;
}

// The shells around a place on one of them: those crossed an odd number of times on the way out.
class WayOut {
 public:
  WayOut(const Mesh& mesh, const BoxTree& tree, const std::vector<int>& shell_of)
      : mesh_(mesh), tree_(tree), shell_of_(shell_of) {}

  std::vector<int> shells_around(const Vec3<double>& p, int own) const {
    std::vector<int> crossed;
    int trial = 0;
    while (!try_way(p, own, trial, crossed))
      if (++trial == most_trials)
        throw Error(ErrorKind::bad_input,
                    "a mesh of several surfaces in such a place that none of a hundred segments "
                    "avoids all edges of the others; turn it a little");
    std::sort(crossed.begin(), crossed.end());
    std::vector<int> odd;
    for (std::size_t i = 0, end = 0; i < crossed.size(); i = end) {
      while (end < crossed.size() && crossed[end] == crossed[i]) ++end;
      if ((end - i) % 2 == 1) odd.push_back(crossed[i]);
    }
    return odd;
  }

 private:
  static constexpr int most_trials = 100;

  // Out through the nearest side of the box around everything, nearly along an axis: few boxes are met. A little off it, by
  // shares that do not repeat.
  bool try_way(const Vec3<double>& p, int own, int trial, std::vector<int>& crossed) const {
    const Bounds& all = tree_.bounds();
    const double size = norm(all.high - all.low);
    int axis = 0;
    bool up = true;
    double least = Bounds::infinity;
    for (int i = 0; i < 3; ++i) {
      if (all.high[i] - p[i] < least) least = all.high[i] - p[i], axis = i, up = true;
      if (p[i] - all.low[i] < least) least = p[i] - all.low[i], axis = i, up = false;
    }
    Vec3<double> q = p;
    q[axis] = up ? all.high[axis] + 0.1 * size : all.low[axis] - 0.1 * size;
    q[(axis + 1) % 3] += 1e-3 * size * (std::fmod(0.5 + 0.618033988749895 * trial, 1.0) - 0.4);
    q[(axis + 2) % 3] += 1e-3 * size * (std::fmod(0.3 + 0.754877666246693 * trial, 1.0) - 0.4);
    Bounds way;
    way.add(p), way.add(q);
    crossed.clear();
    bool clear = true;
    tree_.overlapping(way, [&](int t) {
      if (!clear || shell_of_[index(t)] == own) return;
      const Crossing c = crossing_of(mesh_, t, p, q);
      if (c == Crossing::unclear) clear = false;
      if (c == Crossing::through) crossed.push_back(shell_of_[index(t)]);
    });
    return clear;
  }
  const Mesh& mesh_;
  const BoxTree& tree_;
  const std::vector<int>& shell_of_;
};

void refuse_shell(const MeshDraft& draft, const std::vector<Shell>& shells, int shell, const std::vector<int>& around) {
  const int triangle = shells[index(shell)].triangles.front();
  const double volume = shells[index(shell)].volume;
  if (around.empty())
    refuse_triangle(
        draft, MeshReason::inside_out, triangle,
        fmt::format("belongs to a surface with its outside inside (a volume of {:.4g} m³); expected corners "
                    "counterclockwise seen from outside",
                    volume));
  const int outer = shells[index(around.front())].triangles.front();
  refuse_triangle(
      draft, MeshReason::misnested, triangle,
      fmt::format("belongs to a surface within {} other{}, that of {} among them, and faces {}; expected the "
                  "walls of cavities to face into them",
                  around.size(), around.size() > 1 ? "s" : "", text_of_face(draft.source, draft.face_of[index(outer)]),
                  volume > 0 ? "outwards" : "inwards"),
      outer);
}

}  // namespace

void check_shells(const MeshDraft& draft, const BoxTree& tree, const std::vector<int>& opposite) {
  std::vector<int> shell_of;
  std::vector<Shell> shells = shells_of(draft.mesh, opposite, shell_of);
  for (Shell& s : shells) s.volume = volume_within(draft, s);
  const WayOut way_out(draft.mesh, tree, shell_of);
  for (int s = 0; s < static_cast<int>(shells.size()); ++s) {
    const int corner = draft.mesh.triangles[index(shells[index(s)].triangles.front())][0];
    const std::vector<int> around = way_out.shells_around(draft.mesh.vertices[index(corner)], s);
    if ((around.size() % 2 == 0) != (shells[index(s)].volume > 0)) refuse_shell(draft, shells, s, around);
  }
}

}  // namespace marey
