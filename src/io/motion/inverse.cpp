// Inverse dynamics of a motion, frame by frame.
//
// Coordinates come from the recorded poses: X_FB = X_PF⁻¹ X_WP⁻¹ X_WB. In local coordinates ξ around a frame's own q
// (q_i = q ⊕ ξ_i, difference() of integrate.h) v = ξ̇ and v̇ = ξ̈ at ξ = 0, so that with equal times h between frames
//   v = (8 (ξ₁ − ξ₋₁) − (ξ₂ − ξ₋₂)) / 12h      v̇ = (16 (ξ₁ + ξ₋₁) − (ξ₂ + ξ₋₂)) / 12h²                          (1)
// with errors of h⁴.
#include "marey/dynamics/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/motion/tables.h"
#include "marey/contact/surface.h"
#include "marey/force/mass_flow.h"
#include "marey/integrate.h"
#include "marey/io/inverse.h"

namespace marey {

namespace {

const std::vector<std::string> xyz{"x", "y", "z"};

Vec3<double> vec_of(std::span<const double> x) { return {x[0], x[1], x[2]}; }

class Evaluation {
 public:
  Evaluation(const Motion& motion, const Scene& scene, const InverseOptions& options)
      : motion_(motion),
        scene_(scene),
        model_(scene.model),
        options_(options),
        params_(model_.params),
        mass_changes_(model_.links.size()),
        finder_(motion),
        rnea_(model_),
        v_(static_cast<std::size_t>(model_.nv)),
        vdot_(v_),
        tau_(v_),
        F_Bo_W_(model_.links.size()) {
    for (const Element& e : scene.elements)
      if (const MassFlow* flow = e.kind.get_if<MassFlow>())
        for (const int i : flow->links) mass_changes_[static_cast<std::size_t>(i)] = true;
    for (int i = 1; i < model_.nlink(); ++i) find_channels(i);
    if (options.contacts)
      for (const FloorContact& c : scene.contacts) contact_.push_back(find("contact/" + c.name + "/force"));
    if (options.contacts && scene.collide && scene.solver.contact == ContactDriver::stepping) find_touched();
    // Older motions do not hold all of these; where the scene has left them out, that is said.
    const bool chosen = !motion.record.channels.empty();
    if (options.constraints && (chosen || constraint_forces_of(motion) == ConstraintForces::known)) find_constraints();
    if (options.pushes) find_pushes();
    refuse_missing();
    if (options.differentiate) check_times();
  }

  Motion run() {
    Motion out;
    static_cast<MotionInfo&>(out) = static_cast<const MotionInfo&>(motion_);
    out.channels = channels();
    out.file.clear();  // it is in none
    out.values.resize(out.channels.size());
    const std::size_t edge = options_.differentiate ? 2 : 0;
    out.frames = 0;
    for (std::size_t f = edge; f + edge < motion_.frames; ++f, ++out.frames) {
      evaluate(f);
      add_row(f, out);
    }
    return out;
  }

 private:
  struct LinkChannels {
    std::size_t position = 0, orientation = 0, velocity = 0, acceleration = 0;  // 0: none
    std::size_t coordinate = 0;                                                 // of a general joint
    std::size_t mass = 0;                                                       // of a particle whose mass changes
  };

  // Of these the motion holds no joint, but how the link itself moves, in world axes.
  bool is_particle(int i) const {
    const LinkTopology& link = model_.links[static_cast<std::size_t>(i)];
    return link.joint == JointType::point && link.parent == 0;
  }

  // What is missing is said once all of it is known.
  std::size_t find(const std::string& channel) {
    if (finder_.has(channel)) return finder_.find(channel, task);
    missing_.push_back(channel);
    return 0;
  }
  void refuse_missing() const {
    std::vector<std::string> kinds, first;
    for (const std::string& channel : missing_)
      if (const std::string kind = pattern_of_kind(channel); std::ranges::find(kinds, kind) == kinds.end())
        kinds.push_back(kind), first.push_back(channel);
    const bool found_by_differences =
        !options_.differentiate &&
        std::ranges::any_of(kinds, [](const std::string& kind) { return kind.ends_with("/acceleration"); });
    if (!missing_.empty() && !advice_on_missing(motion_, missing_[0]).empty())
      throw Error(
          ErrorKind::bad_input,
          fmt::format("'{}' does not hold '{}', without which there is no {}; its scene records chosen channels "
                      "alone: with '{}' added to 'record: {{channels: …}}', a new run has {}{}",
                      motion_.file, fmt::join(first, "', '"), task, fmt::join(kinds, "', '"),
                      kinds.size() == 1 ? "it" : "them",
                      found_by_differences ? "; --differentiate finds accelerations from the poses" : ""));
    if (!missing_.empty()) finder_.find(missing_[0], task);
  }
  static constexpr const char* task = "inverse dynamics";
  std::vector<std::string> missing_;

