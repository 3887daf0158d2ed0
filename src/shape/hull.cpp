// Convex hulls by qhull's reentrant library.
//
// Points are handed over relative to the middle of their box and in units of its size (a power of two, so that nothing is
// rounded). Their coordinates are taken to be off by a few units in the last place of the largest; qhull is told so, and
// joins faces that may lie in one plane then. A vertex with only two faces left is in the middle of an edge, and is left
// out.
#include "marey/shape/hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "shape/join_hull.h"
#include "shape/moments.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace marey {

namespace {

// How coordinates are rounded, by whoever turned them in space: units in the last place of the largest.
constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();
// What is thinner, compared to how coordinates are rounded, is flat.
constexpr double flat = 500;
// How far qhull's faces may be off from being convex, compared to the same.
constexpr double convex_to = 5000;

using Face = std::vector<int>;  // vertices, counterclockwise seen from outside

std::vector<Vec3<double>> distinct(std::span<const Vec3<double>> points) {
  std::vector<int> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto less = [&](int a, int b) {
    const Vec3<double>&p = points[index(a)], &q = points[index(b)];
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
  };
  std::stable_sort(order.begin(), order.end(), less);
  std::erase_if(order, [&, last = -1](int i) mutable {
    const bool again = last >= 0 && !less(last, i);
    if (!again) last = i;
    return again;
  });
  std::sort(order.begin(), order.end());
  std::vector<Vec3<double>> kept;
  for (const int i : order) kept.push_back(points[index(i)]);
  return kept;
}

void check_points(std::span<const Vec3<double>> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3<double>& p = points[i];
    if (!finite(p))
      throw InvalidHull(HullReason::not_finite,
                        fmt::format("found point {} at ({}, {}, {}); expected finite numbers", i + 1, p.x, p.y, p.z));
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > largest_coordinate)
      throw InvalidHull(HullReason::out_of_range,
                        fmt::format("found point {} at ({}, {}, {}); expected coordinates up to {:g} m", i + 1, p.x,
                                    p.y, p.z, largest_coordinate));
  }
}

// The point for which `measure` is largest.
template <class Measure>
std::size_t farthest(std::span<const Vec3<double>> points, Measure measure) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (measure(points[i]) > measure(points[best])) best = i;
  return best;
}

// Refuses points in a line or in a plane, by a tetrahedron made of the farthest ones.
void check_extent(std::span<const Vec3<double>> points, double blur) {
  const Vec3<double> a = points[farthest(points, [&](const Vec3<double>& p) { return norm(p - points[0]); })];
  const Vec3<double> b = points[farthest(points, [&](const Vec3<double>& p) { return norm(p - a); })];
  const Vec3<double> along = (1 / norm(b - a)) * (b - a);
  const auto off_line = [&](const Vec3<double>& p) { return norm(cross(along, p - a)); };
  const Vec3<double> c = points[farthest(points, off_line)];
  if (!(off_line(c) > flat * blur))
    throw InvalidHull(HullReason::collinear,
                      fmt::format("found {} points in one line; expected points that span a solid", points.size()));
  const Vec3<double> n = cross(along, c - a), normal = (1 / norm(n)) * n;
  const auto off_plane = [&](const Vec3<double>& p) { return std::abs(dot(normal, p - a)); };
  if (!(off_plane(points[farthest(points, off_plane)]) > flat * blur))
    throw InvalidHull(HullReason::coplanar,
                      fmt::format("found {} points in one plane; expected points that span a solid", points.size()));
}

// A run of qhull, and what it says when it fails.
class Qhull {
 public:
  Qhull(std::span<const Vec3<double>> points, const Vec3<double>& origin, double scale, double blur) {
    coordinates_.reserve(3 * points.size());
    for (const Vec3<double>& p : points)
      for (int i = 0; i < 3; ++i) coordinates_.push_back(scale * (p[i] - origin[i]));
    std::FILE* words = ::open_memstream(&text_, &length_);
    if (words == nullptr) throw Error(ErrorKind::cannot_go_on, "no memory for the messages of qhull");
    qh_zero(&qh_, words);
    std::string command = fmt::format("qhull E{:.17g}", scale * blur);
    const int status =
        qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), 0, command.data(), nullptr, words);
    std::fclose(words);
    if (status == 0) return;
    const std::string said = first_line();
    free_all();
    throw InvalidHull(
        HullReason::too_thin,
        fmt::format("found {} points of which qhull makes no hull ({}); expected points that span a solid",
                    points.size(), said));
  }
  ~Qhull() { free_all(); }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  // Corners in either direction; points as numbers.
  std::vector<Face> faces() {
    std::vector<Face> all;
    for (const facetT* f = qh_.facet_list; f != nullptr && f->next != nullptr; f = f->next)
      all.push_back(f->simplicial ? corners_of(f) : ring_of(f));
    return all;
  }

 private:
  int number_of(const vertexT* v) const { return static_cast<int>((v->point - coordinates_.data()) / 3); }
  Face corners_of(const facetT* f) const {
    Face face;
    for (void** v = &f->vertices->e[0].p; *v != nullptr; ++v) face.push_back(number_of(static_cast<vertexT*>(*v)));
    return face;
  }
  // A face that was joined has its edges ("ridges") in no order.
  Face ring_of(const facetT* f) const {
    std::vector<std::pair<int, int>> edges;
    for (void** r = &f->ridges->e[0].p; *r != nullptr; ++r) {
      const ridgeT* ridge = static_cast<ridgeT*>(*r);
      edges.emplace_back(number_of(static_cast<vertexT*>(ridge->vertices->e[0].p)),
                         number_of(static_cast<vertexT*>(ridge->vertices->e[1].p)));
    }
    if (edges.empty()) return {};
    Face face{edges.front().first};
    int at = edges.front().second;
    edges.erase(edges.begin());
    while (at != face.front()) {
      const auto next = std::ranges::find_if(edges, [at](const auto& e) { return e.first == at || e.second == at; });
      if (next == edges.end()) return {};
      face.push_back(at);
      at = next->first == at ? next->second : next->first;
      edges.erase(next);
    }
    return edges.empty() ? face : Face{};
  }
  std::string first_line() const {
    const std::string all(text_, length_);
    return all.substr(0, all.find('\n'));
  }
  void free_all() {
    int long_left = 0, bytes_left = 0;
    qh_freeqhull(&qh_, 0);
    qh_memfreeshort(&qh_, &long_left, &bytes_left);
    std::free(text_);
    text_ = nullptr;
  }
  qhT qh_{};
  std::vector<double> coordinates_;
  char* text_ = nullptr;
  std::size_t length_ = 0;
};

