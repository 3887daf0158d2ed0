// Rows of every kind of constraint, on random figures: each derivative against difference quotients of what it is the
// derivative of, along a random accelerated motion; and what each kind lets move.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/constraint.h"
#include "marey/integrate.h"
#include "support/figures.h"

namespace {

using namespace marey;
using figures::Figure;
using figures::Random;
using Vec = Vec3<double>;
using Kind = LoopJoint::Kind;

constexpr double t_0 = 0.4;

Figure figure(int i) {
  figures::Options o = figures::options_of(i);
  o.links = 2 + o.links % 10;
  if (i % 2 == 1) o.joints = figures::Joints::every;
  return figures::random_figure(static_cast<std::uint64_t>(i) + 900, o);
}
Transform<double> random_pose(Random& random) { return {rotation(random.turn()), random.normal3(0.4)}; }

Formula wave() {  // sin(3 t) t
  using Op = Formula::Op;
  return {{{Op::variable, 6, 0},
           {Op::number, 0, 3},
           {Op::multiply, 0, 0},
           {Op::sin, 0, 0},
           {Op::variable, 6, 0},
           {Op::multiply, 0, 0}}};
}
TimeFunction moving(Random& random) {
  if (random.chance(0.5)) {
    TimeFunction f;
    f.formula = wave();
    return f;
  }
  return spline_in_time({0, 0.3, 0.7, 1.1}, {random.normal(), random.normal(), random.normal(), random.normal()});
}
SplinePath random_path(Random& random, bool closed) {
  std::vector<Vec> points;
  for (int i = 0; i < 6; ++i) {
    const double angle = (closed ? 1.0 : 0.6) * i;
    points.push_back({std::cos(angle), std::sin(angle), 0.2 * random.normal()});
  }
  return spline_path(points, closed);
}

// One of each kind, by number.
constexpr int kind_count = 9 + 10;
ConstraintKind random_kind(int which, Random& random) {
  if (which < 9) return LoopJoint{static_cast<Kind>(which)};
  switch (which - 9) {
    case 0:
      return FixedDistance{0.7};
    case 1:
      return OnPath{{0.5, 0.5}, {}};
    case 2:
      return OnPath{{0.4, 0.9}, {}};
    case 3:
      return OnPath{{}, random_path(random, false)};
    case 4:
      return OnPath{{}, random_path(random, true)};
    case 5:
      return OnSurface{{0.4, 0.9, 0.6}};
    case 6:
      return Rolling{Rolling::Body::sphere, 0.3};
    case 7:
      return Rolling{Rolling::Body::disc, 0.3};
    case 8: {
      Drive drive;
      drive.place = {moving(random), moving(random), moving(random)};
      return drive;
    }
    default: {
      Drive drive;
      drive.angle = moving(random);
      drive.axis = random.normal3(1);
      drive.axis = (1 / norm(drive.axis)) * drive.axis;
      return drive;
    }
  }
}
Constraint random_constraint(int which, Random& random, const Model& model) {
  Constraint c;
  c.kind = random_kind(which, random);
  c.b = {1 + random.below(model.nlink() - 1), random_pose(random)};
  do c.a = {random.below(model.nlink()), random_pose(random)};
  while (c.a.link == c.b.link);
  return c;
}

struct Look {
  std::vector<ConstraintRow> rows;
  RowSet reduced;
  std::vector<double> q;
};
Look look_at(const Model& model, const Constraint& c, double t, std::span<const double> q, std::span<const double> v) {
  Kinematics<double> k(model);
  BiasMotion bias(model);
  MotionAxes axes(model);
  forward_kinematics<double>(model, model.params, q, v, k);
  bias_motion(model, model.params, q, v, k, bias);
  motion_axes(model, model.params, k, axes);
  Look out{std::vector<ConstraintRow>(static_cast<std::size_t>(row_count(c))), RowSet(model, row_count(c)), {}};
  constraint_rows(c, {model, t, q, v, k.X_WB, k.V_WB}, out.rows);
  for (const ConstraintRow& row : out.rows) add_row(model, row, axes, bias, out.reduced);
  return out;
}
// The state a time h later, when v grows by v̇ h.
State later(const Figure& f, std::span<const double> vdot, double h) {
  State s = f.state;
  std::vector<double> xi(s.v.size()), rate(s.v.size());
  for (std::size_t i = 0; i < xi.size(); ++i)
    xi[i] = h * s.v[i] + 0.5 * h * h * vdot[i], rate[i] = s.v[i] + h * vdot[i];
  advance<double>(f.model, f.state.q, xi, Turn::exponential, s.q);
  velocity_of_local_rate<double>(f.model, xi, rate, s.v);
  s.t = t_0 + h;
  return s;
}
template <class Value>
double derivative(const Value& value, double h) {
  return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
}

void expect_derivatives(const Figure& f, const Constraint& c, std::span<const double> vdot, const std::string& what) {
  const Look now = look_at(f.model, c, t_0, f.state.q, f.state.v);
  constexpr double h = 1e-3;
  for (std::size_t i = 0; i < now.rows.size(); ++i) {
    const auto at = [&](double s) {
      const State x = later(f, vdot, s);
      return look_at(f.model, c, x.t, x.q, x.v).rows[i];
    };
    const ConstraintRow& row = now.rows[i];
    if (row.holonomic) {
      const double slope = derivative([&](double s) { return at(s).value; }, h);
      EXPECT_NEAR(row.rate, slope, 1e-6 * (1 + std::abs(slope))) << what << " row " << i;
    } else {
      EXPECT_EQ(row.value, 0) << what;
    }
    const Row& reduced = now.reduced[static_cast<int>(i)];
    double acceleration = reduced.bias, rate = row.time_rate, of_parts = row.time_rate;
    for (std::size_t k = 0; k < vdot.size(); ++k)
      acceleration += reduced.J[k] * vdot[k], rate += reduced.J[k] * f.state.v[k];
    const double slope = derivative([&](double s) { return at(s).rate; }, h);
    EXPECT_NEAR(acceleration, slope, 1e-5 * (10 + std::abs(slope))) << what << " row " << i;
    EXPECT_NEAR(rate, row.rate, 1e-11 * (10 + std::abs(rate))) << what << " row " << i;
    Kinematics<double> k(f.model);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, k);
    for (int p = 0; p < row.part_count; ++p)
      of_parts += power(row.parts[static_cast<std::size_t>(p)].F_Bo_W,
                        k.V_WB[static_cast<std::size_t>(row.parts[static_cast<std::size_t>(p)].link)]);
    EXPECT_NEAR(of_parts, row.rate, 1e-11 * (10 + std::abs(rate))) << what << " row " << i;
    for (std::size_t k2 = 0; k2 < vdot.size(); ++k2) {  // J is ∂ġ/∂v, which is linear
      std::vector<double> v(f.state.v);
      v[k2] += 1;
      EXPECT_NEAR(reduced.J[k2], look_at(f.model, c, t_0, f.state.q, v).rows[i].rate - row.rate,
                  1e-11 * (10 + std::abs(rate)))
          << what << " row " << i << " velocity " << k2;
    }
  }
}

