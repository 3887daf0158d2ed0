// freeze(): what is refused, and in which order links are stored.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "marey/model.h"
#include "marey/model/general_motion.h"
#include "marey/scalar/instantiate.h"
#include "model/pivots.h"

namespace marey {

const char* name_of(JointType j) {
  constexpr const char* names[] = {"weld",      "hinge",       "slider", "ball",  "free",      "point",
                                   "universal", "cylindrical", "planar", "screw", "ellipsoid", "custom"};
  return names[static_cast<int>(j)];
}

int Model::find(const std::string& name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

template <class T>
Params<T> convert(const Params<double>& p) {
  const auto scalar = [](double x) { return T(x); };
  const auto vec = [&](const Vec3<double>& a) { return Vec3<T>{scalar(a.x), scalar(a.y), scalar(a.z)}; };
  const auto sym = [&](const Sym3<double>& a) {
    return Sym3<T>{scalar(a.xx), scalar(a.yy), scalar(a.zz), scalar(a.xy), scalar(a.xz), scalar(a.yz)};
  };
  const auto mat = [&](const Mat3<double>& a) {
    return Mat3<T>{scalar(a.xx), scalar(a.xy), scalar(a.xz), scalar(a.yx), scalar(a.yy),
                   scalar(a.yz), scalar(a.zx), scalar(a.zy), scalar(a.zz)};
  };
  Params<T> out;
  out.gravity = vec(p.gravity);
  out.links.reserve(p.links.size());
  for (const LinkParams<double>& l : p.links)
    out.links.push_back({{scalar(l.I.m), vec(l.I.h), sym(l.I.J)}, vec(l.l), mat(l.R_PF), vec(l.axis)});
  for (const GeneralParams<double>& g : p.general) {
    GeneralParams<T>& to = out.general.emplace_back();
    for (std::size_t j = 0; j < 6; ++j) to.axes[j] = vec(g.axes[j]), to.constants[j] = scalar(g.constants[j]);
    to.radii = vec(g.radii);
    for (const double c : g.coefficients) to.coefficients.push_back(scalar(c));
  }
  return out;
}

namespace {

bool finite(const Sym3<double>& a) {
  return finite(Vec3<double>{a.xx, a.yy, a.zz}) && finite(Vec3<double>{a.xy, a.xz, a.yz});
}

bool is_identity(const Mat3<double>& R) {
  return R.xx == 1 && R.yy == 1 && R.zz == 1 && R.xy == 0 && R.xz == 0 && R.yx == 0 && R.yz == 0 && R.zx == 0 &&
         R.zy == 0;
}

void check_rotation(const LinkSpec& link) {
  const Mat3<double> E = transpose(link.X_PF.R) * link.X_PF.R - Mat3<double>::identity();
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (!std::isfinite(link.X_PF.R(i, j))) throw InvalidSpec(link.name, "its fixed rotation is not a finite number");
      worst = std::max(worst, std::abs(E(i, j)));
    }
  if (worst > 1e-9 || dot(cross(Vec3<double>{link.X_PF.R.xx, link.X_PF.R.yx, link.X_PF.R.zx},
                                {link.X_PF.R.xy, link.X_PF.R.yy, link.X_PF.R.zy}),
                          {link.X_PF.R.xz, link.X_PF.R.yz, link.X_PF.R.zz}) < 0)
    throw InvalidSpec(link.name, "its fixed rotation is not a rotation");
}

// A body's inertia about its centre has no negative principal moment, and no moment exceeds the sum of the
// other two.
void check_inertia(const LinkSpec& link) {
  const Inertia<double>& I = link.inertia;
  if (!std::isfinite(I.m) || !finite(I.h) || !finite(I.J))
    throw InvalidSpec(link.name, "mass or inertia is not a finite number");
  if (I.m < 0) throw InvalidSpec(link.name, "negative mass (" + std::to_string(I.m) + " kg)");
  if (I.m == 0) {
    const double any = norm(I.h) + std::abs(I.J.xx) + std::abs(I.J.yy) + std::abs(I.J.zz);
    if (any != 0) throw InvalidSpec(link.name, "no mass, but a moment of inertia");
    return;
  }
  const Sym3<double> central = central_inertia(I);
  const Vec3<double> moments = principal_axes(central).moments;
  const double scale = I.J.xx + I.J.yy + I.J.zz, slack = 1e-9 * scale;
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", x);
    return std::string(text);
  };
  if (moments.x < -slack)
    throw InvalidSpec(link.name,
                      "negative moment of inertia about its centre of mass (" + number(moments.x) + " kg m²)");
  if (moments.z > moments.x + moments.y + slack)
    throw InvalidSpec(link.name, "no body has these moments of inertia: " + number(moments.z) + " exceeds the sum of " +
                                     number(moments.x) + " and " + number(moments.y) +
                                     " kg m² (the largest principal moment is at most the sum of the other two)");
}

void check_link(const LinkSpec& link) {
  if (!finite(link.X_PF.p)) throw InvalidSpec(link.name, "its place on the parent is not a finite number");
  check_rotation(link);
  check_inertia(link);
  if (link.joint != JointType::hinge && link.joint != JointType::slider) return;
  const double length = norm(link.axis);
  if (!std::isfinite(length) || length < 1e-300) throw InvalidSpec(link.name, "its joint's axis has no direction");
}

// Parent before child, level by level: links that follow each other are mostly independent, so that a processor works on
// several of them at once. Child links are in the order in which they were written.
std::vector<int> tree_order(const ModelSpec& spec) {
  const int n = static_cast<int>(spec.links.size());
  std::unordered_map<std::string, int> index;
  for (int i = 0; i < n; ++i) {
    const std::string& name = spec.links[i].name;
    if (name.empty()) throw InvalidSpec("", "a link needs a name");
    if (name == "world") throw InvalidSpec(name, "this name belongs to link 0, the world");
    if (!index.emplace(name, i).second) throw InvalidSpec(name, "two links have this name");
  }
  std::vector<std::vector<int>> sons(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i) {
    const std::string& parent = spec.links[i].parent;
    const auto it = index.find(parent);
    if (parent != "world" && it == index.end())
      throw InvalidSpec(spec.links[i].name, "its parent '" + parent + "' does not exist");
    sons[parent == "world" ? n : it->second].push_back(i);
  }
  std::vector<int> order = sons[n];
  std::vector<bool> reached(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < order.size(); ++k) {
    reached[order[k]] = true;
    order.insert(order.end(), sons[order[k]].begin(), sons[order[k]].end());
  }
  for (int i = 0; i < n; ++i)
    if (!reached[i])
      throw InvalidSpec(spec.links[i].name, "it hangs on itself: following its parents never reaches the world");
  return order;
}

void append(Model& model, const LinkSpec& link, int parent) {
  LinkTopology t;
  t.parent = parent;
  t.joint = link.joint;
  t.turned = !is_identity(link.X_PF.R);
  t.q = model.nq;
  t.v = model.nv;
  if (is_general(link.joint)) {
    FrozenJoint joint = freeze_general(link);
    t.general = static_cast<std::int16_t>(model.general.size());
    if (link.joint == JointType::custom) t.custom_freedoms = static_cast<std::uint8_t>(joint.joint.freedoms);
    model.general.push_back(std::move(joint.joint));
    model.params.general.push_back(std::move(joint.params));
    model.coordinates.push_back(std::move(joint.coordinates));
  }
  model.nq += coordinate_count(t);
  model.nv += freedom_count(t);
  LinkParams<double> p{link.inertia, link.X_PF.p, link.X_PF.R, {}};
  if (link.joint == JointType::hinge || link.joint == JointType::slider) p.axis = (1 / norm(link.axis)) * link.axis;
  model.links.push_back(t);
  model.params.links.push_back(p);
  model.names.push_back(link.name);
  model.shapes.push_back(link.shapes);
}

void mark_sons(Model& model) {
  for (int i = model.nlink() - 1; i > 0; --i) {
    LinkTopology& parent = model.links[model.links[i].parent];
    model.links[i].opens = parent.leaf;
    parent.leaf = false;
  }
}

}  // namespace

Model freeze(const ModelSpec& spec) {
  if (!finite(spec.gravity)) throw InvalidSpec("world", "gravity is not a finite number");
  for (const LinkSpec& link : spec.links) check_link(link);
  const std::vector<int> order = tree_order(spec);
  Model model;
  model.params.gravity = spec.gravity;
  model.links.emplace_back();
  model.params.links.emplace_back();
  model.names.emplace_back("world");
  model.shapes.emplace_back();
  std::unordered_map<std::string, int> stored{{"world", 0}};
  for (int i : order) {
    append(model, spec.links[i], stored.at(spec.links[i].parent));
    stored.emplace(spec.links[i].name, model.nlink() - 1);
  }
  mark_sons(model);
  check_pivots(model);
  return model;
}

State neutral_state(const Model& model) {
  State s;
  s.q.assign(static_cast<std::size_t>(model.nq), 0.0);
  s.v.assign(static_cast<std::size_t>(model.nv), 0.0);
  for (const LinkTopology& link : model.links)
    if (has_attitude(link.joint)) s.q[link.q] = 1;
  return s;
}

#define MAREY_INSTANTIATE(T) template Params<T> convert<T>(const Params<double>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
