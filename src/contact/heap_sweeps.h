// The contact problem of a heap of loose bodies, by sweeps over packs of eight contacts (marey/contact/contact_sweeps.h has the rule, and
// what other islands are swept by).
//
// Frames: W the world, C the centre of mass of a body. A body i is (v_C, ω) in W, with 1/m and J⁻¹ about C in the axes of W. A point p of the
// bodies a and b, r_i = p − p_C, with the axes n, t₁, t₂ has
//   u = [n t₁ t₂]ᵀ (v_b + ω_b × r_b − v_a − ω_a × r_a) + o n + c P_n n                                               (1)
// and an impulse f = P_n n + P_1 t₁ + P_2 t₂ of a on b does
//   v ← v ± f/m,   ω ← ω ± J⁻¹ (r × f)                                                                               (2)
// V is that of all impulses so far, so that a sweep reads 128 bytes of a point and two lines of the cache of a body.
// Points of one manifold share the axes and are a group. Groups get colours, in the order of their keys each the lowest that neither of its
// bodies has; groups of one colour have no moving body in common, and go eight at a time in one pack, those with most points first. The
// order of visits, colour by colour and back, is that of the keys, whatever has gone before. Packs of one colour may go at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/lanes_of_eight.h"
#include "marey/contact/cone_problem.h"
#include "marey/contact/stepped_contacts.h"
#include "marey/core/aligned.h"
#include "marey/core/threads.h"
#include "marey/dynamics.h"
#include "marey/scalar/pack.h"

namespace marey {

class HeapSweeps {
 public:
  explicit HeapSweeps(const Model& figure);

  // A free link without others, which this is for.
  bool is_loose(int link) const { return loose_[static_cast<std::size_t>(link)] != 0; }

  // Who sweeps packs of one colour from now on, where there are many; null: the thread that calls.
  void share_with(Threads* threads) { threads_ = threads; }
  // Where bodies and points are now; of each point three rows, in order.
  void place(const Kinematics<double>&, std::span<const TouchingPoint>);

  // [points] What a problem adds to the places, to be set before solve().
  struct Law {
    double offset = 0, compliance = 0, friction = 0;
  };
  std::vector<Law> laws;
  struct Options {
    double tolerance = 1e-4;  // sweeps end where no velocity changes by more than this part of the scale
    int most = 100;           // sweeps
    double bound = 9.5e-3;    // of the natural map: where more is left, they go on,
    int more = 40;            // by so many at a time,
    int most_beyond = 400;    // up to so many in all
  };
  struct Report {
    int sweeps = 0;
    ConeCertificate certificate;
  };
  // V_WB: [nlink] of the bodies without impulses. P: a guess, and the answer; u: (1) without o and c; three for each point.
  Report solve(std::span<const Twist<double>> V_WB, double scale, const Options&, std::span<double> P,
               std::span<double> u);
  // Normals alone, from nothing: 0 ≤ gap + A λ ⊥ λ ≥ 0; λ: the first of three for each point. Points with `left_out` have none.
  int shift(std::span<const double> gaps, std::span<const char> left_out, double scale, const Options&,
            std::span<double> P);

 private:
  static constexpr std::size_t lanes = 8;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  using Eight = Pack<double, 8>;
  using Vec = Vec3<Eight>;
  struct alignas(64) Body {
    double v[3]{}, w[3]{}, inverse_mass = 0, unused = 0;
    double J[8]{};  // J⁻¹: xx, yy, zz, xy, xz, yz
  };
  struct alignas(64) Row {  // a point of each of eight groups
    double r_a[3][lanes]{}, r_b[3][lanes]{}, P[3][lanes]{};
    double offset[lanes]{}, compliance[lanes]{}, friction[lanes]{};
    double step_n[lanes]{}, step_t[lanes]{};  // 1/(A_nn + c), 1/λ_t
    double A_tn[2][lanes]{}, own_n[lanes]{};  // own_n: A_nn
  };
  struct alignas(64) Group8 {  // eight groups: a pack
    double axes[3][3][lanes]{};
    std::uint32_t a[lanes]{}, b[lanes]{};
    std::uint32_t first_row = 0, rows = 0;
  };
  struct Group {
    std::uint32_t first = 0, points = 0;  // of the points
    std::uint32_t a = 0, b = 0;           // bodies; 0: the world
    std::uint32_t colour = 0;
  };
  struct Two {  // bodies of a pack
    Vec v_a, w_a, v_b, w_b;
    Eight m_a, m_b;
    Sym3<Eight> J_a, J_b;
  };