  void find_channels(int i) {
    const std::string link = "link/" + model_.names[i] + "/", joint = "joint/" + model_.names[i] + "/";
    LinkChannels c;
    c.position = find(link + "position");
    if (!is_particle(i)) c.orientation = find(link + "orientation");
    if (!options_.differentiate && freedom_count(model_.links[i]) > 0) {
      const std::string moving = is_particle(i) ? link : joint;
      if (!finder_.has(moving + "acceleration") && advice_on_missing(motion_, moving + "acceleration").empty())
        throw Error(ErrorKind::bad_input,
                    fmt::format("'{}' does not hold the acceleration of {}'{}'; --differentiate finds it from the "
                                "poses{}",
                                motion_.file, is_particle(i) ? "" : "the joint of ", model_.names[i],
                                advice_on_missing(motion_, moving + "acceleration")));
      c.velocity = find(moving + "velocity"), c.acceleration = find(moving + "acceleration");
    }
    if (takes_coordinates(model_.links[i])) {
      for (const char* name : {"coordinate", "angle", "slide", "displacement"})  // the last: in older motions
        if (finder_.has(joint + name)) c.coordinate = find(joint + name);
      const std::vector<JointCoordinate> freedoms = freedoms_of(model_, i);
      if (c.coordinate == 0)
        find(joint + (freedoms.size() > 1 ? "coordinate" : freedoms.front().is_length ? "slide" : "angle"));
    }
    if (mass_changes_[static_cast<std::size_t>(i)]) c.mass = find(link + "mass");
    channels_.push_back(c);
  }
  struct ConstraintChannels {
    int a = 0, b = 0;
    std::size_t force = 0, torque = 0, point = 0;
  };
  void find_constraints() {
    for (const Constraint& c : scene_.constraints) {
      const std::string base = "constraint/" + c.name + "/";
      if (acts_in_joints(c)) continue;
      constraints_.push_back({c.a.link, c.b.link, find(base + "force"), find(base + "torque"), find(base + "point")});
    }
  }
  struct PushChannels {
    std::size_t link = 0, force = 0, moment = 0;
  };
  // A hold: its force acts at the common centre of mass of links, on each by its share of the mass (src/force/common_center.h).
  struct HoldChannels {
    std::span<const int> links;
    std::size_t force = 0;
  };
  void find_pushes() {
    for (const Element& e : scene_.elements) {
      const std::string base = "element/" + e.name + "/";
      const bool chosen = !motion_.record.channels.empty();
      if (const Push* push = e.kind.get_if<Push>(); push != nullptr && (chosen || finder_.has(base + "moment")))
        pushes_.push_back({static_cast<std::size_t>(push->link), find(base + "force"), find(base + "moment")});
      if (const std::span<const int> links = held_links(e); !links.empty() && (chosen || finder_.has(base + "force")))
        holds_.push_back({links, find(base + "force")});
    }
  }
  static std::span<const int> held_links(const Element& e) {
    if (const CenterSpring* spring = e.kind.get_if<CenterSpring>()) return spring->links;
    if (const CenterDamper* damper = e.kind.get_if<CenterDamper>()) return damper->links;
    return {};
  }
  void add_hold(const HoldChannels& hold, std::size_t frame) {
    const Vec3<double> force = vec_of(motion_.at(hold.force, frame));
    double mass = 0;
    for (const int i : hold.links) mass += params_.links[static_cast<std::size_t>(i)].I.m;
    for (const int i : hold.links) {
      const Inertia<double>& I = params_.links[static_cast<std::size_t>(i)].I;
      if (!(I.m > 0)) continue;
      const Vec3<double> share = (I.m / mass) * force;
      F_Bo_W_[static_cast<std::size_t>(i)] += Wrench<double>{cross((1 / I.m) * (pose(i, frame).R * I.h), share), share};
    }
  }
  // On a as recorded, about the point; on b the opposite.
  void add_constraint(const ConstraintChannels& c, std::size_t frame) {
    const Vec3<double> f = vec_of(motion_.at(c.force, frame)), n = vec_of(motion_.at(c.torque, frame)),
                       point = vec_of(motion_.at(c.point, frame));
    for (const auto& [link, sign] : {std::pair{c.a, 1.0}, std::pair{c.b, -1.0}})
      if (link != 0)
        F_Bo_W_[static_cast<std::size_t>(link)] +=
            Wrench<double>{sign * (n + cross(point - pose(link, frame).p, f)), sign * f};
  }
  // The coordinates of a general joint do not follow directly from its pose; they are recorded.
  static bool takes_coordinates(const LinkTopology& link) {
    return is_general(link.joint) && coordinate_count(link) == freedom_count(link);
  }

  void check_times() const {
    const std::span<const double> t = motion_.time();
    if (motion_.frames < 5)
      throw Error(ErrorKind::bad_input, fmt::format("'{}' has {} frames; expected at least 5 to differentiate",
                                                    motion_.file, motion_.frames));
    for (std::size_t f = 1; f < motion_.frames; ++f)
      if (std::abs(t[f] - t[f - 1] - (t[1] - t[0])) > 1e-6 * (t[1] - t[0]))
        throw Error(ErrorKind::bad_input,
                    fmt::format("the frames of '{}' are not equally far apart (at {} s); differentiating needs that",
                                motion_.file, t[f]));
  }

  Transform<double> pose(int link, std::size_t frame) const {
    if (link == 0) return {};
    const LinkChannels& c = channels_[static_cast<std::size_t>(link - 1)];
    Transform<double> X;
    X.p = vec_of(motion_.at(c.position, frame));
    if (c.orientation != 0) {
      const std::span<const double> x = motion_.at(c.orientation, frame);
      X.R = rotation(Quaternion<double>{x[0], x[1], x[2], x[3]});
    } else {
      X.R = pose(model_.links[link].parent, frame).R * model_.params.links[link].R_PF;  // a particle keeps its axes
    }
    return X;
  }

  std::vector<double> coordinates(std::size_t frame) const {
    std::vector<double> all(static_cast<std::size_t>(model_.nq));
    for (int i = 1; i < model_.nlink(); ++i) {
      const LinkTopology& link = model_.links[i];
      const LinkParams<double>& params = model_.params.links[i];
      const Transform<double> X_WF = pose(link.parent, frame) * Transform<double>{params.R_PF, params.l};
      const Transform<double> X_FB = inverse(X_WF) * pose(i, frame);
      const Quaternion<double> turn = quaternion_of(X_FB.R);
      const Vec3<double> sine{turn.x, turn.y, turn.z};
      double* q = all.data() + link.q;
      const auto put = [](double* to, const Vec3<double>& x) { to[0] = x.x, to[1] = x.y, to[2] = x.z; };
      if (link.joint == JointType::hinge) q[0] = 2 * std::atan2(dot(params.axis, sine), turn.w);
      if (link.joint == JointType::slider) q[0] = dot(params.axis, X_FB.p);
      if (coordinate_count(link) > freedom_count(link)) q[0] = turn.w, put(q + 1, sine);
      if (link.joint == JointType::free) put(q + 4, X_FB.p);
      if (link.joint == JointType::point) put(q, X_FB.p);
      if (takes_coordinates(link))
        std::ranges::copy(motion_.at(channels_[static_cast<std::size_t>(i - 1)].coordinate, frame), q);
    }
    return all;
  }

  // (1)
  void differentiate(std::size_t frame) {
    const double h = (motion_.time()[motion_.frames - 1] - motion_.time()[0]) / static_cast<double>(motion_.frames - 1);
    std::vector<double> xi[5];
    for (std::size_t k = 0; k < 5; ++k) {
      xi[k].resize(v_.size());
      if (k != 2) difference<double>(model_, q_, coordinates(frame + k - 2), xi[k]);
    }
    for (std::size_t i = 0; i < v_.size(); ++i) {
      v_[i] = (8 * (xi[3][i] - xi[1][i]) - (xi[4][i] - xi[0][i])) / (12 * h);
      vdot_[i] = (16 * (xi[3][i] + xi[1][i]) - (xi[4][i] + xi[0][i])) / (12 * h * h);
    }
    // An angle is known up to whole turns; from frame to frame it takes the shorter way.
    for (int i = 1; i < model_.nlink(); ++i)
      if (model_.links[i].joint == JointType::hinge) unwrap(xi, model_.links[i].v, h);
  }
  void unwrap(const std::vector<double> (&xi)[5], int at, double h) {
    double x[5];
    for (int k = 0; k < 5; ++k) x[k] = std::remainder(xi[k][static_cast<std::size_t>(at)], 2 * M_PI);
    v_[at] = (8 * (x[3] - x[1]) - (x[4] - x[0])) / (12 * h);
    vdot_[at] = (16 * (x[3] + x[1]) - (x[4] + x[0])) / (12 * h * h);
  }

  void take_recorded(std::size_t frame) {
    for (int i = 1; i < model_.nlink(); ++i) {
      const LinkTopology& link = model_.links[i];
      const LinkChannels& c = channels_[static_cast<std::size_t>(i - 1)];
      if (is_particle(i)) {
        const Mat3<double>& R_WF = model_.params.links[static_cast<std::size_t>(i)].R_PF;
        const Vec3<double> v = transpose_times(R_WF, vec_of(motion_.at(c.velocity, frame))),
                           vdot = transpose_times(R_WF, vec_of(motion_.at(c.acceleration, frame)));
        for (int k = 0; k < 3; ++k) v_[link.v + k] = v[k], vdot_[link.v + k] = vdot[k];
        continue;
      }
      for (int k = 0; k < freedom_count(link); ++k) {
        v_[link.v + k] = motion_.at(c.velocity, frame)[static_cast<std::size_t>(k)];
        vdot_[link.v + k] = motion_.at(c.acceleration, frame)[static_cast<std::size_t>(k)];
      }
    }
  }

  void evaluate(std::size_t frame) {
    q_ = coordinates(frame);
    options_.differentiate ? differentiate(frame) : take_recorded(frame);
    for (std::size_t i = 1; i < params_.links.size(); ++i)
      if (const std::size_t mass = channels_[i - 1].mass; mass != 0) params_.links[i].I.m = motion_.at(mass, frame)[0];
    for (Wrench<double>& F : F_Bo_W_) F = {};
    for (const Touched& t : touched_)
      F_Bo_W_[t.link] += Wrench<double>{vec_of(motion_.at(t.moment, frame)), vec_of(motion_.at(t.force, frame))};
    for (std::size_t c = 0; c < contact_.size(); ++c) {
      const FloorContact& contact = scene_.contacts[c];
      const Vec3<double> f = vec_of(motion_.at(contact_[c], frame));
      F_Bo_W_[contact.link] += Wrench<double>{cross(offset_of_contact(contact, pose(contact.link, frame).R), f), f};
    }
    for (const ConstraintChannels& c : constraints_) add_constraint(c, frame);
    for (const PushChannels& p : pushes_)
      F_Bo_W_[p.link] += Wrench<double>{vec_of(motion_.at(p.moment, frame)), vec_of(motion_.at(p.force, frame))};
    for (const HoldChannels& h : holds_) add_hold(h, frame);
    rnea<double>(model_, params_, q_, v_, vdot_, F_Bo_W_, rnea_, tau_);
  }

  // Columns and units of a general joint: one of each for every coordinate.
  void name_freedoms(int link, std::vector<std::string>& columns, std::string& unit) const {
    columns.clear(), unit.clear();
    bool alike = true;
    const std::vector<JointCoordinate> freedoms = freedoms_of(model_, link);
    for (const JointCoordinate& c : freedoms) {
      columns.push_back(freedoms.size() == 1 ? "" : c.name);
      unit += (unit.empty() ? "" : ", ") + std::string(c.is_length ? "N" : "N m");
      alike = alike && c.is_length == freedoms[0].is_length;
    }
    if (alike) unit = freedoms[0].is_length ? "N" : "N m";
  }