std::string name_of_kind(int which, int seed) {
  return "kind " + std::to_string(which) + ", figure " + std::to_string(seed);
}

TEST(ConstraintKinds, RateBiasAndJacobianAreDerivatives) {
  for (int seed = 0; seed < 12; ++seed) {
    Figure f = figure(seed);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> vdot(f.state.v.size());
    double fastest = 0;
    for (const double v : f.state.v) fastest = std::max(fastest, std::abs(v));
    for (double& v : f.state.v) v /= std::max(1.0, fastest);
    for (double& a : vdot) a = random.normal();
    for (int which = 0; which < kind_count; ++which)
      expect_derivatives(f, random_constraint(which, random, f.model), vdot, name_of_kind(which, seed));
  }
}

// A coupler of freedoms: its rate is Σ factor v_k and its acceleration Σ factor v̇_k, whatever the parents do.
void expect_sum_of_freedoms(const Figure& f, const Coupler& coupler, std::span<const double> vdot,
                            const std::string& what) {
  Constraint c;
  c.kind = coupler;
  ASSERT_EQ(refusal(f.model, c), "") << what;
  const bool rates = coupler.level == Coupler::Level::velocity;
  const Look now = look_at(f.model, c, t_0, f.state.q, f.state.v);
  const TimeFunction::AtTime sum = coupler.sum.at(t_0);
  const double time_rate = rates ? -sum.value : -sum.rate;
  double value = -sum.value, rate = time_rate;
  double acceleration = rates ? -sum.rate : -sum.acceleration, found = now.reduced[0].bias;
  std::vector<double> J(vdot.size());
  for (const Coupler::Term& term : coupler.terms) {
    const LinkTopology& link = f.model.links[static_cast<std::size_t>(term.link)];
    const int extra = link.joint == JointType::free ? 1 : 0;
    const std::size_t at = static_cast<std::size_t>(link.v + term.freedom);
    if (!rates) value += term.factor * f.state.q[static_cast<std::size_t>(link.q + term.freedom + extra)];
    rate += term.factor * f.state.v[at];
    acceleration += term.factor * vdot[at];
    J[at] += term.factor;
  }
  for (std::size_t n = 0; n < vdot.size(); ++n) {
    found += now.reduced[0].J[n] * vdot[n];
    EXPECT_NEAR(now.reduced[0].J[n], J[n], 1e-10) << what;
  }
  EXPECT_NEAR(now.rows[0].value, rates ? 0 : value, 1e-12 * (1 + std::abs(value))) << what;
  EXPECT_NEAR(now.rows[0].time_rate, time_rate, 1e-15) << what;
  EXPECT_NEAR(now.rows[0].rate, rate, 1e-10 * (10 + std::abs(rate))) << what;
  EXPECT_NEAR(found, acceleration, 1e-9 * (10 + std::abs(acceleration))) << what;
}

