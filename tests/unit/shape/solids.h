// Meshes to try: boxes, and random solids made of tetrahedra, of which the sums are known independently of any face.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "marey/shape/mesh.h"

namespace marey::solids {

using V = Vec3<double>;

// A box with quadrilaterals for faces, counterclockwise seen from outside; turned inside out if wished.
inline void add_box(Polygons& polygons, const V& low, const V& high, bool inwards = false) {
  const int base = static_cast<int>(polygons.points.size());
  for (int i = 0; i < 8; ++i)
    polygons.points.push_back({i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
  constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (auto face : faces) {
    if (inwards) std::swap(face[1], face[3]);
    for (int& c : face) c += base;
    polygons.add_face(face);
  }
}
inline Polygons box(const V& low = {0, 0, 0}, const V& high = {1, 1, 1}) {
  Polygons polygons;
  add_box(polygons, low, high);
  return polygons;
}

// A box with n × n squares of two triangles on each of its faces.
inline Mesh fine_box(const V& half, int n) {
  Polygons all;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto corner = [&](int k, int l) {
            V p;
            p[axis] = side * half[axis];
            p[(axis + 1) % 3] = half[(axis + 1) % 3] * (2.0 * k / n - 1);
            p[(axis + 2) % 3] = half[(axis + 2) % 3] * (2.0 * l / n - 1);
            all.points.push_back(p);
            return static_cast<int>(all.points.size()) - 1;
          };
          std::array<int, 4> c{corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)};
          if (side < 0) std::swap(c[1], c[3]);
          for (const auto& t : {std::array{c[0], c[1], c[2]}, std::array{c[0], c[2], c[3]}}) all.add_face(t);
        }
  return closed_mesh(all);
}
struct Chance {
  std::mt19937_64 engine;
  explicit Chance(std::uint64_t seed) : engine(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(engine() % static_cast<std::uint64_t>(n)); }
  V vec(double size = 1) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Mat3<double> turn() {
    return rotation(Quaternion<double>{(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(0.1, 1)});
  }
};

// Cells of a grid, some of them full, such that what is full is bounded by a surface: around each point of the grid both
// the full cells and the empty ones hang together by their faces.
class Cells {
 public:
  explicit Cells(int n) : n_(n), full_(static_cast<std::size_t>(n * n * n), 0) {}
  bool full(int i, int j, int k) const {
    return i >= 0 && j >= 0 && k >= 0 && i < n_ && j < n_ && k < n_ && full_[at(i, j, k)] != 0;
  }
  int size() const { return n_; }
  // Fills or empties a cell, unless the surface would touch itself.
  void flip(int i, int j, int k) {
    full_[at(i, j, k)] ^= 1;
    for (int c = 0; c < 8; ++c)
      if (!is_sound(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1))) {
        full_[at(i, j, k)] ^= 1;
        return;
      }
  }

 private:
  std::size_t at(int i, int j, int k) const { return static_cast<std::size_t>((i * n_ + j) * n_ + k); }
  // Of the eight cells around a point of the grid.
  bool is_sound(int i, int j, int k) const {
    int full_cells = 0;
    for (int c = 0; c < 8; ++c)
      if (full(i - 1 + (c & 1), j - 1 + (c >> 1 & 1), k - 1 + (c >> 2 & 1))) full_cells |= 1 << c;
    return hang_together(full_cells) && hang_together(~full_cells & 255);
  }
  static bool hang_together(int cells) {
    int reached = cells & -cells;
    for (int pass = 0; pass < 8; ++pass)
      for (int c = 0; c < 8; ++c)
        if (reached >> c & 1) reached |= cells & (1 << (c ^ 1) | 1 << (c ^ 2) | 1 << (c ^ 4));
    return reached == cells;
  }
  int n_;
  std::vector<char> full_;
};

struct TetrahedralSolid {
  std::vector<V> vertices;
  std::vector<std::array<int, 4>> tetrahedra;  // of positive volume
  Mesh surface() const {
    // Faces of one tetrahedron alone, counterclockwise seen from outside.
    std::map<std::array<int, 3>, std::array<int, 3>> single;
    for (const auto& t : tetrahedra)
      for (const auto& face : {std::array{t[0], t[2], t[1]}, std::array{t[0], t[1], t[3]}, std::array{t[1], t[2], t[3]},
                               std::array{t[0], t[3], t[2]}}) {
        std::array<int, 3> key = face;
        std::sort(key.begin(), key.end());
        if (!single.emplace(key, face).second) single.erase(key);
      }
    Mesh mesh{vertices, {}};
    for (const auto& [key, face] : single) mesh.triangles.push_back(face);
    return mesh;
  }
};

// Each full cell is six tetrahedra around its diagonal (Kuhn); points of the grid are shaken, so that no two faces are in
// one plane.
inline TetrahedralSolid tetrahedra_of(const Cells& cells, Chance& chance, double shake) {
  const int n = cells.size();
  TetrahedralSolid solid;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= n; ++k)
        solid.vertices.push_back(V{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)} +
                                 chance.vec(shake));
  const auto number = [n](const std::array<int, 3>& p) { return (p[0] * (n + 1) + p[1]) * (n + 1) + p[2]; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (!cells.full(i, j, k)) continue;
        for (const auto& [order, even] : {std::pair{std::array{0, 1, 2}, true},
                                          {std::array{1, 2, 0}, true},
                                          {std::array{2, 0, 1}, true},
                                          {std::array{0, 2, 1}, false},
                                          {std::array{2, 1, 0}, false},
                                          {std::array{1, 0, 2}, false}}) {
          std::array<int, 3> p{i, j, k};
          std::array<int, 4> tetrahedron{number(p)};
          for (std::size_t step = 0; step < 3; ++step) {
            ++p[static_cast<std::size_t>(order[step])];
            tetrahedron[step + 1] = number(p);
          }
          if (!even) std::swap(tetrahedron[1], tetrahedron[2]);
          solid.tetrahedra.push_back(tetrahedron);
        }
      }
  return solid;
}

inline Cells random_cells(Chance& chance, int n, int flips) {
  Cells cells(n);
  for (int f = 0; f < flips; ++f) {
    const auto k = chance.below(n), j = chance.below(n), i = chance.below(n);
    cells.flip(i, j, k);
  }
  return cells;
}

inline TetrahedralSolid random_solid(Chance& chance) {
  for (;;) {
    const int n = 2 + chance.below(3);
    const Cells cells = random_cells(chance, n, 4 * n * n * n);
    TetrahedralSolid solid = tetrahedra_of(cells, chance, 0.15);
    if (!solid.tetrahedra.empty()) return solid;
  }
}

}  // namespace marey::solids
