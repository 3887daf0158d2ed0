// Motions as BVH: the skeleton of one figure, its joints' angles frame by frame.
//
// At rest (all coordinates zero) every joint of the file has the axes of the world; so, with R_WB(0) and p_WB(0) at rest and C the turn
// of Marey's axes into those of the file,
//   R_WB' = C R_WB R_WB(0)ᵀ Cᵀ      OFFSET = C (p_WB(0) − p_WP(0))      R_P'B' = R_WP'ᵀ R_WB'                            (1)
// Angles are those of R = Rz(a) Rx(b) Ry(c), with
//   R = [ …  −sin a cos b  … ;  …  cos a cos b  … ;  −cos b sin c  sin b  cos b cos c ]                                  (2)
// continued from frame to frame: of (a, b, c) and (a + 180°, 180° − b, c + 180°), and of whole turns, what is nearest.
#include "marey/io/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/exchange/animation.h"
#include "marey/core/index.h"
#include "marey/core/text.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
constexpr double pi = std::numbers::pi, degree = pi / 180;

// Which is meant, or the only one there is.
std::string chosen_figure(const Model& model, const std::string& asked) {
  std::vector<std::string> figures;
  for (int b = 1; b < model.nlink(); ++b) {
    const std::string figure = figure_of(model.names[index(b)]);
    const bool particle = model.links[index(b)].parent == 0 && model.links[index(b)].joint == JointType::point;
    if (!particle && std::ranges::find(figures, figure) == figures.end()) figures.push_back(figure);
  }
  if (figures.empty()) throw Error(ErrorKind::bad_input, "BVH holds the skeleton of a figure; this motion has none");
  if (asked.empty() && figures.size() == 1) return figures.front();
  if (std::ranges::find(figures, asked) != figures.end()) return asked;
  if (figures.size() > 12) figures.resize(12), figures.emplace_back("…");
  throw Error(ErrorKind::bad_input,
              asked.empty() ? fmt::format("BVH holds one figure, and this motion several; choose one by --figure: {}",
                                          either(figures))
                            : fmt::format("--figure: found '{}'; expected {}", printable(asked), either(figures)));
}

// (2), nearest to the angles before.
Vec angles_near(const Mat3<double>& R, const Vec& before) {
  const double cosine = std::hypot(R(0, 1), R(1, 1));
  Vec e{std::atan2(-R(0, 1), R(1, 1)), std::atan2(R(2, 1), cosine), std::atan2(-R(2, 0), R(2, 2))};
  if (cosine < 1e-9) {  // only a ± c is known
    e.x = before.x;
    const double sum = std::atan2(R(0, 2), R(0, 0));  // of a + c where sin b = 1; of c − a where it is −1
    e.z = R(2, 1) > 0 ? sum - e.x : sum + e.x;
  }
  const auto near = [&](Vec x) {
    for (int k = 0; k < 3; ++k) x[k] = before[k] + std::remainder(x[k] - before[k], 2 * pi);
    return x;
  };
  const Vec one = near(e), other = near({e.x + pi, pi - e.y, e.z + pi});
  return norm(other - before) < norm(one - before) ? other : one;
}

class BvhMaker {
 public:
  BvhMaker(const Scene& scene, const Motion& motion, const AnimationRequest& r)
      : model_(scene.model),
        samples_(sample_motion(model_, motion, r)),
        rest_(rest_poses(model_)),
        C_(turned_up(r.up)),
        scale_(r.scale),
        figure_(chosen_figure(model_, r.figure)),
        joint_of_(model_.links.size(), -1) {
    out_.frame_time = 1 / r.per_second;
    out_.frames = static_cast<int>(samples_.times.size());
  }
  BvhMotion make() {
    add_children(0);
    for (std::size_t f = 0; f < samples_.X_WB.size(); ++f) add_frame(f);
    return std::move(out_);
  }

