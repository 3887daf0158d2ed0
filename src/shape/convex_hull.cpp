// A convex polyhedron from its vertices and the loops of its faces.
//
// Normal of a face by Newell's sum over its loop, n ∝ Σ x_i × x_{i+1}: right for any planar loop, and the best fit where
// rounding has bent it. Closed means: each edge occurs in exactly two loops, once in each direction. Convex means: no
// vertex lies above the plane of any face, by more than `thickness`; of hulls with many faces only those of the
// neighbouring faces are looked at: a closed surface without handles that is convex at each edge is convex.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "marey/core.h"
#include "marey/shape/convex.h"
#include "shape/convex_core.h"
#include "shape/join_hull.h"

namespace marey {
namespace {

constexpr double flat = 1e-9;            // what rounding and a hull's own thickness of planes may leave, over the size
constexpr long most_tried = 10'000'000;  // vertices times faces
constexpr size_t most_packed = 192;      // vertices that are looked at, not climbed

[[noreturn]] void refuse_hull(const std::string& reason) {
  throw Error(ErrorKind::bad_input, "not a convex polyhedron: " + reason);
}

class HullMaker {
 public:
  HullMaker(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops, double thickness)
      : thickness_(thickness) {
    hull_.vertices = std::move(vertices);
    measure();
    if (thickness_ < 0) thickness_ = flat * size_;
    for (const std::vector<int>& loop : loops) add_face(loop);
    join_edges();
    check_convex();
    join_vertices();
    for (int k = 0; k < 8; ++k) {
      const Vec3<double> d{k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, k & 4 ? -1.0 : 1.0};
      hull_.corner[index(k)] = farthest_vertex(hull_, d, 0);
    }
    if (hull_.vertices.size() <= most_packed) pack_octants(hull_);
  }
  ConvexHull take() { return std::move(hull_); }

