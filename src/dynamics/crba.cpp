// Joint-space inertia by the composite-rigid-body algorithm, its sparse factors, and forward dynamics from them.
//
// Source: Walker & Orin 1982; Featherstone 2008, ch. 6 and §8.4–8.5 (branch-induced sparsity).
//   (1)  I_c of a link: its own inertia and that of all that hangs on it, about Bo in B
//   (2)  for each joint motion s of link i: F = I_c s; M_kj = s_kᵀ F for the joint's own motions and, with F shifted
//        from parent to parent, for those of every joint on the way to the root
//   (3)  M = Lᵀ D L, L unit lower triangular: eliminating from the last row upwards touches only ancestors, so that no
//        entry of unrelated branches ever fills in
//   (4)  M v̇ = τ − b, with b = rnea(v̇ = 0)
// Motions in B: hinge (u, 0), slider (0, u), ball (e_k, 0), free (e_k, 0) and (0, R_FBᵀ e_k), point (0, e_k); those of a
// general joint depend on q (marey/model/general_motion.inl).
#include "marey/dynamics.h"
#include "marey/dynamics/joint.h"
#include "marey/dynamics/tree_matrices.h"
#include "marey/scalar/instantiate.h"

namespace marey {

namespace {

// By the last velocity of each link, or of the nearest ancestor that has one.
void find_parent_freedoms(const Model& model, std::vector<int>& parent_freedom) {
  std::vector<int> last(model.links.size(), -1);
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const int n = freedom_count(link);
    last[i] = n == 0 ? last[link.parent] : link.v + n - 1;
    for (int k = 0; k < n; ++k) parent_freedom[link.v + k] = k == 0 ? last[link.parent] : link.v + k - 1;
  }
}

// Where the row of a freedom begins, and where the freedoms of a link stand in it.
template <class T>
T* row_of(const Model& model, CrbaWorkspace<T>& ws, int freedom) {
  return ws.M.data() + static_cast<std::size_t>(freedom) * static_cast<std::size_t>(model.nv);
}
template <class T>
int column_of(const CrbaWorkspace<T>&, int freedom) {
  return freedom;
}
double* row_of(const Model&, TreeMatrices& ws, int freedom) {
  return ws.M.data() + ws.row[static_cast<std::size_t>(freedom)];
}
int column_of(const TreeMatrices& ws, int freedom) {
  return static_cast<int>(ws.column[static_cast<std::size_t>(freedom)]);
}

}  // namespace

template <class T>
CrbaWorkspace<T>::CrbaWorkspace(const Model& model)
    : rnea(model),
      composite(model.links.size()),
      M(static_cast<std::size_t>(model.nv) * model.nv),
      bias(static_cast<std::size_t>(model.nv)),
      parent_freedom(static_cast<std::size_t>(model.nv)) {
  find_parent_freedoms(model, parent_freedom);
}

TreeMatrices::TreeMatrices(const Model& model)
    : tree_of(static_cast<std::size_t>(model.nv)),
      row(tree_of),
      column(tree_of),
      parent_freedom(static_cast<std::size_t>(model.nv)),
      rnea(model),
      composite(model.links.size()),
      bias(static_cast<std::size_t>(model.nv)) {
  find_parent_freedoms(model, parent_freedom);
  for (std::size_t k = 0; k < tree_of.size(); ++k) {
    const int up = parent_freedom[k];
    if (up < 0) trees.emplace_back();
    tree_of[k] = up < 0 ? trees.size() - 1 : tree_of[static_cast<std::size_t>(up)];
    column[k] = trees[tree_of[k]].count++;
  }
  std::size_t first = 0, numbers = 0;
  for (Tree& tree : trees)
    tree.first = first, tree.M = numbers, first += tree.count, numbers += tree.count * tree.count;
  freedoms.resize(first), M.resize(numbers);
  for (std::size_t k = 0; k < tree_of.size(); ++k) {
    const Tree& tree = trees[tree_of[k]];
    freedoms[tree.first + column[k]] = k, row[k] = tree.M + column[k] * tree.count;
  }
}

