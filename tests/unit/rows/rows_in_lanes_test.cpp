// Rows that are swept, and answered, several at once: the same as one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "marey/rows.h"
#include "support/figures.h"

namespace marey {
namespace {

struct Swept {
  explicit Swept(std::uint64_t seed) {
    figures::Options o;
    o.links = 12, o.joints = figures::Joints::any;
    figure = figures::with_random_state(figures::random_spec(seed, o), seed);
    Kinematics<double> k(figure.model);
    forward_kinematics<double>(figure.model, figure.model.params, figure.state.q, figure.state.v, k);
    places = k.X_WB;
    axes.emplace(figure.model), bias.emplace(figure.model);
    motion_axes(figure.model, figure.model.params, k, *axes);
    bias_motion(figure.model, figure.model.params, figure.state.q, figure.state.v, k, *bias);
  }
  figures::Figure figure;
  std::vector<Transform<double>> places;
  std::optional<MotionAxes> axes;
  std::optional<BiasMotion> bias;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double number() { return std::normal_distribution<double>()(engine_); }
  Vec3<double> vector() { return {number(), number(), number()}; }
  int link(const Model& model) { return std::uniform_int_distribution<int>(1, model.nlink() - 1)(engine_); }
  bool yes() { return std::bernoulli_distribution()(engine_); }

 private:
  std::mt19937_64 engine_;
};

// Rows on two links, some of which are action and reaction at one point, and come to nothing where their ways meet.
std::vector<ConstraintRow> random_rows(Draw& draw, const Swept& s, int count) {
  const int a = draw.link(s.figure.model), b = draw.link(s.figure.model);
  std::vector<ConstraintRow> rows(static_cast<std::size_t>(count));
  for (ConstraintRow& row : rows) {
    const Vec3<double> point = draw.vector(), f = draw.vector(), n = draw.vector();
    const auto at = [&](int link) {
      return Wrench<double>{n + cross(point - s.places[static_cast<std::size_t>(link)].p, f), f};
    };
    const Wrench<double> on_a = at(a), on_b = at(b);
    const double back = draw.yes() ? -1 : draw.number();
    row.parts[0] = {a, on_a, 3};
    row.parts[1] = {b, {back * on_b.n, back * on_b.f}, 3};
    row.part_count = a == b ? 1 : 2;
    row.bias = draw.number(), row.compliance = draw.yes() ? 0.1 : 0;
  }
  return rows;
}

TEST(RowsInLanes, AreSweptAsOneByOne) {
  Draw draw(1);
  int nothing = 0, something = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Swept s(seed);
    std::vector<ConstraintRow> rows;
    for (const int count : {6, 3, 1, 2, 5}) {
      const std::vector<ConstraintRow> some = random_rows(draw, s, count);
      rows.insert(rows.end(), some.begin(), some.end());
    }
    const int n = static_cast<int>(rows.size());
    RowSet single(s.figure.model, n), together(s.figure.model, n);
    for (const ConstraintRow& row : rows) add_row(s.figure.model, row, *s.axes, *s.bias, single);
    add_rows(s.figure.model, rows, *s.axes, *s.bias, together);
    ASSERT_EQ(together.size(), n);
    for (int i = 0; i < n; ++i) {
      const Row &x = single[i], &y = together[i];
      EXPECT_NEAR(y.whole, x.whole, 1e-13 * x.whole) << i;
      EXPECT_NEAR(y.reach, x.reach, 1e-13 * x.reach) << i;
      EXPECT_EQ(y.bias, x.bias) << i;
      EXPECT_EQ(y.compliance, x.compliance) << i;
      for (std::size_t k = 0; k < x.J.size(); ++k) {
        EXPECT_NEAR(y.J[k], x.J[k], 1e-13 * x.reach) << i << ' ' << k;
        EXPECT_EQ(y.J[k] == 0, x.J[k] == 0) << i << ' ' << k;
        (x.J[k] == 0 ? nothing : something) += 1;
      }
    }
  }
  EXPECT_GT(nothing, 1000);
  EXPECT_GT(something, 1000);
}

// J of a row is what its power is for unit velocities, whoever sweeps it.
TEST(RowsInLanes, HaveThePowerOfTheirWrenches) {
  Draw draw(2);
  const Swept s(5);
  const Model& model = s.figure.model;
  const std::vector<ConstraintRow> rows = random_rows(draw, s, 4);
  RowSet together(model, 4);
  add_rows(model, rows, *s.axes, *s.bias, together);
  Kinematics<double> k(model);
  std::vector<double> v(static_cast<std::size_t>(model.nv));
  for (std::size_t j = 0; j < v.size(); ++j) {
    v[j] = 1;
    forward_kinematics<double>(model, model.params, s.figure.state.q, v, k);
    v[j] = 0;
    for (int i = 0; i < 4; ++i) {
      const ConstraintRow& row = rows[static_cast<std::size_t>(i)];
      double P = 0;
      for (int p = 0; p < row.part_count; ++p)
        P += power(row.parts[static_cast<std::size_t>(p)].F_Bo_W,
                   k.V_WB[static_cast<std::size_t>(row.parts[static_cast<std::size_t>(p)].link)]);
      EXPECT_NEAR(together[i].J[j], P, 1e-12 * together[i].reach) << i << ' ' << j;
    }
  }
}

// A by the inward pass of four rows at a time, for every number of rows there may be in the last block, against all responses
// one by one.
TEST(RowsInLanes, HaveTheMatrixOfTheirResponses) {
  Draw draw(3);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Swept s(seed);
    const Model& model = s.figure.model;
    AbaWorkspace<double> ws(model);
    std::vector<double> vdot(static_cast<std::size_t>(model.nv));
    aba<double>(model, model.params, s.figure.state.q, s.figure.state.v, {}, ws, vdot);
    Delassus halves(model, 12), whole(model, 12);
    for (int n = 1; n <= 12; ++n) {
      RowSet rows(model, n);
      while (rows.size() < n) {
        const std::vector<ConstraintRow> some = random_rows(draw, s, std::min(n - rows.size(), 2));
        add_rows(model, some, *s.axes, *s.bias, rows);
      }
      halves.compute_matrix(model, model.params, ws, rows);
      whole.compute(model, model.params, ws, rows);
      const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * n + j); };
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          EXPECT_NEAR(halves.A()[at(i, j)], whole.A()[at(i, j)],
                      1e-9 * (std::sqrt(whole.A()[at(i, i)] * whole.A()[at(j, j)]) + 1e-300))
              << seed << ' ' << n;
    }
  }
}

