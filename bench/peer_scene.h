// Scenes of figures of ellipsoids and capsules, told to engines that read no scene format of Marey's: as numbers (lying_peers/lying_figure.h)
// and in MuJoCo's format.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "lying_peers/lying_figure.h"
#include "marey/core/index.h"
#include "marey/io/scene.h"
#include "peers/from_model.h"

namespace marey::bench {

// What a peer is told beside the scene.
struct PeerTerms {
  std::vector<double> damping;  // [nv] of the joints, N m s/rad
  double friction = 0;          // coefficient, of all that touches
};

[[noreturn]] inline void refuse_shape() {
  throw Error(ErrorKind::bad_input, "found a shape that is neither ellipsoid nor capsule");
}

inline lying::Solid solid_of(const Shape& shape, std::size_t link) {
  lying::Solid out;
  out.link = link;
  const Quaternion<double> q = quaternion_of(shape.X_BS.R);
  out.quat_BS = {q.w, q.x, q.y, q.z};
  out.p_BoSo_B = {shape.X_BS.p.x, shape.X_BS.p.y, shape.X_BS.p.z};
  if (const auto* e = std::get_if<Ellipsoid>(&shape.solid))
    out.radii = {e->radii.x, e->radii.y, e->radii.z};
  else if (const auto* c = std::get_if<Capsule>(&shape.solid))
    out.radii = {c->radius, c->radius, 0.5 * c->length}, out.capsule = true;
  else
    refuse_shape();
  return out;
}

// The links of each figure, by their roots on the world.
inline std::vector<std::vector<int>> figures_in(const Model& model) {
  std::vector<std::vector<int>> figures;
  std::vector<std::size_t> figure_of_link(index(model.nlink()));
  for (int i = 1; i < model.nlink(); ++i) {
    const int parent = model.links[index(i)].parent;
    if (parent == 0) figures.emplace_back();
    figure_of_link[index(i)] = parent == 0 ? figures.size() - 1 : figure_of_link[index(parent)];
    figures[figure_of_link[index(i)]].push_back(i);
  }
  return figures;
}

// Of the figure of these links.
inline lying::Figure figure_of(const Scene& scene, const State& start, const PeerTerms& terms,
                               const std::vector<int>& links) {
  const Model& model = scene.model;
  lying::Figure f;
  f.links.gravity = {model.params.gravity.x, model.params.gravity.y, model.params.gravity.z};
  f.friction = terms.friction, f.step = scene.solver.step;
  const auto put = [](std::vector<double>& to, const std::vector<double>& from, int at, int count) {
    to.insert(to.end(), from.begin() + at, from.begin() + at + count);
  };
  const peers::PeerFigure all = peers::peer_figure(model);
  for (const int i : links) {
    const LinkTopology& link = model.links[index(i)];
    peers::PeerLink& own = f.links.links.emplace_back(all.links[index(i - 1)]);
    const auto parent = std::ranges::find(links, link.parent);
    own.parent = parent == links.end() ? 0 : static_cast<int>(parent - links.begin()) + 1;
    put(f.start.q, start.q, link.q, coordinate_count(link)), put(f.start.v, start.v, link.v, freedom_count(link));
    put(f.damping, terms.damping, link.v, freedom_count(link));
    for (const Shape& shape : model.shapes[index(i)]) f.solids.push_back(solid_of(shape, f.links.links.size() - 1));
  }
  return f;
}

// ---- MuJoCo's format

inline std::string numbers(std::initializer_list<double> all) {
  std::string text;
  for (const double x : all) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", x);
  return text;
}
inline std::string place(const Transform<double>& X) {
  const Quaternion<double> q = quaternion_of(X.R);
  return fmt::format("pos=\"{}\" quat=\"{}\"", numbers({X.p.x, X.p.y, X.p.z}), numbers({q.w, q.x, q.y, q.z}));
}
inline std::string geom(const Shape& shape) {
  std::string what;
  if (const auto* e = std::get_if<Ellipsoid>(&shape.solid))
    what = fmt::format("type=\"ellipsoid\" size=\"{}\"", numbers({e->radii.x, e->radii.y, e->radii.z}));
  else if (const auto* c = std::get_if<Capsule>(&shape.solid))
    what = fmt::format("type=\"capsule\" size=\"{}\"", numbers({c->radius, 0.5 * c->length}));
  else
    refuse_shape();
  return fmt::format("<geom {} {}/>", what, place(shape.X_BS));
}

class Mjcf {
 public:
  // `options`: more attributes and elements, as MuJoCo writes them; `among_themselves`: whether figures
  // collide with figures; links of one never do.
  struct Options {
    std::string solver, elements;
    bool among_themselves = false;
  };
  Mjcf(const Scene& scene, const State& start, const PeerTerms& terms, Options options)
      : scene_(scene), model_(scene.model), start_(start), terms_(terms), options_(std::move(options)) {}
  std::string text() {
    std::string bodies;
    for (int i = 1; i < static_cast<int>(model_.links.size()); ++i)
      if (model_.links[index(i)].parent == 0) bodies += body(i);
    return fmt::format(
        "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\" inertiafromgeom=\"false\"/>"
        "<option timestep=\"{:.17g}\" gravity=\"0 0 {:.17g}\" cone=\"elliptic\" {}/>{}"
        "<default><geom friction=\"{:.17g}\" condim=\"3\" contype=\"{}\" conaffinity=\"1\"/></default>"
        "<worldbody><geom type=\"plane\" size=\"0 0 1\" contype=\"1\" conaffinity=\"0\"/>\n{}</worldbody>"
        "{}{}</mujoco>\n",
        scene_.solver.step, model_.params.gravity.z, options_.solver, options_.elements, terms_.friction,
        options_.among_themselves ? 1 : 0, bodies, options_.among_themselves ? exceptions() : "", state());
  }