 private:
  // Depth first, as the file has them. A figure's links may hang on another figure: they are roots here.
  void add_children(int parent) {
    for (int b = 1; b < model_.nlink(); ++b) {
      if (figure_of(model_.names[index(b)]) != figure_) continue;
      const int P = model_.links[index(b)].parent;
      const bool root = P == 0 || figure_of(model_.names[index(P)]) != figure_;
      if (parent == 0 ? root : P == parent) add_joint(b, root), add_children(b);
    }
  }
  void add_joint(int b, bool root) {
    BvhJoint joint;
    joint.name = model_.names[index(b)].substr(figure_.size() + 1);
    joint.parent = root ? -1 : joint_of_[index(model_.links[index(b)].parent)];
    if (!root) joint.offset = rest_offset(b);
    if (root || slides(b))
      for (int k = 0; k < 3; ++k) joint.channels.push_back({false, k});
    for (const int axis : {2, 0, 1}) joint.channels.push_back({true, axis});
    const Inertia<double>& I = model_.params.links[index(b)].I;
    const bool leaf = std::ranges::none_of(model_.links, [&](const LinkTopology& l) { return l.parent == b; });
    if (leaf) joint.end = scale_ * (C_ * (rest_[index(b)].R * (I.m > 0 ? (2 / I.m) * I.h : Vec{})));
    joint.first = out_.width;
    out_.width += static_cast<int>(joint.channels.size());
    joint_of_[index(b)] = static_cast<int>(links_.size());
    links_.push_back(b), out_.joints.push_back(std::move(joint)), before_.push_back({});
  }
  Vec rest_offset(int b) const {
    return scale_ * (C_ * (rest_[index(b)].p - rest_[index(model_.links[index(b)].parent)].p));
  }
  // R_WB', p_WB' of (1).
  Transform<double> pose(std::size_t frame, int b) const {
    const Transform<double>& X = samples_.X_WB[frame][index(b)];
    return {C_ * X.R * transpose(rest_[index(b)].R) * transpose(C_), scale_ * (C_ * X.p)};
  }
  bool slides(int b) const {
    const int P = model_.links[index(b)].parent;
    double most = 0, size = 0;
    for (std::size_t f = 0; f < samples_.X_WB.size(); ++f) {
      const Vec p = (inverse(pose(f, P)) * pose(f, b)).p;
      most = std::max(most, norm(p - rest_offset(b))), size = std::max(size, norm(p));
    }
    return most > 1e-9 * (size + scale_);
  }
  void add_frame(std::size_t f) {
    for (std::size_t j = 0; j < links_.size(); ++j) {
      const Transform<double> X_W = pose(f, links_[j]);
      const int P = out_.joints[j].parent;
      const Transform<double> X = P < 0 ? X_W : inverse(pose(f, links_[index(P)])) * X_W;
      before_[j] = angles_near(X.R, before_[j]);
      if (out_.joints[j].channels.size() == 6)
        for (int k = 0; k < 3; ++k) out_.values.push_back(X.p[k]);
      for (int k = 0; k < 3; ++k) out_.values.push_back(before_[j][k] / degree);
    }
  }

  const Model& model_;
  const SampledMotion samples_;
  const std::vector<Transform<double>> rest_;
  const Mat3<double> C_;
  const double scale_;
  const std::string figure_;
  std::vector<int> joint_of_, links_;  // [nlink]; [joint]
  std::vector<Vec> before_;            // [joint] rad
  BvhMotion out_;
};

// Without spaces, which end a name for most readers.
std::string name_in_file(std::string name) {
  for (char& c : name)
    if (c == ' ' || c == '\t' || c == '{' || c == '}') c = '_';
  return name;
}

// −0 would be another text for the same number.
std::string number(double x) {
  std::string text = fmt::format("{:.9f}", x);
  return text == "-0.000000000" ? "0.000000000" : text;
}
std::string numbers(const Vec& p) { return number(p.x) + " " + number(p.y) + " " + number(p.z); }

void append_joint(const BvhMotion& m, int j, const std::string& indent, std::string& out) {
  const BvhJoint& joint = m.joints[index(j)];
  const std::string inner = indent + "\t";
  out += indent + (joint.parent < 0 ? "ROOT " : "JOINT ") + name_in_file(joint.name) + "\n" + indent + "{\n";
  out += inner + "OFFSET " + numbers(joint.offset) + "\n" + inner + fmt::format("CHANNELS {}", joint.channels.size());
  for (const BvhChannel& c : joint.channels)
    out += fmt::format(" {}{}", "XYZ"[c.axis], c.turns ? "rotation" : "position");
  out += "\n";
  for (int k = j + 1; k < static_cast<int>(m.joints.size()); ++k)
    if (m.joints[index(k)].parent == j) append_joint(m, k, inner, out);
  if (joint.end)
    out += inner + "End Site\n" + inner + "{\n" + inner + "\tOFFSET " + numbers(*joint.end) + "\n" + inner + "}\n";
  out += indent + "}\n";
}

std::string write_bvh(const Scene& scene, const Motion& motion, const AnimationRequest& r) {
  if (!(r.scale > 0) || !std::isfinite(r.scale))
    throw Error(ErrorKind::bad_input, fmt::format("found a scale of {:g}; expected one above zero", r.scale));
  return text_of(BvhMaker(scene, motion, r).make());
}

}  // namespace

std::string text_of(const BvhMotion& m) {
  std::string out = "HIERARCHY\n";
  for (int j = 0; j < static_cast<int>(m.joints.size()); ++j)
    if (m.joints[index(j)].parent < 0) append_joint(m, j, "", out);
  out += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9g}\n", m.frames, m.frame_time);
  for (int f = 0; f < m.frames; ++f)
    for (int k = 0; k < m.width; ++k)
      out += number(m.values[index(f) * index(m.width) + index(k)]) + (k + 1 < m.width ? " " : "\n");
  return out;
}

extern const AnimationFormat bvh_format{"bvh", "BVH: the skeleton of one figure and its angles", "HIERARCHY",
                                        write_bvh};

}  // namespace marey