  std::uint32_t body_of(const Kinematics<double>&, int link);
  void find_groups(const Kinematics<double>&, std::span<const TouchingPoint>);
  void colour_groups();
  void add_pack(std::span<const Group>, std::span<const TouchingPoint>);
  void measure_pack(const Group8&);
  MAREY_INLINE Two gather(const Group8&) const;
  // `shared`: others do so at the same time, so that the world, which they have in common, is left alone.
  template <bool shared>
  MAREY_INLINE void scatter(const Group8&, const Two&);
  MAREY_INLINE static Vec load(const double (&x)[3][lanes]) {
    return {Eight::load(x[0]), Eight::load(x[1]), Eight::load(x[2])};
  }
  static Sym3<Eight> own_block(const Row&, const Group8&, const Two&);
  static Vec velocities(const Row&, const Group8&, const Two&);
  MAREY_INLINE static void push(const Row&, Two&, const Vec& f);
  template <bool with_friction>
  MAREY_INLINE static void relax(Row&, const Group8&, Two&, const Eight& least, Eight::Mask& changed);
  template <bool with_friction>
  bool sweep(bool back, double least);
  template <bool with_friction, bool shared>
  MAREY_INLINE void visit(const Group8&, bool back, double least, Eight::Mask& changed);
  template <bool with_friction>
  bool sweep_together(bool back, double least);
  void start(std::span<const Twist<double>> V_WB);
  double sweep_to_and_fro(double least, int most, double t, int& sweeps);
  void push_all();
  void load_points(std::span<const double> P);
  bool turns_back() const;
  void go_beyond(double beta);
  void keep_as_last();
  struct Sight {
    Eight residual, excess;  // of the natural map times s, and of the cone
  };
  static Sight sight_of(const Row&, const Group8&, const Two&);
  ConeCertificate certify(double scale) const;
  void store(std::span<double> P, std::span<double> u) const;

  const Model& figure_;
  std::vector<char> loose_;
  std::vector<std::uint32_t> body_of_link_;   // [nlink] 0: none yet
  std::vector<int> links_;                    // [bodies] 0: the world
  std::vector<Vec3<double>> arms_, centres_;  // [bodies] p_BoC_W, p_WoC_W
  std::vector<Body, AlignedAllocator<Body, 64>> bodies_;
  std::vector<Group> groups_, ordered_;
  std::vector<std::uint64_t> used_;  // [bodies] colours
  std::vector<std::uint32_t> counts_;
  std::vector<Group8, AlignedAllocator<Group8, 64>> packs_;
  std::vector<std::size_t> first_of_colour_;  // of the packs; of those that have none one each
  std::vector<char> changed_;                 // [pieces] scratch
  Threads* threads_ = nullptr;
  std::vector<Row, AlignedAllocator<Row, 64>> rows_;
  std::vector<std::uint32_t> point_of_;  // [rows × lanes] its number; none: `nobody`
  struct alignas(64) Before {
    double P[3][lanes], y[3][lanes];
  };
  std::vector<Before, AlignedAllocator<Before, 64>> before_;  // [rows] P_{k−1}, and what the sweep began from
  AlignedDoubles V_last_;
};

// Bodies of a pack, turned from one body after the other into lanes.
MAREY_INLINE HeapSweeps::Two HeapSweeps::gather(const Group8& g) const {
  Two two;
  const auto half = [&](const std::uint32_t(&of)[lanes], Vec& v, Vec& w, Eight& m, Sym3<Eight>& J)
      __attribute__((always_inline)) {
    Eight x[8];
    for (std::size_t i = 0; i < lanes; ++i) x[i] = Eight::load(bodies_[of[i]].v);
    transpose_eight(x);
    v = {x[0], x[1], x[2]}, w = {x[3], x[4], x[5]}, m = x[6];
    for (std::size_t i = 0; i < lanes; ++i) x[i] = Eight::load(bodies_[of[i]].J);
    transpose_eight(x);
    J = {x[0], x[1], x[2], x[3], x[4], x[5]};
  };
  half(g.a, two.v_a, two.w_a, two.m_a, two.J_a), half(g.b, two.v_b, two.w_b, two.m_b, two.J_b);
  return two;
}

}  // namespace marey