 private:
  std::string body(int i) {
    const LinkParams<double>& params = model_.params.links[index(i)];
    std::string text =
        fmt::format("<body name=\"b{}\" {}>{}{}", i, place({params.R_PF, params.l}), inertial(params.I), joint(i));
    for (const Shape& shape : model_.shapes[index(i)]) text += geom(shape);
    for (int k = i + 1; k < static_cast<int>(model_.links.size()); ++k)
      if (model_.links[index(k)].parent == i) text += body(k);
    return text + "</body>\n";
  }
  // As a keyframe; of many figures, which are more than MuJoCo reads there, as numbers of one's own, in pieces.
  std::string state() const {
    if (!options_.among_themselves) return fmt::format("<keyframe><key qpos=\"{}\" qvel=\"{}\"/></keyframe>", q_, v_);
    constexpr int most = 100;
    std::string text = "<custom>";
    std::istringstream words(q_ + " " + v_);
    std::string word, piece;
    int count = 0;
    const auto end_piece = [&] {
      if (!piece.empty()) text += fmt::format("<numeric name=\"n{}\" data=\"{}\"/>\n", count, piece);
      piece.clear();
    };
    while (words >> word) {
      piece += (piece.empty() ? "" : " ") + word;
      if (++count % most == 0) end_piece();
    }
    end_piece();
    return text + "</custom>";
  }
  std::string exceptions() const {
    std::string text = "<contact>";
    for (const std::vector<int>& links : figures_in(model_))
      for (std::size_t i = 0; i < links.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
          text += fmt::format("<exclude body1=\"b{}\" body2=\"b{}\"/>", links[k], links[i]);
    return text + "</contact>\n";
  }
  static std::string inertial(const Inertia<double>& I) {
    const Vec3<double> c = (1 / I.m) * I.h;
    const double cc = norm_squared(c);
    const Sym3<double>& J = I.J;
    return fmt::format(
        "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{}\"/>", numbers({c.x, c.y, c.z}), I.m,
        numbers({J.xx - I.m * (cc - c.x * c.x), J.yy - I.m * (cc - c.y * c.y), J.zz - I.m * (cc - c.z * c.z),
                 J.xy + I.m * c.x * c.y, J.xz + I.m * c.x * c.z, J.yz + I.m * c.y * c.z}));
  }
  // Of a free joint places and velocities come first, in the world.
  static void append(std::string& text, std::initializer_list<double> all) {
    for (const double x : all) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", x);
  }
  void put_free(const LinkTopology& link, const LinkParams<double>& params) {
    const double *q = start_.q.data() + link.q, *v = start_.v.data() + link.v;
    const Vec3<double> p = params.l + params.R_PF * Vec3<double>{q[4], q[5], q[6]},
                       u = params.R_PF * Vec3<double>{v[3], v[4], v[5]};
    const Quaternion<double> turn = quaternion_of(params.R_PF * rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}));
    append(q_, {p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z}), append(v_, {u.x, u.y, u.z, v[0], v[1], v[2]});
  }
  // Coordinates in the order in which MuJoCo counts bodies.
  std::string joint(int i) {
    const LinkTopology& link = model_.links[index(i)];
    const double damping = link.joint == JointType::free ? 0 : terms_.damping[index(link.v)];
    const auto put = [](std::string& text, const std::vector<double>& from, int first, int count) {
      for (int k = 0; k < count; ++k) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", from[index(first + k)]);
    };
    if (link.joint == JointType::free) {
      put_free(link, model_.params.links[index(i)]);
      return "<joint type=\"free\"/>";
    }
    const bool ball = link.joint == JointType::ball;
    put(q_, start_.q, link.q, ball ? 4 : 1), put(v_, start_.v, link.v, ball ? 3 : 1);
    const Vec3<double>& a = model_.params.links[index(i)].axis;
    return ball ? fmt::format("<joint type=\"ball\" damping=\"{:.17g}\"/>", damping)
                : fmt::format("<joint type=\"hinge\" axis=\"{}\" damping=\"{:.17g}\"/>", numbers({a.x, a.y, a.z}),
                              damping);
  }

  const Scene& scene_;
  const Model& model_;
  const State& start_;
  const PeerTerms& terms_;
  Options options_;
  std::string q_, v_;
};

}  // namespace marey::bench