void turn_outwards(std::span<const Vec3<double>> points, const Vec3<double>& inside, std::vector<Face>& faces) {
  for (Face& face : faces)
    if (!face.empty() && dot(area_normal(points, face), points[index(face[0])] - inside) < 0)
      std::reverse(face.begin(), face.end());
}

void leave_out_middles_of_edges(std::size_t points, std::vector<Face>& faces) {
  std::vector<int> count(points, 0);
  for (const Face& face : faces)
    for (const int v : face) ++count[index(v)];
  for (Face& face : faces) std::erase_if(face, [&](int v) { return count[index(v)] < 3; });
}

// Numbers the vertices that are left, and puts the faces, each beginning with its least vertex, in the order of these.
ConvexHull hull_of(std::span<const Vec3<double>> points, std::vector<Face> faces, double thickness) {
  std::vector<int> number(points.size(), -1);
  for (const Face& face : faces)
    for (const int v : face) number[index(v)] = 0;
  std::vector<Vec3<double>> vertices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(vertices.size());
    vertices.push_back(points[i]);
  }
  for (Face& face : faces) {
    for (int& v : face) v = number[index(v)];
    if (!face.empty()) std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  }
  std::sort(faces.begin(), faces.end());
  return join_hull(std::move(vertices), faces, thickness);
}

}  // namespace

const char* name_of(HullReason reason) {
  constexpr std::array names{"too few points", "not finite", "out of range", "bad rounding",
                             "collinear",      "coplanar",   "too thin"};
  return names[static_cast<std::size_t>(reason)];
}

ConvexHull hull_of_points(std::span<const Vec3<double>> points) {
  check_points(points);
  const std::vector<Vec3<double>> kept = distinct(points);
  if (kept.size() < 4)
    throw InvalidHull(HullReason::too_few_points, fmt::format("found {} points of which {} differ; expected at least 4",
                                                              points.size(), kept.size()));
  Bounds box;
  for (const Vec3<double>& p : kept) box.add(p);
  const double size = norm(box.high - box.low);
  if (!(size > smallest_coordinate))  // squares of it would be lost
    throw InvalidHull(HullReason::too_thin,
                      fmt::format("found {} points within {:g} m; expected points that span a solid", kept.size(),
                                  smallest_coordinate));
  const double largest = std::max(norm(box.high), norm(box.low)), blur = roundings * std::max(size, largest);
  check_extent(kept, blur);
  std::vector<Face> faces = Qhull(kept, box.center(), std::ldexp(1.0, -std::ilogb(size)), blur).faces();
  Vec3<double> inside;
  double count = 0;
  for (const Face& face : faces)
    for (const int v : face) inside += kept[index(v)] - box.center(), ++count;
  turn_outwards(kept, box.center() + (1 / count) * inside, faces);
  leave_out_middles_of_edges(kept.size(), faces);
  try {
    return hull_of(kept, std::move(faces), convex_to * blur);
  } catch (const Error&) {
    throw InvalidHull(
        HullReason::too_thin,
        fmt::format("found {} points so nearly in a plane, or so close together, that the hull is lost in "
                    "rounding; expected points that span a solid",
                    kept.size()));
  }
}

Mesh mesh_of(const ConvexHull& hull) {
  Mesh mesh;
  mesh.vertices = hull.vertices;
  for (const ConvexHull::Face& face : hull.faces) {
    const auto corners = hull.loop(face);
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
      mesh.triangles.push_back({corners[0], corners[i], corners[i + 1]});
  }
  return mesh;
}

}  // namespace marey
