// How far a motion is from what its scene wants (marey/sim/want.h). Each kind of want has a judge, who looks at the links and channels
// it needs: once, at its time, or all the way. Between the ends of a step the motion is that of the step's dense output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "marey/core/index.h"
#include "marey/sim/channel_watch.h"
#include "marey/sim/outcome.h"
#include "sim/particle_channels.h"

namespace marey {
namespace judging {

constexpr double turn_between_looks = 0.5;  // rad: far less than the half turn at which its sense would be lost
constexpr double inside = 0.02;             // so far within a bound a search aims, in units of a miss
constexpr double tenth = 0.1;               // of a bound of one side: a miss of 1

// ---- where the numbers of links are
struct LinkColumns {
  std::string base;
  bool turns = true;  // particles do not
  std::size_t position = 0, orientation = 0, velocity = 0, spin = 0;

  LinkColumns(const Model& model, int link)
      : base("link/" + model.names[index(link)] + "/"), turns(!is_particle(model.links[index(link)])) {}
  void name_channels(std::vector<std::string>& all) const {
    for (const char* quantity : {"position", "velocity"}) all.push_back(base + quantity);
    if (!turns) return;
    for (const char* quantity : {"orientation", "spin"}) all.push_back(base + quantity);
  }
  void find(const ChannelWatch& watch) {
    position = watch.column_of(base + "position"), velocity = watch.column_of(base + "velocity");
    if (turns) orientation = watch.column_of(base + "orientation"), spin = watch.column_of(base + "spin");
  }
};
using Numbers = std::span<const double>;
Vec3<double> vector_at(Numbers row, std::size_t i) { return {row[i], row[i + 1], row[i + 2]}; }
Quaternion<double> attitude(const LinkColumns& c, Numbers row) {
  if (!c.turns) return {1, 0, 0, 0};
  return {row[c.orientation], row[c.orientation + 1], row[c.orientation + 2], row[c.orientation + 3]};
}
Vec3<double> place_of(const LinkColumns& c, Numbers row, const Vec3<double>& point_B) {
  return vector_at(row, c.position) + rotation(attitude(c, row)) * point_B;
}
Vec3<double> velocity_of(const LinkColumns& c, Numbers row, const Vec3<double>& point_B) {
  const Vec3<double> spin = c.turns ? vector_at(row, c.spin) : Vec3<double>{};
  return vector_at(row, c.velocity) + cross(spin, rotation(attitude(c, row)) * point_B);
}

Vec3<double> upwards(const Vec3<double>& gravity) {
  const double g = norm(gravity);
  return g > 0 ? (-1 / g) * gravity : Vec3<double>{0, 0, 1};
}

// ---- numbers with bounds
// Misses: one for an aim; one for each bound, 0 when it is kept by a margin.
std::vector<double> misses_of(const WantedRange& r, double x) {
  if (r.aim) return {(x - *r.aim) / (0.5 * (*r.to - *r.from))};
  const auto scale = [&](double bound) {
    if (r.from && r.to) return 0.5 * (*r.to - *r.from);
    return bound != 0 ? tenth * std::abs(bound) : 1.0;
  };
  std::vector<double> all;
  if (r.from) all.push_back(std::max(0.0, (*r.from - x) / scale(*r.from) + inside));
  if (r.to) all.push_back(std::max(0.0, (x - *r.to) / scale(*r.to) + inside));
  return all;
}
bool keeps(const WantedRange& r, double x) { return (!r.from || x >= *r.from) && (!r.to || x <= *r.to); }
std::string bounds_text(const WantedRange& r, const std::string& unit) {
  const std::string u = unit.empty() ? "" : " " + unit;
  if (r.from && r.to) return fmt::format("wanted {:.6g} to {:.6g}{}", *r.from, *r.to, u);
  return r.from ? fmt::format("wanted at least {:.6g}{}", *r.from, u)
                : fmt::format("wanted at most {:.6g}{}", *r.to, u);
}

std::vector<double> three(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

// ------------------------------------------------------------------------------------------------------ judges
class Judge {
 public:
  virtual ~Judge() = default;
  virtual void name_channels(std::vector<std::string>&) const = 0;
  virtual void find(const ChannelWatch&) = 0;
  // When `take` is to be called; none: `see` is, all the way.
  virtual std::optional<double> time() const { return std::nullopt; }
  virtual void take(Numbers) {}
  virtual void see(double /*t*/, Numbers, ChannelWatch&) {}
  virtual double spin_of(Numbers) const { return 0; }  // rad/s: how fast that turns whose turns are counted
  virtual WantedOutcome outcome() const = 0;
};

class JudgeOfLink : public Judge {
 public:
  JudgeOfLink(const Scene& scene, int link) : link_(scene.model, link), up_(upwards(scene.model.params.gravity)) {}
  void name_channels(std::vector<std::string>& all) const override { link_.name_channels(all); }
  void find(const ChannelWatch& watch) override { link_.find(watch); }

 protected:
  LinkColumns link_;
  Vec3<double> up_;
};

class PlaceJudge final : public JudgeOfLink {
 public:
  PlaceJudge(const Scene& s, const WantedPlace& w) : JudgeOfLink(s, w.link), w_(w), end_(s.duration) {}
  std::optional<double> time() const override { return w_.time.value_or(end_); }
  void take(Numbers row) override { off_ = place_of(link_, row, w_.point) - w_.target; }
  WantedOutcome outcome() const override {
    const double off = norm(off_);
    return {off <= w_.within, three((1 / w_.within) * off_),
            fmt::format("{:.4g} m off; allowed {:.4g} m", off, w_.within)};
  }

 private:
  const WantedPlace& w_;
  double end_;
  Vec3<double> off_{std::numeric_limits<double>::infinity(), 0, 0};
};

// A passage is where the distance to the disc's plane goes from negative to positive; the best one counts. Where there is none,
// the nearest that the point came to the centre.
class PassageJudge final : public JudgeOfLink {
 public:
  PassageJudge(const Scene& s, const WantedPassage& w) : JudgeOfLink(s, w.link), w_(w) {}
  void see(double t, Numbers row, ChannelWatch& watch) override {
    const Vec3<double> off = place_of(link_, row, w_.point) - w_.center;
    const double ahead = dot(off, w_.axis);
    const bool counts = t >= w_.from;
    if (counts && norm(off) < norm(nearest_)) nearest_ = off;
    if (seen_ && counts && last_ahead_ < 0 && ahead >= 0) pass(last_t_, last_ahead_, t, ahead, watch);
    seen_ = true, last_t_ = t, last_ahead_ = ahead;
  }
  WantedOutcome outcome() const override {
    if (!passed_)
      return {false, three((1 / w_.within + 1 / std::max(norm(nearest_), 1e-300)) * nearest_),
              fmt::format("does not pass; {:.4g} m from the centre at the nearest", norm(nearest_))};
    const double off = norm(best_);
    return {off <= w_.within, three((1 / w_.within) * best_),
            fmt::format("passes {:.4g} m off the centre at t = {:.4g} s; allowed {:.4g} m", off, when_, w_.within)};
  }

 private:
  // The instant by bisection, from a (behind) to b (ahead).
  void pass(double a, double behind, double b, double ahead, ChannelWatch& watch) {
    Vec3<double> off;
    for (int i = 0; i < 60 && b - a > 1e-14 * (1 + b); ++i) {
      const double guess = i % 2 == 0 ? a - behind * (b - a) / (ahead - behind) : 0.5 * (a + b);
      const double t = std::clamp(guess, a, b);
      off = place_of(link_, watch.row_at(t), w_.point) - w_.center;
      const double d = dot(off, w_.axis);
      if (d < 0)
        a = t, behind = d;
      else
        b = t, ahead = d;
      if (std::abs(d) < 1e-13 * (1 + norm(off))) break;
    }
    off -= dot(off, w_.axis) * w_.axis;
    if (passed_ && norm(off) >= norm(best_)) return;
    passed_ = true, best_ = off, when_ = b;
  }

  const WantedPassage& w_;
  bool seen_ = false, passed_ = false;
  double last_t_ = 0, last_ahead_ = 0, when_ = 0;
  Vec3<double> best_, nearest_{1e30, 0, 0};
};

// The sum of the turns about the axis between looks: what two attitudes differ by, as a twist about the axis and a swing.
class TurnsJudge final : public JudgeOfLink {
 public:
  TurnsJudge(const Scene& s, const WantedTurns& w) : JudgeOfLink(s, w.link), w_(w), end_(w.time.value_or(s.duration)) {}
  void see(double t, Numbers row, ChannelWatch&) override {
    if (t > end_ * (1 + 1e-12)) return;
    const Quaternion<double> now = attitude(link_, row);
    if (seen_) {
      const Quaternion<double> d = w_.own ? conjugate(before_) * now : now * conjugate(before_);
      const double twist = 2 * std::atan2(d.x * w_.axis.x + d.y * w_.axis.y + d.z * w_.axis.z, d.w);
      turns_ += std::remainder(twist, 2 * std::numbers::pi) / (2 * std::numbers::pi);
    }
    seen_ = true, before_ = now;
  }
  double spin_of(Numbers row) const override { return norm(vector_at(row, link_.spin)); }
  WantedOutcome outcome() const override {
    return {keeps(w_.turns, turns_), misses_of(w_.turns, turns_),
            fmt::format("{:.6g} turns; {}", turns_, bounds_text(w_.turns, ""))};
  }

 private:
  const WantedTurns& w_;
  double end_;
  bool seen_ = false;
  Quaternion<double> before_{1, 0, 0, 0};
  double turns_ = 0;
};

class NumberJudge final : public Judge {
 public:
  NumberJudge(const Scene& s, const WantedNumber& w) : w_(w), end_(s.duration) {}
  void name_channels(std::vector<std::string>& all) const override { all.push_back(w_.channel); }
  void find(const ChannelWatch& watch) override { first_ = watch.column_of(w_.channel); }
  std::optional<double> time() const override { return w_.peak ? std::nullopt : std::optional(w_.time.value_or(end_)); }
  void take(Numbers row) override { x_ = number(row); }
  void see(double t, Numbers row, ChannelWatch&) override {
    if (w_.peak && t >= w_.from && (!w_.until || t <= *w_.until)) x_ = std::max(x_, number(row));
  }
  WantedOutcome outcome() const override {
    return {keeps(w_.range, x_), misses_of(w_.range, x_),
            fmt::format("{:.6g}{}{}; {}", x_, w_.unit.empty() ? "" : " ", w_.unit, bounds_text(w_.range, w_.unit))};
  }

 private:
  double number(Numbers row) const {
    if (w_.columns.size() == 1) return row[first_ + w_.columns[0]];
    double sum = 0;
    for (const std::size_t c : w_.columns) sum += row[first_ + c] * row[first_ + c];
    return std::sqrt(sum);
  }

  const WantedNumber& w_;
  double end_;
  std::size_t first_ = 0;
  double x_ = -std::numeric_limits<double>::infinity();
};

class StanceJudge final : public JudgeOfLink {
 public:
  StanceJudge(const Scene& s, const WantedStance& w) : JudgeOfLink(s, w.link), w_(w), end_(s.duration) {}
  std::optional<double> time() const override { return w_.time.value_or(end_); }
  void take(Numbers row) override {
    height_ = dot(place_of(link_, row, w_.point), up_);
    lean_ = std::acos(std::clamp(dot(rotation(attitude(link_, row)) * w_.axis, up_), -1.0, 1.0));
    speed_ = norm(velocity_of(link_, row, w_.point));
  }
  WantedOutcome outcome() const override {
    WantedOutcome o{true, {}, {}};
    const auto add = [&](const WantedRange& range, double x, double shown, const char* what) {
      for (const double miss : misses_of(range, x)) o.misses.push_back(miss);
      o.holds = o.holds && keeps(range, x);
      o.text += fmt::format("{}{}{:.4g}", o.text.empty() ? "" : ", ", what, shown);
    };
    constexpr double degree = std::numbers::pi / 180;
    if (w_.above) add({w_.above, {}, {}}, height_, height_, "height in m ");
    add({{}, w_.within, {}}, lean_, lean_ / degree, "lean in deg ");
    if (w_.slower) add({{}, w_.slower, {}}, speed_, speed_, "speed in m/s ");
    o.text += fmt::format("; wanted {}within {:.4g} deg of upright{}",
                          w_.above ? fmt::format("above {:.4g} m, ", *w_.above) : "", w_.within / degree,
                          w_.slower ? fmt::format(", slower than {:.4g} m/s", *w_.slower) : "");
    return o;
  }

 private:
  const WantedStance& w_;
  double end_;
  double height_ = -1e30, lean_ = std::numbers::pi, speed_ = 1e30;
};

// The miss is the chord between the axis and upwards, over that of the angle allowed: a vector, and smooth.
class FaceJudge final : public JudgeOfLink {
 public:
  FaceJudge(const Scene& s, const WantedFace& w) : JudgeOfLink(s, w.link), w_(w), end_(s.duration) {}
  std::optional<double> time() const override { return w_.time.value_or(end_); }
  void take(Numbers row) override { off_ = rotation(attitude(link_, row)) * w_.axis - up_; }
  WantedOutcome outcome() const override {
    const double chord = 2 * std::sin(0.5 * w_.within), angle = 2 * std::asin(std::min(1.0, 0.5 * norm(off_)));
    constexpr double degree = std::numbers::pi / 180;
    return {angle <= w_.within, three((1 / chord) * off_),
            fmt::format("{:.4g} deg from upwards; allowed {:.4g} deg", angle / degree, w_.within / degree)};
  }

 private:
  const WantedFace& w_;
  double end_;
  Vec3<double> off_{0, 0, 2};
};

std::unique_ptr<Judge> judge_of(const Scene& scene, const Want& want) {
  struct Maker {
    const Scene& scene;
    using Made = std::unique_ptr<Judge>;
    Made operator()(const WantedPlace& w) const { return std::make_unique<PlaceJudge>(scene, w); }
    Made operator()(const WantedPassage& w) const { return std::make_unique<PassageJudge>(scene, w); }
    Made operator()(const WantedTurns& w) const { return std::make_unique<TurnsJudge>(scene, w); }
    Made operator()(const WantedNumber& w) const { return std::make_unique<NumberJudge>(scene, w); }
    Made operator()(const WantedStance& w) const { return std::make_unique<StanceJudge>(scene, w); }
    Made operator()(const WantedFace& w) const { return std::make_unique<FaceJudge>(scene, w); }
  };
  return std::visit(Maker{scene}, want.what);
}

std::vector<std::unique_ptr<Judge>> judges_of(const Scene& scene, const std::vector<Want>& wants) {
  std::vector<std::unique_ptr<Judge>> all;
  for (const Want& w : wants) all.push_back(judge_of(scene, w));
  return all;
}
std::vector<std::string> channels_for(const std::vector<std::unique_ptr<Judge>>& judges) {
  std::vector<std::string> all;
  for (const auto& judge : judges) judge->name_channels(all);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace judging

struct OutcomeWatch::Parts {
  Parts(Simulation& of, const std::vector<Want>& wants)
      : simulation(of),
        judges(judging::judges_of(of.system().scene(), wants)),
        watch(of, judging::channels_for(judges)),
        every(of.system().scene().record.every) {
    for (const auto& judge : judges) {
      judge->find(watch);
      all_the_way = all_the_way || !judge->time();
    }
  }

  void see(double t) {
    const judging::Numbers row = watch.row_at(t);
    spin = 0;
    for (const auto& judge : judges)
      if (!judge->time()) spin = std::max(spin, judge->spin_of(row));
    for (const auto& judge : judges)
      if (!judge->time()) judge->see(t, std::vector<double>(row.begin(), row.end()), watch);
  }
  void look() {
    const double now = simulation.time();
    for (const auto& judge : judges)
      if (const auto t = judge->time(); t && *t <= now && (*t > seen_until || !began)) judge->take(watch.row_at(*t));
    if (all_the_way) {
      const double length = now - seen_until;
      const double parts = std::min(1e4, std::max(length / every, length * spin / judging::turn_between_looks));
      const int n = std::max(1, static_cast<int>(std::ceil(parts - 1e-9)));
      for (int k = began ? 1 : n; k < n; ++k) see(seen_until + length * k / n);
      see(now);
    }
    began = true, seen_until = now;
  }

  Simulation& simulation;
  std::vector<std::unique_ptr<judging::Judge>> judges;
  ChannelWatch watch;
  double every;
  bool all_the_way = false, began = false;
  double seen_until = 0, spin = 0;
};

OutcomeWatch::OutcomeWatch(Simulation& of, const std::vector<Want>& wants)
    : parts_(std::make_unique<Parts>(of, wants)) {}
OutcomeWatch::OutcomeWatch(OutcomeWatch&&) noexcept = default;
OutcomeWatch::~OutcomeWatch() = default;
void OutcomeWatch::look() { parts_->look(); }

std::vector<WantedOutcome> OutcomeWatch::outcomes() const {
  std::vector<WantedOutcome> all;
  for (const auto& judge : parts_->judges) all.push_back(judge->outcome());
  return all;
}

double badness(const std::vector<WantedOutcome>& outcomes) {
  double sum = 0;
  for (const WantedOutcome& o : outcomes)
    for (const double miss : o.misses) sum += miss * miss;
  return sum;
}
bool all_hold(const std::vector<WantedOutcome>& outcomes) {
  return std::ranges::all_of(outcomes, &WantedOutcome::holds);
}

}  // namespace marey