// Every freedom of every joint, alone, with another of the same joint, and with one of another link.
TEST(ConstraintKinds, CouplersFollowEveryFreedomOfTheirJoints) {
  int tried[static_cast<int>(JointType::custom) + 1] = {}, across = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const Figure f = figure(seed);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> vdot(f.state.v.size());
    for (double& a : vdot) a = random.normal();
    const auto link_of = [&](int i) -> const LinkTopology& { return f.model.links[static_cast<std::size_t>(i)]; };
    const auto is_turn = [&](const Coupler::Term& t) { return has_attitude(link_of(t.link).joint) && t.freedom < 3; };
    for (int i = 1; i < f.model.nlink(); ++i)
      for (int k = 0; k < freedom_count(link_of(i)); ++k) {
        Coupler coupler;
        coupler.sum = moving(random);
        coupler.terms = {{i, random.normal(), k}};
        const int other = random.chance(0.5) ? i : 1 + random.below(f.model.nlink() - 1);
        if (random.chance(0.6) && freedom_count(link_of(other)) > 0)
          coupler.terms.push_back({other, random.normal(), random.below(freedom_count(link_of(other)))});
        if (std::any_of(coupler.terms.begin(), coupler.terms.end(), is_turn)) {
          Constraint c;
          c.kind = coupler;
          EXPECT_NE(refusal(f.model, c), "");
          coupler.level = Coupler::Level::velocity;
        }
        ++tried[static_cast<int>(link_of(i).joint)];
        across += coupler.terms.back().link != i;
        expect_sum_of_freedoms(f, coupler, vdot,
                               std::string(name_of(link_of(i).joint)) + ", figure " + std::to_string(seed));
      }
  }
  for (int j = static_cast<int>(JointType::hinge); j <= static_cast<int>(JointType::custom); ++j)
    EXPECT_GT(tried[j], 5) << name_of(static_cast<JointType>(j));
  EXPECT_GT(across, 100);
}