namespace {

template <class T>
Vec3<T> unit(int k) {
  return {T(k == 0 ? 1 : 0), T(k == 1 ? 1 : 0), T(k == 2 ? 1 : 0)};
}

// The k-th motion of a joint, in B.
template <class T>
Twist<T> motion(const LinkTopology& link, const LinkParams<T>& params, const RneaWorkspace<T>& ws, int i, int k) {
  switch (link.joint) {
    case JointType::hinge:
      return {params.axis, {}};
    case JointType::slider:
      return {{}, params.axis};
    case JointType::point:
      return {{}, unit<T>(k)};
    case JointType::free:
      if (k >= 3) return {{}, transpose_times(ws.links[i].R_FB, unit<T>(k - 3))};
      [[fallthrough]];
    case JointType::ball:
      return {unit<T>(k), {}};
    default:
      return ws.general[link.general][k];
  }
}

template <class T, class Workspace>
__attribute__((noinline)) JointMotion<T> place_general(const Model& model, const Params<T>& params, const T* q, int i,
                                                       Workspace& ws) {
  GeneralMotion<T> g;
  const JointMotion<T> m = general_joint_motion(model, params, i, q, ws.bias.data(), g);
  ws.rnea.general[model.links[i].general] = g.S;
  return m;
}

// (2): one column's force, carried from link i to the root.
template <class T, class Workspace>
void fill_column(const Model& model, const Params<T>& params, int i, int k, Workspace& ws) {
  Wrench<T> F = ws.composite[i] * motion(model.links[i], params.links[i], ws.rnea, i, k);
  T* row = row_of(model, ws, model.links[i].v + k);
  for (int j = i;; j = model.links[j].parent) {
    const LinkTopology& link = model.links[j];
    const RneaLink<T>& b = ws.rnea.links[j];
    const int motions = j == i ? k + 1 : freedom_count(link);
    for (int m = 0; m < motions; ++m)
      row[column_of(ws, link.v + m)] = power(F, motion(link, params.links[j], ws.rnea, j, m));
    if (link.parent == 0) return;
    const Vec3<T> f_P = b.R * F.f;
    F = {b.R * F.n + cross(b.r, f_P), f_P};
  }
}

template <class T, class Workspace>
void fill_matrix(const Model& model, const Params<T>& params, std::span<const T> q, Workspace& ws) {
  for (T& x : ws.bias) x = T(0);
  const int n = model.nlink();
  for (int i = 1; i < n; ++i) {
    with_joint(model.links[i].joint, [&](auto joint) {
      const JointMotion<T> m = [&] {
        if constexpr (joint.general)
          return place_general(model, params, q.data(), i, ws);
        else
          return joint_motion(joint, model.links[i], params.links[i], q.data(), ws.bias.data());
      }();
      ws.rnea.links[i].R = m.R;
      ws.rnea.links[i].R_FB = m.R_FB;
      ws.rnea.links[i].r = m.r;
    });
    ws.composite[i] = params.links[i].I;
  }
  for (int i = n - 1; i > 0; --i) {
    const int parent = model.links[i].parent;
    const RneaLink<T>& b = ws.rnea.links[i];
    if (parent != 0) ws.composite[parent] += Transform<T>{b.R, b.r} * ws.composite[i];  // (1)
    for (int k = 0; k < freedom_count(model.links[i]); ++k) fill_column(model, params, i, k, ws);
  }
}

}  // namespace

template <class T>
void mass_matrix(const Model& model, const Params<T>& params, std::span<const T> q, CrbaWorkspace<T>& ws) {
  fill_matrix(model, params, q, ws);
}
void mass_matrices(const Model& model, const Params<double>& params, std::span<const double> q, TreeMatrices& ws) {
  fill_matrix(model, params, q, ws);
}

template <class T>
void ltdl_factor(const Model& model, CrbaWorkspace<T>& ws) {
  const std::size_t nv = static_cast<std::size_t>(model.nv);
  const int* up = ws.parent_freedom.data();
  T* M = ws.M.data();
  for (int k = model.nv - 1; k >= 0; --k) {  // (3)
    T* row_k = M + k * nv;
    const T d = T(1) / row_k[k];
    for (int i = up[k]; i >= 0; i = up[i]) {
      const T a = row_k[i] * d;
      T* row_i = M + i * nv;
      for (int j = i; j >= 0; j = up[j]) row_i[j] -= a * row_k[j];
      row_k[i] = a;
    }
  }
}

template <class T>
void ltdl_solve(const Model& model, const CrbaWorkspace<T>& ws, std::span<T> x) {
  const std::size_t nv = static_cast<std::size_t>(model.nv);
  const int* up = ws.parent_freedom.data();
  for (int i = model.nv - 1; i >= 0; --i)
    for (int j = up[i]; j >= 0; j = up[j]) x[j] -= ws.M[i * nv + j] * x[i];
  for (int i = 0; i < model.nv; ++i) {
    x[i] = x[i] / ws.M[i * nv + i];
    for (int j = up[i]; j >= 0; j = up[j]) x[i] -= ws.M[i * nv + j] * x[j];
  }
}

template <class T>
void crba(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
          const Forces<T>& forces, CrbaWorkspace<T>& ws, std::span<T> vdot) {
  mass_matrix(model, params, q, ws);
  ltdl_factor(model, ws);
  for (T& x : vdot) x = T(0);
  rnea<T>(model, params, q, v, vdot, forces.F_Bo_W, ws.rnea, ws.bias);
  for (int i = 0; i < model.nv; ++i) vdot[i] = (forces.tau.empty() ? T(0) : forces.tau[i]) - ws.bias[i];  // (4)
  ltdl_solve<T>(model, ws, vdot);
}

#define MAREY_INSTANTIATE(T)                                                                                   \
  template struct CrbaWorkspace<T>;                                                                            \
  template void mass_matrix(const Model&, const Params<T>&, std::span<const T>, CrbaWorkspace<T>&);            \
  template void ltdl_factor(const Model&, CrbaWorkspace<T>&);                                                  \
  template void ltdl_solve(const Model&, const CrbaWorkspace<T>&, std::span<T>);                               \
  template void crba(const Model&, const Params<T>&, std::span<const T>, std::span<const T>, const Forces<T>&, \
                     CrbaWorkspace<T>&, std::span<T>);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey
