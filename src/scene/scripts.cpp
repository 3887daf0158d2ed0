// Measured motions become drives of joints.
//
// BVH. Each of its joints has the axes of the world at rest; R_j(t) is how it is turned since. A link b that follows joint j, with
// R_WB(0) its attitude with all coordinates zero, C the turn of the file's axes into Marey's, R_b (`pose`) how the link is turned in the
// file's pose of rest, and X_S (`at`, `turned`) where the file's axes lie, has
//   R_WB = R_S C R_j Cᵀ R_Sᵀ R_b R_WB(0)           p_WB = X_S (scale · C p_j)   of free roots                            (1)
// so that joints of the file that nobody follows, between two that are, do no harm. Down the tree R_FB = (R_WP R_PF)ᵀ R_WB is what the
// joint has to do; a hinge takes of it the twist about its axis, and those beyond it go by the attitude that it really has.
//
// Between frames. A hinge's angle and the place of a root are cubic splines whose second derivative is zero at both ends. Of an
// attitude they are the four numbers s of a quaternion, q = s/|s|, which has no singular pose. The drives follow its angular velocity,
//   w_FB_B = 2 vec(q* q̇)      ẇ = 2 vec(q* q̈)                                                                          (2)
// given at `looks` points of each interval and cubic between them, from a start that agrees: what is left is the error of
// these cubics and of the method, both of the fourth order.
#include "scene/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "marey/core/text.h"
#include "marey/dynamics.h"
#include "marey/scene/bvh.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
constexpr int looks = 8;

std::size_t at_index(int i) { return static_cast<std::size_t>(i); }

// ---- curves
// Slopes of the cubic spline through (t, y) whose second derivative is zero at both ends:
//   m_{i−1}/h_{i−1} + 2 m_i (1/h_{i−1} + 1/h_i) + m_{i+1}/h_i = 3 (δ_{i−1}/h_{i−1} + δ_i/h_i),   2 m_0 + m_1 = 3 δ_0
struct Spline {
  std::vector<double> t, y, m;

  Spline(std::vector<double> times, std::vector<double> values)
      : t(std::move(times)), y(std::move(values)), m(t.size(), 0.0) {
    const std::size_t n = t.size();
    if (n < 2) return;
    std::vector<double> below(n), on(n), above(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double a = i > 0 ? 1 / (t[i] - t[i - 1]) : 0, b = i + 1 < n ? 1 / (t[i + 1] - t[i]) : 0;
      below[i] = a, above[i] = b, on[i] = 2 * (a + b);
      m[i] = 3 * ((i > 0 ? a * a * (y[i] - y[i - 1]) : 0) + (i + 1 < n ? b * b * (y[i + 1] - y[i]) : 0));
    }
    for (std::size_t i = 1; i < n; ++i) {
      const double f = below[i] / on[i - 1];
      on[i] -= f * above[i - 1], m[i] -= f * m[i - 1];
    }
    m[n - 1] /= on[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) m[i] = (m[i] - above[i] * m[i + 1]) / on[i];
  }
  TimeFunction::AtTime at(double time) const {
    if (t.size() < 2) return {y.front(), 0, 0};
    const auto after = std::upper_bound(t.begin() + 1, t.end() - 1, time);
    const auto i = static_cast<std::size_t>(after - t.begin()) - 1;
    const double h = t[i + 1] - t[i], x = time - t[i], d = (y[i + 1] - y[i]) / h;
    const double c = (3 * d - 2 * m[i] - m[i + 1]) / h, e = (m[i] + m[i + 1] - 2 * d) / (h * h);
    return {y[i] + x * (m[i] + x * (c + x * e)), m[i] + x * (2 * c + x * 3 * e), 2 * c + 6 * e * x};
  }
  // As drives follow it: at its own knots, with two derivatives.
  TimeFunction as_function() const {
    if (t.size() < 2) return constant_in_time(y.front());
    TimeFunction f;
    f.join = Join::smooth;
    f.t = t, f.value = y, f.slope = m;
    for (const double time : t) f.bend.push_back(at(time).acceleration);
    return f;
  }
};

class TurnSpline {
 public:
  TurnSpline(const std::vector<double>& t, const std::vector<Quaternion<double>>& turns) {
    std::array<std::vector<double>, 4> parts;
    Quaternion<double> before = turns.front();
    for (Quaternion<double> q : turns) {
      if (q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
      parts[0].push_back(q.w), parts[1].push_back(q.x), parts[2].push_back(q.y), parts[3].push_back(q.z);
      before = q;
    }
    for (auto& part : parts) parts_.emplace_back(t, std::move(part));
  }
  struct AtTime {
    Quaternion<double> q;
    Vec w, wdot;  // in B
  };
  AtTime at(double time) const {
    std::array<double, 4> s, s1, s2;
    double ss = 0, ss1 = 0, ss2 = 0;  // s·s, s·ṡ, ṡ·ṡ + s·s̈
    for (std::size_t k = 0; k < 4; ++k) {
      const TimeFunction::AtTime part = parts_[k].at(time);
      s[k] = part.value, s1[k] = part.rate, s2[k] = part.acceleration;
      ss += s[k] * s[k], ss1 += s[k] * s1[k], ss2 += s1[k] * s1[k] + s[k] * s2[k];
    }
    const double r = 1 / std::sqrt(ss), r1 = -ss1 * r * r * r, r2 = (3 * ss1 * ss1 / ss - ss2) * r * r * r;
    std::array<double, 4> q, q1, q2;
    for (std::size_t k = 0; k < 4; ++k) {
      q[k] = r * s[k], q1[k] = r * s1[k] + r1 * s[k], q2[k] = r * s2[k] + 2 * r1 * s1[k] + r2 * s[k];
    }
    const auto of = [](const std::array<double, 4>& x) { return Quaternion<double>{x[0], x[1], x[2], x[3]}; };
    const Quaternion<double> inverse{q[0], -q[1], -q[2], -q[3]}, w = inverse * of(q1), wdot = inverse * of(q2);
    return {of(q), {2 * w.x, 2 * w.y, 2 * w.z}, {2 * wdot.x, 2 * wdot.y, 2 * wdot.z}};
  }
  // The angular velocity about the axes of B, (2).
  std::array<TimeFunction, 3> velocities() const {
    const std::vector<double>& t = parts_[0].t;
    std::array<TimeFunction, 3> f;
    if (t.size() < 2) return {constant_in_time(0), constant_in_time(0), constant_in_time(0)};
    for (TimeFunction& one : f) one.join = Join::spline;
    for (std::size_t i = 0; i < t.size(); ++i)
      for (int look = 0; look < (i + 1 < t.size() ? looks : 1); ++look) {
        const double time = look == 0 ? t[i] : t[i] + (t[i + 1] - t[i]) * look / looks;
        const AtTime now = at(time);
        for (int k = 0; k < 3; ++k) {
          TimeFunction& one = f[at_index(k)];
          one.t.push_back(time), one.value.push_back(now.w[k]), one.slope.push_back(now.wdot[k]);
        }
      }
    return f;
  }

 private:
  std::vector<Spline> parts_;
};

// ---- what a joint is to do
struct JointFrames {
  int link = 0;
  Place at;
  std::vector<Quaternion<double>> turns;     // of balls and free roots: R_FB; of hinges none
  std::vector<double> angles;                // of hinges, without jumps
  std::array<std::vector<double>, 3> place;  // p_FoBo_F of free roots; empty where the file has none
};

class FigureScript {
 public:
  FigureScript(const ScriptDraft& draft, const Model& model, SceneFiles* files, State& start,
               std::vector<std::string>& notes)
      : draft_(draft),
        map_(*draft.node, key_table("script")),
        model_(model),
        files_(files),
        start_(start),
        notes_(notes),
        kinematics_(model) {
    const State rest = neutral_state(model);
    forward_kinematics<double>(model, model.params, rest.q, rest.v, kinematics_);
    rest_ = kinematics_.X_WB;
    forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
    for (int b = 1; b < model.nlink(); ++b)
      if (model.names[at_index(b)].starts_with(draft.figure + ".")) links_.push_back(b);
  }

  std::vector<ScriptedJoint> read() {
    from_ = map_.number_or("from", 0);
    until_ = map_.number_if("until");
    const std::string form = map_.one_of({"bvh", "keyframes"});
    if (form.empty()) refuse(map_.node().at, "found a script of nothing; expected bvh or keyframes");
    if (form == "bvh")
      follow_bvh(map_.need("bvh"));
    else
      follow_keyframes(map_.need("keyframes"));
    map_.done("with " + form);
    std::vector<ScriptedJoint> all;
    for (const JointFrames& joint : joints_) add_drives(joint, all);
    return all;
  }

 private:
  [[noreturn]] void refuse_file(const Value& file, const Error& e) {
    if (e.kind() != ErrorKind::bad_input) throw e;
    refuse(file.at, fmt::format("found a script that cannot be followed: {}", e.what()));
  }
  template <class Read>
  auto read_file(const Value& file, const Read& read) {
    if (files_ == nullptr) refuse(file.at, "found a file in a scene that comes without files; expected none");
    try {
      return read(read_text(file));
    } catch (const PlacedError&) {
      throw;
    } catch (const Error& e) {
      refuse_file(file, e);
    }
  }
  std::string short_name(int link) const { return model_.names[at_index(link)].substr(draft_.figure.size() + 1); }
  std::vector<std::string> short_names() const {
    std::vector<std::string> names;
    for (const int b : links_) names.push_back(short_name(b));
    return names;
  }
  int find_link(const std::string& name, const Place& at) const {
    for (const int b : links_)
      if (short_name(b) == name) return b;
    refuse(at, fmt::format("found '{}', which is no link of '{}';{} expected {}", printable(name), draft_.figure,
                           did_you_mean(name, short_names()), some_of(short_names())));
  }
  static std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most = 12;
    if (names.size() > most) names.resize(most), names.emplace_back("another");
    return either(names);
  }

  // ------------------------------------------------------------------------------------------------------- BVH
  void follow_bvh(const Value& file) {
    const BvhMotion m = read_file(file, [&](const std::string& name) { return files_->bvh(name); });
    const std::map<int, int> joint_of = joints_by_link(m, file);
    scale_ = map_.number_or("scale", 1);
    const bool y_up = !map_.has("up") || read_choice(map_.need("up"), {"y", "z"}) == 0;
    C_ = y_up ? Mat3<double>{1, 0, 0, 0, 0, -1, 0, 1, 0} : Mat3<double>::identity();
    if (const Value* at = map_.get("at")) X_S_.p = read_vector(*at, kinds::length);
    if (const Value* turned = map_.get("turned")) X_S_.R = rotation(read_rotation(*turned));
    read_poses_of_rest(joint_of);
    for (int f = 0; f < m.frames; ++f) times_.push_back(from_ + f * m.frame_time);
    for (const auto& [link, joint] : joint_of)
      check_joint(link, file.at), joints_.push_back({link, file.at, {}, {}, {}});
    for (int f = 0; f < m.frames; ++f) add_frame(m, joint_of, f);
    const double misfit = worst_misfit_ * 180 / std::numbers::pi;
    notes_.push_back(fmt::format("{}: {} of {} links follow {}, {} frames in {:.4g} s", draft_.figure, joint_of.size(),
                                 links_.size(), file.text, m.frames, times_.back() - times_.front()));
    if (misfit > 0.5)
      notes_.push_back(fmt::format("{}: the hinge of '{}' cannot do what the file has: {:.3g}° are left out",
                                   draft_.figure, short_name(misfit_of_), misfit));
  }
  // By `map`, or where the names are the same but for case and what stands before a colon.
  std::map<int, int> joints_by_link(const BvhMotion& m, const Value& file) {
    std::map<int, int> joint_of;
    std::vector<std::string> names;
    for (const BvhJoint& joint : m.joints) names.push_back(joint.name);
    if (const Value* pairs = map_.get("map")) {
      if (pairs->kind != Value::Kind::map || pairs->entries.empty())
        refuse_value(*pairs, "links and the joints of the file that they follow: {pelvis: Hips}");
      for (const ValueEntry& entry : pairs->entries) {
        const int link = find_link(entry.key, entry.key_at);
        const std::string name = read_text(*entry.value);
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
          refuse(entry.value->at, fmt::format("found '{}', which is no joint of {};{} expected {}", printable(name),
                                              file.text, did_you_mean(name, names), some_of(names)));
        joint_of[link] = static_cast<int>(found - names.begin());
      }
      return joint_of;
    }
    for (const int b : links_)
      for (std::size_t j = 0; j < names.size(); ++j)
        if (same_name(short_name(b), names[j])) joint_of.try_emplace(b, static_cast<int>(j));
    if (joint_of.empty())
      refuse(file.at,
             fmt::format("found no joint in {} that is called as a link of '{}'; expected map: {{LINK: JOINT}}, "
                         "with joints such as {}",
                         file.text, draft_.figure, some_of(names)));
    return joint_of;
  }
  static bool same_name(const std::string& link, std::string joint) {
    joint = joint.substr(joint.rfind(':') + 1);
    const auto plain = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' || c == '-' ? '_' : c;
    };
    return std::ranges::equal(link, joint, [&](char a, char b) { return plain(a) == plain(b); });
  }
  void read_poses_of_rest(const std::map<int, int>& joint_of) {
    const Value* poses = map_.get("pose");
    if (poses == nullptr) return;
    if (poses->kind != Value::Kind::map || poses->entries.empty())
      refuse_value(
          *poses,
          "links and how they are turned in the file's pose of rest: {left_upper_arm: {axis: x, angle: 90 deg}}");
    for (const ValueEntry& entry : poses->entries) {
      const int link = find_link(entry.key, entry.key_at);
      if (!joint_of.contains(link))
        refuse(
            entry.key_at,
            fmt::format("found the pose of '{}', which follows no joint of the file; expected it in map", entry.key));
      pose_[link] = rotation(read_rotation(*entry.value));
    }
  }
  void check_joint(int link, const Place& at) const {
    const LinkTopology& topology = model_.links[at_index(link)];
    const JointType j = topology.joint;
    const bool free_root = j == JointType::free && topology.parent == 0;
    if (free_root || j == JointType::ball || j == JointType::hinge || j == JointType::weld) return;
    refuse(at, fmt::format("found a script for '{}' on a {} joint; expected a hinge, a ball or a free root, or a map "
                           "without it",
                           short_name(link), name_of(j)));
  }
  void add_frame(const BvhMotion& m, const std::map<int, int>& joint_of, int frame) {
    const std::vector<Transform<double>> file = m.poses(frame);
    std::vector<Mat3<double>> R_WB;  // as the joints really are
    for (const Transform<double>& X : kinematics_.X_WB) R_WB.push_back(X.R);
    std::size_t next = 0;
    for (const int b : links_) {
      const LinkTopology& topology = model_.links[at_index(b)];
      const Mat3<double>& R_WP = R_WB[at_index(topology.parent)];
      const auto found = joint_of.find(b);
      if (found == joint_of.end()) {  // stays in its joint as it is at the start
        R_WB[at_index(b)] =
            R_WP * (transpose(kinematics_.X_WB[at_index(topology.parent)].R) * kinematics_.X_WB[at_index(b)].R);
        continue;
      }
      JointFrames& joint = joints_[next++];
      const Transform<double>& X_j = file[at_index(found->second)];
      const Mat3<double> pose = pose_.contains(b) ? pose_.at(b) : Mat3<double>::identity();
      const Mat3<double> wanted = X_S_.R * C_ * X_j.R * transpose(X_S_.R * C_) * pose * rest_[at_index(b)].R;  // (1)
      const Mat3<double> R_WF = R_WP * model_.params.links[at_index(b)].R_PF;
      const Mat3<double> R_FB = transpose(R_WF) * wanted;
      Mat3<double> done = R_FB;
      if (topology.joint == JointType::weld) done = Mat3<double>::identity();
      if (topology.joint == JointType::hinge) done = add_angle(b, R_FB, joint);
      if (has_attitude(topology.joint)) joint.turns.push_back(quaternion_of(R_FB));
      R_WB[at_index(b)] = R_WF * done;
      const BvhJoint& of_file = m.joints[at_index(found->second)];
      const bool has_place = std::ranges::any_of(of_file.channels, [](const BvhChannel& c) { return !c.turns; });
      if (topology.joint == JointType::free && has_place) {
        const Vec p_W = X_S_ * (scale_ * (C_ * X_j.p));
        const Vec p_F = transpose(R_WF) * (p_W - model_.params.links[at_index(b)].l);
        for (int k = 0; k < 3; ++k) joint.place[at_index(k)].push_back(p_F[k]);
      }
    }
  }
  // The twist about the axis; what is left over is no business of a hinge.
  Mat3<double> add_angle(int link, const Mat3<double>& R_FB, JointFrames& joint) {
    const Vec axis = model_.params.links[at_index(link)].axis;
    const Quaternion<double> q = quaternion_of(R_FB);
    double angle = 2 * std::atan2(axis.x * q.x + axis.y * q.y + axis.z * q.z, q.w);
    const double before = joint.angles.empty() ? 0 : joint.angles.back();
    angle = before + std::remainder(angle - before, 2 * std::numbers::pi);
    joint.angles.push_back(angle);
    const Mat3<double> done = rotation_about(axis, angle);
    const double misfit = 2 * std::acos(std::min(1.0, std::abs(quaternion_of(transpose(done) * R_FB).w)));
    if (misfit > worst_misfit_) worst_misfit_ = misfit, misfit_of_ = link;
    return done;
  }

  // ------------------------------------------------------------------------------------------------- keyframes
  void follow_keyframes(const Value& file) {
    const KeyframeTable table = read_file(file, [&](const std::string& name) { return files_->keyframes(name); });
    const std::optional<double> per_second = map_.number_if("per_second");
    if (table.by_frames && !per_second)
      refuse(file.at, fmt::format("found keyframes by number in {}; expected per_second: 24 beside it", file.text));
    if (!table.by_frames && per_second)
      refuse(map_.key_place("per_second"), "found per_second with keyframes by time; expected it left out");
    for (const double t : table.times) times_.push_back(from_ + (table.by_frames ? t / *per_second : t));
    for (const KeyframeTable::Column& c : table.columns) columns_of(c, file)[at_index(slot_of(c, file))] = &c.values;
    for (const auto& [link, given] : columns_) {
      check_joint(link, file.at);
      JointFrames joint{link, file.at, {}, {}, {}};
      add_columns(given, joint, file);
      joints_.push_back(std::move(joint));
    }
    notes_.push_back(fmt::format("{}: {} of {} links follow {}, {} keyframes in {:.4g} s", draft_.figure,
                                 joints_.size(), links_.size(), file.text, times_.size(),
                                 times_.back() - times_.front()));
  }
  using Columns = std::array<const std::vector<double>*, 6>;
  // "left_shank", "left_thigh.x", "pelvis.place.x"
  Columns& columns_of(const KeyframeTable::Column& c, const Value& file) {
    return columns_.try_emplace(find_link(c.name.substr(0, c.name.find('.')), file.at), Columns{}).first->second;
  }
  int slot_of(const KeyframeTable::Column& c, const Value& file) {
    const int link = find_link(c.name.substr(0, c.name.find('.')), file.at);
    const JointType j = model_.links[at_index(link)].joint;
    const std::string rest = c.name.find('.') == std::string::npos ? "" : c.name.substr(c.name.find('.') + 1);
    static const std::vector<std::string> words{"x", "y", "z", "place.x", "place.y", "place.z"};
    const auto found = std::ranges::find(words, rest);
    int slot = static_cast<int>(found - words.begin());
    if (j == JointType::hinge && rest.empty()) slot = 0;
    const bool fits = j == JointType::hinge  ? rest.empty()
                      : found == words.end() ? false
                                             : slot < 3 || j == JointType::free;
    if (!fits)
      refuse(file.at,
             fmt::format("found the column '{}' for a {} joint; expected {}", printable(c.name), name_of(j),
                         j == JointType::hinge ? short_name(link)
                                               : fmt::format("{0}.x, {0}.y, {0}.z{1}", short_name(link),
                                                             j == JointType::free ? ", or place.x … after it" : "")));
    if (columns_of(c, file)[at_index(slot)] != nullptr)
      refuse(file.at, fmt::format("found the column '{}' twice; expected it once", printable(c.name)));
    using Kind = KeyframeTable::Kind;
    if (c.kind != Kind::unknown && (c.kind == Kind::length) != (slot >= 3))
      refuse(file.at, fmt::format("found the column '{}' in a unit of {}; expected one of {}", printable(c.name),
                                  slot >= 3 ? "angle" : "length", slot >= 3 ? "length" : "angle"));
    return slot;
  }
  void add_columns(const Columns& given, JointFrames& joint, const Value& file) {
    const auto all = [&](std::size_t first) {
      const auto n =
          std::count_if(given.begin() + static_cast<long>(first), given.begin() + static_cast<long>(first) + 3,
                        [](auto* column) { return column != nullptr; });
      if (n != 0 && n != 3)
        refuse(file.at,
               fmt::format("found {} of three columns of '{}'; expected .x, .y and .z", n, short_name(joint.link)));
      return n == 3;
    };
    if (model_.links[at_index(joint.link)].joint == JointType::hinge) {
      joint.angles = *given[0];
      return;
    }
    if (all(0))
      for (std::size_t i = 0; i < times_.size(); ++i)
        joint.turns.push_back(
            quaternion_of(rotation_about(Vec{1, 0, 0}, (*given[0])[i]) * rotation_about(Vec{0, 1, 0}, (*given[1])[i]) *
                          rotation_about(Vec{0, 0, 1}, (*given[2])[i])));
    if (all(3))
      for (std::size_t k = 0; k < 3; ++k) joint.place[k] = *given[3 + k];
  }

  // ---------------------------------------------------------------------------------------------------- drives
  void add_drives(const JointFrames& joint, std::vector<ScriptedJoint>& all) {
    const LinkTopology& topology = model_.links[at_index(joint.link)];
    const auto add = [&](int freedom, TimeFunction f, Coupler::Level level) {
      ScriptedJoint s;
      Coupler coupler;
      coupler.terms.push_back({joint.link, 1, freedom, {}});
      coupler.sum = std::move(f), coupler.level = level;
      coupler.from_where_it_is = level == Coupler::Level::coordinate;
      s.drive.kind = coupler;
      s.drive.from = from_;
      s.drive.until = until_.value_or(times_.size() > 1 ? times_.back() : forever);
      s.at = joint.at;
      all.push_back(std::move(s));
    };
    const auto start = [&](int q, double value, int v, double rate) {
      if (from_ == 0) start_.q[at_index(topology.q + q)] = value, start_.v[at_index(topology.v + v)] = rate;
    };
    if (!joint.angles.empty()) {
      const Spline angle(times_, joint.angles);
      start(0, angle.at(0).value, 0, angle.at(0).rate);
      add(0, angle.as_function(), Coupler::Level::coordinate);
    }
    if (!joint.turns.empty()) {
      const TurnSpline turn(times_, joint.turns);
      const TurnSpline::AtTime now = turn.at(0);
      const double q[] = {now.q.w, now.q.x, now.q.y, now.q.z};
      if (from_ == 0) std::copy(q, q + 4, start_.q.begin() + topology.q);
      std::array<TimeFunction, 3> w = turn.velocities();
      for (int k = 0; k < 3; ++k) {
        if (from_ == 0) start_.v[at_index(topology.v + k)] = now.w[k];
        add(k, std::move(w[at_index(k)]), Coupler::Level::velocity);
      }
    }
    for (int k = 0; k < 3; ++k) {
      if (joint.place[at_index(k)].empty()) continue;
      const Spline place(times_, joint.place[at_index(k)]);
      start(4 + k, place.at(0).value, 3 + k, place.at(0).rate);
      add(3 + k, place.as_function(), Coupler::Level::coordinate);
    }
  }

  const ScriptDraft& draft_;
  MapReader map_;
  const Model& model_;
  SceneFiles* files_;
  State& start_;
  std::vector<std::string>& notes_;
  Kinematics<double> kinematics_;        // at the start as it was without the script
  std::vector<Transform<double>> rest_;  // [nlink] X_WB
  std::vector<int> links_;               // of the figure
  std::map<int, Mat3<double>> pose_;     // by link
  std::map<int, Columns> columns_;       // by link: angles about x, y, z, then places
  std::vector<JointFrames> joints_;
  std::vector<double> times_;
  double from_ = 0, scale_ = 1, worst_misfit_ = 0;
  int misfit_of_ = 0;
  std::optional<double> until_;
  Mat3<double> C_ = Mat3<double>::identity();
  Transform<double> X_S_;
};

}  // namespace

std::vector<ScriptedJoint> read_scripts(const FiguresDraft& draft, const Model& model, SceneFiles* files, State& start,
                                        std::vector<std::string>& notes) {
  std::vector<ScriptedJoint> all;
  for (const ScriptDraft& script : draft.scripts) {
    std::vector<ScriptedJoint> own = FigureScript(script, model, files, start, notes).read();
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace marey