// Named angles of attitudes: each derivative against difference quotients, as of the other kinds.
TEST(ConstraintKinds, CouplersFollowNamedAngles) {
  using Angle = NamedAngle::Kind;
  int tried = 0;
  for (int seed = 0; seed < 40; ++seed) {
    Figure f = figure(seed);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> vdot(f.state.v.size());
    for (double& a : vdot) a = random.normal();
    for (double& v : f.state.v) v = 0.5 * random.normal();
    for (int i = 1; i < f.model.nlink(); ++i) {
      const LinkTopology& link = f.model.links[static_cast<std::size_t>(i)];
      if (!has_attitude(link.joint)) continue;
      for (const Angle kind : {Angle::twist, Angle::swing, Angle::euler_x, Angle::euler_y, Angle::euler_z}) {
        const Quaternion<double> turn = quaternion_of(rotation_about(Vec{0.6, 0, 0.8}, 0.6 + 0.05 * random.normal()) *
                                                      rotation_about(Vec{0, 1, 0}, 0.3));
        const double numbers[] = {turn.w, turn.x, turn.y, turn.z};
        std::copy(std::begin(numbers), std::end(numbers), f.state.q.begin() + link.q);
        Coupler coupler;
        coupler.sum = moving(random);
        coupler.terms = {{i, 1.3, 0, {kind, {0.2, -1, 0.4}, 0}}};
        Constraint c;
        c.kind = coupler;
        ASSERT_EQ(refusal(f.model, c), "");
        expect_derivatives(f, c, vdot,
                           "angle " + std::to_string(static_cast<int>(kind)) + " of " + name_of(link.joint));
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 50);
}

// A twist has no end: a script that goes on counting the turns is met on each of them.
TEST(ConstraintKinds, ATwistCountsNoTurns) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "a", link.joint = JointType::ball;
  link.inertia = inertia_about_origin(1.0, {0.1, 0.2, 0}, {1, 2, 2.5, 0.1, 0, 0});
  spec.links.push_back(link);
  const Model model = freeze(spec);
  State s = neutral_state(model);
  for (const double turns : {0.0, 3.1, 3.2, 6.0, 12.7}) {
    Constraint c;
    c.kind = Coupler{{{1, 1.0, 0, {NamedAngle::Kind::twist, {0, 0, 1}, 0}}}, constant_in_time(turns + 0.01)};
    s.q = {std::cos(turns / 2), 0, 0, std::sin(turns / 2)};
    EXPECT_NEAR(look_at(model, c, 0, s.q, s.v).rows[0].value, -0.01, 1e-12) << turns;
  }
}

// ---- what each kind lets move
Model two_bodies() {
  ModelSpec spec;
  for (const char* name : {"a", "b"}) {
    LinkSpec link;
    link.name = name;
    link.joint = JointType::free;
    link.inertia = inertia_about_origin(1.0, {0.1, 0.2, 0}, {1, 2, 2.5, 0.1, 0, 0});
    spec.links.push_back(link);
  }
  return freeze(spec);
}
int rank_of(const RowSet& rows, int nv) {
  std::vector<std::vector<double>> m;
  for (int i = 0; i < rows.size(); ++i) m.emplace_back(rows[i].J.begin(), rows[i].J.end());
  int rank = 0;
  for (int c = 0; c < nv && rank < static_cast<int>(m.size()); ++c) {
    std::size_t best = static_cast<std::size_t>(rank);
    for (std::size_t i = best; i < m.size(); ++i)
      if (std::abs(m[i][static_cast<std::size_t>(c)]) > std::abs(m[best][static_cast<std::size_t>(c)])) best = i;
    if (std::abs(m[best][static_cast<std::size_t>(c)]) < 1e-9) continue;
    std::swap(m[best], m[static_cast<std::size_t>(rank)]);
    const std::vector<double>& pivot = m[static_cast<std::size_t>(rank)];
    for (std::size_t i = static_cast<std::size_t>(rank) + 1; i < m.size(); ++i) {
      const double s = m[i][static_cast<std::size_t>(c)] / pivot[static_cast<std::size_t>(c)];
      for (std::size_t k = 0; k < pivot.size(); ++k) m[i][k] -= s * pivot[k];
    }
    ++rank;
  }
  return rank;
}
// b's pose such that B is at X_AB in A.
std::vector<double> place(const Model& model, const State& given, const Constraint& c, const Transform<double>& X_AB) {
  std::vector<double> q = given.q;
  const std::size_t at = static_cast<std::size_t>(model.links[2].q);
  const Transform<double> X_Wa{rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
  const Transform<double> X = X_Wa * c.a.X_LC * X_AB * inverse(c.b.X_LC);
  const Quaternion<double> turn = quaternion_of(X.R);
  const double numbers[] = {turn.w, turn.x, turn.y, turn.z, X.p.x, X.p.y, X.p.z};
  std::copy(std::begin(numbers), std::end(numbers), q.begin() + static_cast<std::ptrdiff_t>(at));
  return q;
}

struct Freedom {
  Kind kind;
  // Which of the turns about and shifts along x, y, z of A the kind lets B do, one at a time.
  bool turns[3], shifts[3];
};

TEST(ConstraintKinds, EachJointLetsGoItsOwnFreedomsAndNoOther) {
  const Freedom all[] = {{Kind::ball, {true, true, true}, {false, false, false}},
                         {Kind::hinge, {false, false, true}, {false, false, false}},
                         {Kind::slider, {false, false, false}, {false, false, true}},
                         {Kind::weld, {false, false, false}, {false, false, false}},
                         {Kind::universal, {true, false, true}, {false, false, false}},
                         {Kind::cylindrical, {false, false, true}, {false, false, true}},
                         {Kind::planar, {false, false, true}, {true, true, false}},
                         {Kind::on_line, {true, true, true}, {false, false, true}},
                         {Kind::on_plane, {true, true, true}, {true, true, false}}};
  const Model model = two_bodies();
  Random random(5);
  for (const Freedom& freedom : all) {
    State s = neutral_state(model);
    Constraint c;
    c.kind = LoopJoint{freedom.kind};
    c.a = {1, random_pose(random)}, c.b = {2, random_pose(random)};
    const Quaternion<double> turn = random.turn();
    s.q[0] = turn.w, s.q[1] = turn.x, s.q[2] = turn.y, s.q[3] = turn.z;
    const auto worst = [&](const Transform<double>& X_AB) {
      const std::vector<double> q = place(model, s, c, X_AB);
      double most = 0;
      for (const ConstraintRow& row : look_at(model, c, 0, q, s.v).rows) most = std::max(most, std::abs(row.value));
      return most;
    };
    EXPECT_LT(worst({}), 1e-14) << name_of(freedom.kind);
    for (int k = 0; k < 3; ++k) {
      const Vec axis{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
      const double turned = worst({rotation_about(axis, 0.5), {}}),
                   moved = worst({Mat3<double>::identity(), 0.5 * axis});
      EXPECT_EQ(turned < 1e-14, freedom.turns[k]) << name_of(freedom.kind) << " turn " << k << ": " << turned;
      EXPECT_EQ(turned < 0.1, freedom.turns[k]) << name_of(freedom.kind) << " turn " << k << ": " << turned;
      EXPECT_NEAR(moved, freedom.shifts[k] ? 0 : 0.5, 1e-14) << name_of(freedom.kind) << " shift " << k;
    }
    s.q = place(model, s, c, {});
    EXPECT_EQ(rank_of(look_at(model, c, 0, s.q, s.v).reduced, model.nv), row_count(c)) << name_of(freedom.kind);
  }
}

// Two points of the figures that are where the wheel touches: no slip is no relative velocity.
TEST(ConstraintKinds, RollingComparesTheMaterialPointsThatTouch) {
  const Model model = two_bodies();
  Random random(9);
  for (const Rolling::Body body : {Rolling::Body::sphere, Rolling::Body::disc}) {
    Constraint c;
    c.kind = Rolling{body, 0.3};
    c.a = {1, random_pose(random)}, c.b = {2, random_pose(random)};
    State s = neutral_state(model);
    for (double& v : s.v) v = random.normal();
    const Transform<double> X_AB{rotation(random.turn()), {0.2, -0.1, 0.25}};
    s.q = place(model, s, c, X_AB);
    Kinematics<double> k(model);
    forward_kinematics<double>(model, model.params, s.q, s.v, k);
    const Transform<double> X_WA = k.X_WB[1] * c.a.X_LC, X_WB = k.X_WB[2] * c.b.X_LC;
    const Vec n = X_WA.R * Vec{0, 0, 1};
    Vec lowest = X_WB.p - 0.3 * n;
    if (body == Rolling::Body::disc)
      for (int i = 0; i < 1'000'000; ++i) {
        const double angle = 2e-6 * M_PI * i;
        const Vec p = X_WB * Vec{0.3 * std::cos(angle), 0.3 * std::sin(angle), 0};
        if (i == 0 || dot(n, p) < dot(n, lowest)) lowest = p;
      }
    const Look now = look_at(model, c, 0, s.q, s.v);
    EXPECT_NEAR(now.rows[0].value, dot(n, lowest - X_WA.p), 1e-11);
    const auto velocity = [&](std::size_t link) {
      return k.V_WB[link].v + cross(k.V_WB[link].w, lowest - k.X_WB[link].p);
    };
    const Vec slip = transpose_times(X_WA.R, velocity(2) - velocity(1));
    EXPECT_NEAR(now.rows[0].rate, slip.z, 1e-5);
    EXPECT_NEAR(now.rows[1].rate, slip.x, 1e-5);
    EXPECT_NEAR(now.rows[2].rate, slip.y, 1e-5);
    EXPECT_TRUE(now.rows[0].holonomic);
    EXPECT_FALSE(now.rows[1].holonomic || now.rows[2].holonomic);
  }
}

TEST(ConstraintKinds, PathsGoThroughTheirPoints) {
  Random random(3);
  const Model model = two_bodies();
  for (const bool closed : {false, true}) {
    Constraint c;
    const SplinePath path = random_path(random, closed);
    c.kind = OnPath{{}, path};
    c.a = {1, random_pose(random)}, c.b = {2, random_pose(random)};
    for (const Vec& p : path.points) {
      const State s = neutral_state(model);
      const std::vector<double> q = place(model, s, c, {Mat3<double>::identity(), p});
      for (const ConstraintRow& row : look_at(model, c, 0, q, s.v).rows) EXPECT_NEAR(row.value, 0, 1e-12);
      const std::vector<double> off = place(model, s, c, {Mat3<double>::identity(), p + Vec{0.1, 0.1, 0.1}});
      const auto rows = look_at(model, c, 0, off, s.v).rows;
      EXPECT_GT(std::hypot(rows[0].value, rows[1].value), 1e-3);
    }
  }
}

TEST(ConstraintKinds, SplinesOverTimeStartAndEndAtRest) {
  const TimeFunction f = spline_in_time({1, 2, 4}, {0, 3, -1});
  EXPECT_EQ(f.at(0).value, 0);
  EXPECT_EQ(f.at(5).value, -1);
  EXPECT_NEAR(f.at(2).value, 3, 1e-14);
  EXPECT_NEAR(f.at(1 + 1e-9).rate, 0, 1e-7);
  EXPECT_NEAR(f.at(4 - 1e-9).rate, 0, 1e-7);
  EXPECT_NEAR(f.at(2 - 1e-9).acceleration, f.at(2 + 1e-9).acceleration, 1e-6);
  // The last knot belongs to the stretch that ends there, for a step that has begun before it.
  EXPECT_NEAR(f.at(4, 3).value, -1, 1e-14);
  EXPECT_NEAR(f.at(4, 3).rate, 0, 1e-13);
  EXPECT_NEAR(f.at(4, 3).acceleration, f.at(4 - 1e-9, 3).acceleration, 1e-6);
  for (const double t : {1.2, 1.9, 2.5, 3.9})
    EXPECT_NEAR(f.at(t).rate, derivative([&](double h) { return f.at(t + h).value; }, 1e-3), 1e-9);
  Constraint c;
  Drive drive;
  drive.angle = f;
  c.kind = drive;
  EXPECT_TRUE(moves_in_time(c));
  EXPECT_EQ(next_kink(c, 0), 1);
  EXPECT_EQ(next_kink(c, 1), 4);
  EXPECT_EQ(next_kink(c, 4), forever);
}

TEST(ConstraintKinds, TakenAsIsHoldsWhereItIs) {
  const Figure f = figure(3);
  Random random(11);
  for (int which = 0; which < 10; ++which) {
    const Constraint c = random_constraint(which, random, f.model);
    Kinematics<double> k(f.model);
    forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, k);
    const Constraint held = taken_as_is(c, {f.model, 0, f.state.q, f.state.v, k.X_WB, k.V_WB});
    for (const ConstraintRow& row : look_at(f.model, held, 0, f.state.q, f.state.v).rows)
      EXPECT_NEAR(row.value, 0, 1e-12) << which;
  }
}

// Four links at most, each counted once, the world not at all: three joints in a row of a chain move four, on the world three.
TEST(ConstraintKinds, CouplersCountTheLinksTheyMove) {
  ModelSpec spec = figures::chain(6, JointType::hinge);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge;
  const Model model = freeze(spec);
  const auto said = [&](const std::vector<int>& joints) {
    Coupler coupler;
    coupler.sum = constant_in_time(0);
    for (const int joint : joints) coupler.terms.push_back({joint, 1.0});
    Constraint c;
    c.kind = coupler;
    return refusal(model, c);
  };
  EXPECT_EQ(said({1, 2, 3}), "");
  EXPECT_EQ(said({1, 2, 3, 4}), "");
  EXPECT_EQ(said({2, 3, 4}), "");
  EXPECT_EQ(said({6, 4}), "");
  EXPECT_NE(said({2, 3, 4, 5}).find("at most four links"), std::string::npos);
  EXPECT_NE(said({6, 4, 1}).find("at most four links"), std::string::npos);
}

TEST(ConstraintKinds, RefusalsSayWhy) {
  const Model model = two_bodies();
  Constraint c;
  c.a = {1, {}}, c.b = {2, {}};
  EXPECT_EQ(refusal(model, c), "");
  c.b.link = 1;
  EXPECT_NE(refusal(model, c), "");
  c.b.link = 7;
  EXPECT_NE(refusal(model, c), "");
  c.b.link = 2;
  c.kind = FixedDistance{0};
  EXPECT_NE(refusal(model, c), "");
  c.kind = Coupler{{{1, 1.0}}, constant_in_time(0)};
  EXPECT_NE(refusal(model, c).find("twist"), std::string::npos);
  c.kind = Drive{};
  EXPECT_NE(refusal(model, c), "");
  c.kind = LoopJoint{};
  c.from = 2, c.until = 1;
  EXPECT_NE(refusal(model, c), "");
}

}  // namespace
