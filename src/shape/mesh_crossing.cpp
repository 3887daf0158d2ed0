// Whether a surface meets itself: every two triangles whose boxes meet have in common what they share by their corners, and
// nothing else. All signs are exact (predicates.h), so that neither touching nor nearly touching is in doubt.
//
// Two triangles have a point in common if an edge of one meets the other. If they share corners, then beyond these:
//   one corner    if the edge across from it, of one or the other, meets the other triangle: the nearer end of what they
//                 have in common lies on such an edge
//   two corners   if they lie in one plane, on the same side of their edge
#include "shape/mesh_check.h"
#include "shape/predicates.h"

namespace marey {

namespace {

using Place = Vec3<double>;

class CrossingCheck {
 public:
  explicit CrossingCheck(const Mesh& mesh) : mesh_(mesh) {}

  bool meet(int s, int t) const {
    std::array<int, 3> a = mesh_.triangles[index(s)], b = mesh_.triangles[index(t)];
    switch (shared_first(a, b)) {
      case 0:
        return meet_somewhere(a, b);
      case 1:
        return edge_meets(a[1], a[2], b) || edge_meets(b[1], b[2], a);
      case 2:
        return lie_on_each_other(a, b);
      default:
        return true;
    }
  }

 private:
  const Place& at(int v) const { return mesh_.vertices[index(v)]; }

  // Turns and reorders corners so that the shared ones are the first, in the same order; says how many there are.
  static int shared_first(std::array<int, 3>& a, std::array<int, 3>& b) {
    int shared = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = shared; j < 3; ++j) {
        if (a[index(i)] != b[index(j)]) continue;
        std::swap(b[index(j)], b[index(shared)]);
        std::swap(a[index(i)], a[index(shared)]);
        ++shared;
        break;
      }
    }
    return shared;
  }
  bool edge_meets(int p, int q, const std::array<int, 3>& t) const {
    return segment_meets_triangle(at(p), at(q), at(t[0]), at(t[1]), at(t[2]));
  }
  // Whether all corners of t are on one side of the plane of s.
  bool is_beside(const std::array<int, 3>& s, const std::array<int, 3>& t) const {
    const int side = side_of_plane(at(s[0]), at(s[1]), at(s[2]), at(t[0]));
    return side != 0 && side == side_of_plane(at(s[0]), at(s[1]), at(s[2]), at(t[1])) &&
           side == side_of_plane(at(s[0]), at(s[1]), at(s[2]), at(t[2]));
  }
  bool meet_somewhere(const std::array<int, 3>& a, const std::array<int, 3>& b) const {
    if (is_beside(a, b) || is_beside(b, a)) return false;
    for (std::size_t k = 0; k < 3; ++k)
      if (edge_meets(a[k], a[(k + 1) % 3], b) || edge_meets(b[k], b[(k + 1) % 3], a)) return true;
    return false;
  }
  bool lie_on_each_other(const std::array<int, 3>& a, const std::array<int, 3>& b) const {
    const Place &p = at(a[0]), &q = at(a[1]), &r = at(a[2]), &s = at(b[2]);
    if (side_of_plane(p, q, r, s) != 0) return false;
    const int axis = axis_of_view(p, q, r);
    const auto turn = [&](const Place& c) {
      return turn_of(seen_along(axis, p), seen_along(axis, q), seen_along(axis, c));
    };
    return turn(r) == turn(s);
  }
  const Mesh& mesh_;
};

[[noreturn]] void refuse_crossing(const MeshDraft& draft, int triangle, int other) {
  if (draft.face_of[index(triangle)] == draft.face_of[index(other)])
    refuse_triangle(draft, MeshReason::tangled_face, triangle,
                    "crosses or touches itself; expected a polygon that does not", other);
  refuse_triangle(draft, MeshReason::self_crossing, triangle,
                  "crosses or touches " + text_of_face(draft.source, draft.face_of[index(other)]) +
                      " where they are not neighbours; expected a surface that does not meet itself",
                  other);
}

}  // namespace

void check_crossing(const MeshDraft& draft, const BoxTree& tree) {
  const CrossingCheck check(draft.mesh);
  const std::vector<Bounds> boxes = bounds_of(draft.mesh);
  for (int s = 0; s < static_cast<int>(boxes.size()); ++s) {
    int first = -1;  // of those it meets
    tree.overlapping(boxes[index(s)], [&](int t) {
      if (t > s && (first < 0 || t < first) && overlap(boxes[index(s)], boxes[index(t)]) && check.meet(s, t)) first = t;
    });
    if (first >= 0) refuse_crossing(draft, s, first);
  }
}

}  // namespace marey