  std::vector<Channel> channels() const {
    std::vector<Channel> all{motion_.channels[0]};
    for (int i = 1; i < model_.nlink(); ++i) {
      const LinkTopology& link = model_.links[i];
      const std::string base = "joint/" + model_.names[i] + "/";
      if (freedom_count(link) > 0) {
        const bool single = freedom_count(link) == 1, free = link.joint == JointType::free;
        const bool shifts = link.joint == JointType::slider || link.joint == JointType::point;
        std::vector<std::string> columns = single ? std::vector<std::string>{""} : xyz;
        if (free) columns = {"nx", "ny", "nz", "fx", "fy", "fz"};
        std::string unit = free ? "N m, N" : shifts ? "N" : "N m";
        if (is_general(link.joint)) name_freedoms(i, columns, unit);
        all.push_back({base + "torque", unit, columns, "what the joint's own freedoms must provide"});
      }
      all.push_back({base + "force", "N", xyz, "force on the link by its parent at the joint, in world axes"});
      all.push_back({base + "moment", "N m", xyz, "moment on the link by its parent about the joint, in world axes"});
    }
    for (int i = 1; i < model_.nlink(); ++i) {
      if (model_.links[i].parent != 0) continue;
      const std::string base = "root/" + model_.names[i] + "/";
      all.push_back({base + "force", "N", xyz, "force on the root by the world, in world axes"});
      all.push_back({base + "moment", "N m", xyz, "moment on the root by the world about its origin, in world axes"});
    }
    return all;
  }

  // In the order of channels().
  void add_row(std::size_t frame, Motion& out) const {
    std::size_t at = 0;
    out.values[at++].push_back(motion_.time()[frame]);
    const auto add = [&](const Vec3<double>& x) {
      for (const double c : {x.x, x.y, x.z}) out.values[at].push_back(c);
      ++at;
    };
    for (int i = 1; i < model_.nlink(); ++i) {
      const LinkTopology& link = model_.links[i];
      const int n = freedom_count(link);
      for (int k = 0; k < n; ++k) out.values[at].push_back(tau_[link.v + k]);
      if (n > 0) ++at;
      const Wrench<double> F = joint_wrench(model_, rnea_, i);
      add(F.f), add(F.n);
    }
    for (int i = 1; i < model_.nlink(); ++i) {
      if (model_.links[i].parent != 0) continue;
      const Wrench<double> F = joint_wrench(model_, rnea_, i);
      add(F.f), add(F.n);
    }
  }

  const Motion& motion_;
  const Scene& scene_;
  const Model& model_;
  const InverseOptions options_;
  Params<double> params_;           // with the masses of the frame
  std::vector<bool> mass_changes_;  // [nlink]
  const ChannelFinder finder_;
  RneaWorkspace<double> rnea_;
  std::vector<double> q_, v_, vdot_, tau_;
  std::vector<Wrench<double>> F_Bo_W_;
  std::vector<LinkChannels> channels_;
  // Links that shapes may touch, in steps.
  void find_touched() {
    for (std::size_t i = 1; i < scene_.model.links.size(); ++i) {
      const CollideRule::Body& rule = scene_.collide->bodies[i];
      if (rule.sensor || rule.meets == 0 || scene_.model.shapes[i].empty()) continue;
      const std::string base = "touch/" + scene_.model.names[i] + "/";
      touched_.push_back({i, find(base + "force"), find(base + "moment")});
    }
  }
  struct Touched {
    std::size_t link, force, moment;
  };
  std::vector<Touched> touched_;
  std::vector<std::size_t> contact_;
  std::vector<ConstraintChannels> constraints_;
  std::vector<PushChannels> pushes_;
  std::vector<HoldChannels> holds_;
};

}  // namespace

ConstraintForces constraint_forces_of(const Motion& motion) {
  ConstraintForces have = ConstraintForces::none;
  for (const Channel& c : motion.channels) {
    if (!c.name.starts_with("constraint/") || !c.name.ends_with("/force")) continue;
    if (!motion.has(c.name.substr(0, c.name.size() - 5) + "point")) return ConstraintForces::points_missing;
    have = ConstraintForces::known;
  }
  return have;
}

Motion inverse_dynamics(const Motion& motion, const InverseOptions& options) {
  const Scene scene = scene_of(motion);
  return Evaluation(motion, scene, options).run();
}

}  // namespace marey
