// What each kind of force and torque tells the step-size adviser (src/force/adviser.cpp), against how its force changes: a kind that
// says it makes nothing swing or decay must not, and one that says how stiff it is must be so, to the extent that steps depend on
// it. A new kind is in here by its line in the list (src/force/element_forms.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "force/descriptor.h"
#include "unit/io/element_examples.h"

namespace marey::element_stiffness_test {
namespace {
using namespace marey::element_examples;

// The element at a state, with links, joints and velocities that can be changed one by one, whether or not they fit together.
struct Varied {
  const Element& element;
  const Model& model;
  Placed<double> placed;
  std::vector<double> modes;

  Varied(const Element& e, const Model& m, const State& state)
      : element(e), model(m), placed(place(m, state)), modes(static_cast<std::size_t>(mode_count(e)), 1.0) {
    if (switches_at_corners_alone(e)) start_modes(e, placed.instant(), true, modes);
  }
  ForceSum<double> force() const {
    ForceSum<double> sum(model);
    evaluate<double>(element, placed.instant(), modes, sum);
    return sum;
  }
  // How fast `read` of its force falls as x grows.
  template <class Read>
  double resistance(double& x, Read read) {
    const double was = x, h = 1e-5;
    x = was + h;
    const double ahead = read(force());
    x = was - h;
    const double behind = read(force());
    x = was;
    return (behind - ahead) / (2 * h);
  }
};

double& part(V3& a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

// How much a force grows against a displacement or a velocity of a link or joint, and what the adviser was told of it; the largest of
// all directions each.
struct Resistance {
  double found = 0, told = 0;
  void add(double f, double t) { found = std::max(found, f), told = std::max(told, t); }
};

// Of one force at one state: springs and dampers, link by link and joint by joint. Of a force that stays as it is, in the axes of
// the world or of its link, none is above 0: the force on a link as the link is shifted; force and moment as it moves faster; the
// force in a joint of one freedom as that bends, and bends faster; and the moment as the link turns about the direction of its
// force, where the lever of a force that stays does not change it.
class Resistances {
 public:
  Resistances(const Element& e, const Model& model, const State& state)
      : x_(e, model, state), at_(x_.placed.instant()) {
    e.kind.law().stiffness(e.kind, rows_);
    const ForceSum<double> now = x_.force();
    for (const double t : now.tau) size = std::max(size, std::abs(t));
    for (const Wrench<double>& F : now.F_Bo_W) size = std::max({size, norm(F.n), norm(F.f)});
    for (int i = 1; i < model.nlink(); ++i) {
      on_link(i);
      turned(i, now.F_Bo_W[static_cast<std::size_t>(i)].f);
      along_rows(i);
      if (freedom_count(model.links[static_cast<std::size_t>(i)]) == 1) in_joint(i);
    }
  }
  std::vector<Resistance> springs, dampers;
  std::vector<Resistance> along;  // springs along the directions in which they were told of; joints of one freedom
  double size = 0;                // of the force

 private:
  void on_link(int link) {
    const std::size_t i = static_cast<std::size_t>(link);
    Resistance shifted, moving, turning;
    for (int k = 0; k < 3; ++k) {
      const V3 u = unit_vectors[k];
      const auto f = [&](ForceSum<double> s) { return part(s.F_Bo_W[i].f, k); };
      const auto n = [&](ForceSum<double> s) { return part(s.F_Bo_W[i].n, k); };
      shifted.add(x_.resistance(part(x_.placed.X_WB[i].p, k), f), told(rows_.springs, link, {}, u));
      moving.add(x_.resistance(part(x_.placed.V_WB[i].v, k), f), told(rows_.dampers, link, {}, u));
      turning.add(x_.resistance(part(x_.placed.V_WB[i].w, k), n), told(rows_.dampers, link, u, {}));
    }
    springs.push_back(shifted), dampers.push_back(moving), dampers.push_back(turning);
  }
  void along_rows(int link) {
    for (const AdviserRow& r : rows_.springs) {
      if (r.through_joint || (r.link != link && r.other != link)) continue;
      const V3 b = r.link == link ? r.b : r.b_other;
      if (!(norm(b) > 0)) continue;
      const V3 u = (1 / norm(b)) * b;
      V3& p = x_.placed.X_WB[static_cast<std::size_t>(link)].p;
      const V3 was = p;
      const auto force = [&](double s) {
        p = was + s * u;
        return dot(u, x_.force().F_Bo_W[static_cast<std::size_t>(link)].f);
      };
      const double found = (force(-1e-5) - force(1e-5)) / 2e-5;
      p = was;
      along.push_back({found, told(rows_.springs, link, {}, u)});
    }
  }
  void turned(int link, const V3& f) {
    const V3 u = norm(f) > 0 ? (1 / norm(f)) * f : V3{0.6, 0, 0.8};
    Mat3<double>& R = x_.placed.X_WB[static_cast<std::size_t>(link)].R;
    const Mat3<double> was = R;
    const auto moment = [&](double angle) {
      R = rotation(quaternion_about(u, angle)) * was;
      return dot(u, x_.force().F_Bo_W[static_cast<std::size_t>(link)].n);
    };
    const double found = (moment(-1e-5) - moment(1e-5)) / 2e-5;
    R = was;
    Resistance about;
    for (const V3& e : unit_vectors) about.add(found, told(rows_.springs, link, e, {}));
    springs.push_back(about);
  }
  void in_joint(int link) {
    const LinkTopology& l = x_.model.links[static_cast<std::size_t>(link)];
    const std::size_t q = static_cast<std::size_t>(l.q), v = static_cast<std::size_t>(l.v);
    const auto tau = [&](const ForceSum<double>& s) { return s.tau[v]; };
    springs.push_back({x_.resistance(x_.placed.q[q], tau), told_in_joint(rows_.springs, link)});
    along.push_back(springs.back());
    dampers.push_back({x_.resistance(x_.placed.v[v], tau), told_in_joint(rows_.dampers, link)});
  }
  // Σ k (g x)² of a turn a and a shift b of one link.
  static double told(const std::vector<AdviserRow>& rows, int link, const V3& a, const V3& b) {
    double sum = 0;
    for (const AdviserRow& r : rows) {
      if (r.through_joint) continue;
      double g = r.link == link ? dot(r.a, a) + dot(r.b, b) : 0;
      if (r.other == link) g += dot(r.a_other, a) + dot(r.b_other, b);
      sum += r.k * g * g;
    }
    return sum;
  }
  static double told_in_joint(const std::vector<AdviserRow>& rows, int link) {
    double sum = 0;
    for (const AdviserRow& r : rows)
      if (r.through_joint && r.link == link && r.first == 0) sum += r.k * r.a.x * r.a.x;
    return sum;
  }

  Varied x_;
  Instant<double> at_;
  AdviserRows rows_{at_, {}, {}};
};

// The step that the adviser advises is π/10 of the one it calls unstable, which goes with 1/√k of springs and 1/c of dampers: a step
// as advised is stable as long as no spring is more than (10/π)² times as stiff as told, and no damper more than 10/π times. That
// is far from wrong, and a kind that tells twice or half of its law should not go unnoticed: what a damper tells is its own law, within a
// quarter, and so is what a spring tells along its direction; what is tense resists across its direction, too, by up to 2.5 of what is told along it in these examples. The other way round,
// somewhere among the examples of a kind there should be nearly as much as it tells, or it would ask for steps that are too short.
TEST(ElementStiffness, IsWhatTheAdviserIsTold) {
  constexpr double own_margin = 1.25, spring_margin = 3, least_of_told = 0.8;
  struct Most {
    double springs = 0, dampers = 0, along = 0;  // found / told
    bool tells_springs = false, tells_dampers = false, tells_along = false;
  };
  std::map<std::string, Most> kinds;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.name());
    const Scene scene = parse_scene(example.text(), "example");
    on_random_states(scene, [&](const Element& e, const State& state) {
      State still = state;
      std::fill(still.v.begin(), still.v.end(), 0.0);
      // Springs at rest: what moves drags dampers into other directions.
      const Resistances r(e, scene.model, still), moving(e, scene.model, state);
      Most& most = kinds[word_of(e)];
      const double noise = 1e-9 * (1 + r.size + moving.size);  // of quotients, 1e-16/1e-5 of the force
      const auto check = [&](const std::vector<Resistance>& all, double margin, bool& tells, double& ratio,
                             const char* what) {
        for (const Resistance& x : all) {
          EXPECT_LE(x.found, margin * x.told + noise)
              << "'" << word_of(e) << "' resists as " << what << ", and stiffness() does not say so";
          if (x.told > noise) tells = true, ratio = std::max(ratio, x.found / x.told);
        }
      };
      check(r.springs, spring_margin, most.tells_springs, most.springs, "a spring does");
      check(r.along, own_margin, most.tells_along, most.along, "more of a spring than told along its direction");
      check(moving.dampers, own_margin, most.tells_dampers, most.dampers, "a damper does");
    });
  }
  for (const auto& [word, most] : kinds) {
    std::printf("%-20s found / told: springs %.3g (along %.3g), dampers %.3g\n", word.c_str(), most.springs, most.along,
                most.dampers);
    EXPECT_TRUE(!most.tells_springs || most.springs > least_of_told) << "'" << word << "' is not as stiff as it says";
    EXPECT_TRUE(!most.tells_dampers || most.dampers > least_of_told) << "'" << word << "' does not damp as it says";
  }
  EXPECT_GT(kinds.size(), 12u);
}

}  // namespace
}  // namespace marey::element_stiffness_test