// A tree that is asked by what rows do to links.
struct AskedByLinks final : Response {
  explicit AskedByLinks(const Swept& s) : swept(s), ws(s.figure.model), tree(s.figure.model) {
    const Model& model = s.figure.model;
    std::vector<double> vdot(static_cast<std::size_t>(model.nv));
    aba<double>(model, model.params, s.figure.state.q, s.figure.state.v, {}, ws, vdot);
    tree.use(model, model.params, ws);
  }
  void respond(std::span<const double> p, std::span<double> dv) override { tree.respond(p, dv); }
  bool half_respond_to_links(std::span<const ConstraintRow> rows, HalfResponse& out) override {
    tree.half_respond_at(rows, swept.places, out);
    return true;
  }
  void respond_by_half(const HalfResponse& half, std::span<const double> x, std::span<double> dv) override {
    tree.respond_by_half(half, x, dv);
  }
  const Swept& swept;
  AbaWorkspace<double> ws;
  TreeResponse tree;
};

// Without J: the matrix, the answer to all rows together, J x and the lengths are those of rows with J.
TEST(RowsInLanes, NeedNoJ) {
  Draw draw(4);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Swept s(seed);
    const Model& model = s.figure.model;
    AskedByLinks plant(s);
    const std::size_t nv = static_cast<std::size_t>(model.nv);
    Delassus by_links(model, 12), by_J(model, 12);
    for (int n = 1; n <= 12; ++n) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << n);
      std::vector<ConstraintRow> rows;
      while (static_cast<int>(rows.size()) < n)
        for (const ConstraintRow& row : random_rows(draw, s, std::min(n - static_cast<int>(rows.size()), 3)))
          rows.push_back(row);
      RowSet with_J(model, n);
      add_rows(model, rows, *s.axes, *s.bias, with_J);
      ASSERT_TRUE(by_links.compute_matrix(rows, plant));
      by_J.compute(with_J, plant);
      // What cancels in J before it is swept on is there to rounding when it is not.
      double rounding = 0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        rounding = std::max(rounding, 1e-13 * (1 + by_J.A()[i * rows.size() + i]));
      for (std::size_t k = 0; k < by_J.A().size(); ++k) {
        const std::size_t i = k / rows.size(), j = k % rows.size();
        const double scale = std::sqrt(by_J.A()[i * rows.size() + i] * by_J.A()[j * rows.size() + j]);
        EXPECT_NEAR(by_links.A()[k], by_J.A()[k], 1e-9 * scale + rounding) << i << ' ' << j;
      }
      std::vector<double> x(rows.size()), dv(nv), v(nv), expected(nv);
      for (double& number : x) number = draw.number();
      for (double& number : v) number = draw.number();
      plant.respond_by_half(by_links.half(), x, dv);
      by_J.add_response(x, expected);
      double largest = 0;
      for (const double number : expected) largest = std::max(largest, std::abs(number));
      for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(dv[k], expected[k], 1e-9 * largest) << k;
      std::vector<Twist<double>> V(model.links.size());
      link_motions(model, *s.axes, v, V);
      std::vector<RowLengths> lengths(rows.size());
      row_lengths(model, rows, *s.axes, lengths);
      for (int i = 0; i < n; ++i) {
        const RowLengths& own = lengths[static_cast<std::size_t>(i)];
        double J_v = 0, squared = 0;
        for (std::size_t k = 0; k < nv; ++k) J_v += with_J[i].J[k] * v[k], squared += with_J[i].J[k] * with_J[i].J[k];
        EXPECT_NEAR(power_of(rows[static_cast<std::size_t>(i)], V), J_v, 1e-11 * (1 + with_J[i].reach)) << i;
        EXPECT_NEAR(own.own, std::sqrt(squared), 1e-12 * with_J[i].reach) << i;
        EXPECT_NEAR(own.whole, with_J[i].whole, 1e-13 * own.whole) << i;
        EXPECT_NEAR(own.reach, with_J[i].reach, 1e-13 * own.reach) << i;
      }
    }
  }
}

}  // namespace
}  // namespace marey