 private:
  void measure() {
    if (hull_.vertices.size() < 4) refuse_hull("fewer than four vertices");
    for (const Vec3<double>& x : hull_.vertices) {
      if (!finite(x)) refuse_hull("a vertex that is not finite");
      hull_.center += (1 / static_cast<double>(hull_.vertices.size())) * x;
      hull_.reach = std::max(hull_.reach, norm(x));
    }
    for (const Vec3<double>& x : hull_.vertices) size_ = std::max(size_, norm(x - hull_.center));
  }
  void add_face(const std::vector<int>& loop) {
    const std::string name = "face " + std::to_string(hull_.faces.size());
    if (loop.size() < 3) refuse_hull(name + " has fewer than three vertices");
    for (const int v : loop)
      if (v < 0 || index(v) >= hull_.vertices.size())
        refuse_hull(name + " names vertex " + std::to_string(v) + ", which is not there");
    Vec3<double> sum;
    const Vec3<double>& origin = hull_.vertices[index(loop[0])];
    for (size_t k = 0; k < loop.size(); ++k)
      sum += cross(vertex(loop[k]) - origin, vertex(loop[(k + 1) % loop.size()]) - origin);
    if (!(norm(sum) > thickness_ * thickness_)) refuse_hull(name + " has no area");
    ConvexHull::Face face{unit(sum), 0, static_cast<int>(hull_.loops.size()), static_cast<int>(loop.size())};
    face.offset = -1e300;
    for (const int v : loop) face.offset = std::max(face.offset, dot(face.normal, vertex(v)));
    hull_.loops.insert(hull_.loops.end(), loop.begin(), loop.end());
    face_of_.insert(face_of_.end(), loop.size(), static_cast<int>(hull_.faces.size()));
    hull_.faces.push_back(face);
  }
  // Each edge from the loop that runs it forwards, left, and the one that runs it backwards, right.
  void join_edges() {
    std::map<std::pair<int, int>, std::pair<int, int>> sides;  // (from, to) → face, place in loops
    for (int f = 0; f < static_cast<int>(hull_.faces.size()); ++f) {
      const ConvexHull::Face& face = hull_.faces[index(f)];
      for (int k = 0; k < face.count; ++k) {
        const int a = hull_.loops[index(face.first + k)], b = hull_.loops[index(face.first + (k + 1) % face.count)];
        if (!sides.insert({{a, b}, {f, face.first + k}}).second)
          refuse_hull("the edge " + std::to_string(a) + "–" + std::to_string(b) + " is run twice the same way");
      }
    }
    hull_.loop_edges.assign(hull_.loops.size(), -1);
    opposite_.assign(hull_.loops.size(), -1);
    for (const auto& [ends, side] : sides) {
      const auto other = sides.find({ends.second, ends.first});
      if (other == sides.end())
        refuse_hull("open at the edge " + std::to_string(ends.first) + "–" + std::to_string(ends.second));
      opposite_[index(side.second)] = other->second.second;
      if (ends.first > ends.second) continue;
      hull_.loop_edges[index(side.second)] = hull_.loop_edges[index(other->second.second)] =
          static_cast<int>(hull_.edges.size());
      hull_.edges.push_back({ends.first, ends.second, side.first, other->second.first});
    }
    const long euler = static_cast<long>(hull_.vertices.size()) - static_cast<long>(hull_.edges.size()) +
                       static_cast<long>(hull_.faces.size());
    if (euler != 2) refuse_hull("vertices − edges + faces is " + std::to_string(euler) + ", expected 2");
  }
  void check_convex() const {
    const long tries = static_cast<long>(hull_.faces.size()) * static_cast<long>(hull_.vertices.size());
    const bool all = tries <= most_tried;
    for (size_t f = 0; f < hull_.faces.size(); ++f) {
      const ConvexHull::Face& face = hull_.faces[f];
      double lowest = 0;
      const auto look = [&](const Vec3<double>& x) {
        const double above = dot(face.normal, x) - face.offset;
        if (above > thickness_) refuse_hull("a vertex lies outside face " + std::to_string(f));
        lowest = std::min(lowest, above);
      };
      look(hull_.center);
      for (size_t v = 0; all && v < hull_.vertices.size(); ++v) look(hull_.vertices[v]);
      for (int k = 0; k < face.count; ++k) {
        if (!all) look_at_face_beyond(face.first + k, look);
        if (dot(face.normal, vertex(hull_.loops[index(face.first + k)])) < face.offset - thickness_)
          refuse_hull("face " + std::to_string(f) + " is bent");
      }
      if (lowest > -thickness_) refuse_hull("no volume");
    }
  }
  template <class Look>
  void look_at_face_beyond(int place, Look look) const {
    for (const int v : hull_.loop(hull_.faces[index(face_of_[index(opposite_[index(place)])])])) look(vertex(v));
  }
  // Round each vertex: the side before one that begins there ends there, and its opposite begins there.
  void join_vertices() {
    const size_t n = hull_.vertices.size();
    std::vector<int> sides(n, 0), some_side(n, -1);
    for (int k = 0; k < static_cast<int>(hull_.loops.size()); ++k) {
      const size_t v = index(hull_.loops[index(k)]);
      ++sides[v];
      some_side[v] = k;
    }
    hull_.neighbor_first.assign(1, 0);
    for (size_t v = 0; v < n; ++v) {
      int ring = 0, side = some_side[v];
      while (side >= 0 && ring < sides[v]) {
        const ConvexHull::Face& face = hull_.faces[index(face_of_[index(side)])];
        const int within = side - face.first;
        hull_.neighbors.push_back(hull_.loops[index(face.first + (within + 1) % face.count)]);
        hull_.ring_faces.push_back(face_of_[index(side)]);
        hull_.ring_edges.push_back(hull_.loop_edges[index(side)]);
        hull_.ring_ways.push_back(unit(vertex(hull_.neighbors.back()) - hull_.vertices[v]));
        ++ring;
        side = opposite_[index(face.first + (within + face.count - 1) % face.count)];
        if (side == some_side[v]) break;
      }
      if (ring != sides[v] || ring < 3 || side != some_side[v])
        refuse_hull("vertex " + std::to_string(v) + " is not where three or more faces meet");
      hull_.neighbor_first.push_back(static_cast<int>(hull_.neighbors.size()));
    }
  }
  const Vec3<double>& vertex(int v) const { return hull_.vertices[index(v)]; }

  ConvexHull hull_;
  std::vector<int> face_of_, opposite_;  // [loops] the face of a side, and where the same edge is in the loop beyond
  double size_ = 0, thickness_;
};

}  // namespace

ConvexHull make_convex_hull(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops) {
  return join_hull(std::move(vertices), loops, -1);
}
ConvexHull join_hull(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops, double thickness) {
  return HullMaker(std::move(vertices), loops, thickness).take();
}

}  // namespace marey
