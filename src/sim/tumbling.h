// What hangs on nothing and turns by much within a step: what it does by itself is a part of (1) and (3) of sim/stepping.h, and not of (2).
//
// Gyroscopic and centrifugal forces are quadratic in v. Two rounds of (2) are then Runge's method, with which a body that nothing touches gains about
// (h ω)⁴/8 of its wobbling in each step, and beyond half a radian a step all of its energy. What hangs on nothing and has no part in constraints needs no
// rounds: without forces it goes its own way, which is found as exactly as wished, whatever else there is.
// One body. With J about the centre of mass C, all in its own axes, in a time τ
//   J (ω⁺ − ω⁻) = −τ′ ω × J ω      ω = ½(ω⁻ + ω⁺)                                                                    (1)
//   R⁺ = R⁻ exp(τ ω̃)               τ′ = (2/|ω|) tan(½τ |ω|)                                                          (2)
//   p_C⁺ = p_C + τ v_C                                                                                               (3)
// the midpoint rule, by Newton's method with slopes of 3 × 3. exp(τ ω̃) = (1 − ½τ′ ω̃)⁻¹ (1 + ½τ′ ω̃) (Cayley), so that (1) is
// J ω⁺ = exp(−τ ω̃) J ω⁻: R J ω stays as it is, and so does ½ ω · J ω, since ω · (1) vanishes; both to rounding, however long τ is. Steady turning
// is without error, for which τ′ is there instead of τ; nutation is of second order.
// Several links. The motion of the figure without forces, M v̇ = −b, by the classical method of Runge and Kutta: it loses about z⁶/144 of what
// turns by z in a part, 2e-12 with 0.025 rad.
// Both go by as many parts of half a step as make turns in one short. In the middle, where all else acts, v̇ is what the plant gives less the part of it
// that the own motion already has.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "marey/constraint.h"
#include "marey/core/threads.h"
#include "marey/model.h"

namespace marey {

class Tumbling {
 public:
  // Both models to stay alive. In other coordinates than the figure's, figures of several links are left to the rounds.
  Tumbling(const Model& figure, const Model& coordinates, std::span<const Constraint>);
  ~Tumbling();
  Tumbling(Tumbling&&) noexcept;
  Tumbling& operator=(Tumbling&&) noexcept;
  // From now on all loose bodies go their own way in which that matters at all. True: nothing else moves, so that v̇ of all else is gravity's,
  // whatever v is.
  bool choose_always();
  // Loose bodies are shared out to these from now on.
  void share_with(Threads* threads) { threads_ = threads; }
  // Whether a link may ever be chosen.
  bool goes_alone(std::size_t link) const { return goes_alone_[link] != 0; }
  std::span<const char> alone() const { return goes_alone_; }  // [nlink]
  // What turns fast for a step over h that begins at (q, v). False: nothing does.
  bool choose(std::span<const double> q, std::span<const double> v, double h);
  // And what would by v. False: nothing more does.
  bool choose_more(std::span<const double> q, std::span<const double> v, double h);
  // ---- of that
  // Goes on for a time s from (q, v). q and q_out, v and v_out may be the same.
  void drift(double s, std::span<const double> q, std::span<const double> v, std::span<double> q_out,
             std::span<double> v_out);
  // Takes from v̇ at (q, v) what comes of itself.
  void take_own(std::span<const double> q, std::span<const double> v, std::span<double> vdot);
  // Of a figure the root, and how fast any of its links turned when it was chosen.
  struct Fastest {
    int link = 0;
    double turning = 0;  // rad/s
  };
  Fastest fastest(std::span<const double> v) const;
  // Bodies were shifted: their centres of mass are to go on as before.
  void keep_centers(std::span<const double> q_before, std::span<const double> q, std::span<double> v) const;
  // Constant velocities that lead from q to q_out in a time s.
  void mean_velocities(double s, std::span<const double> q, std::span<const double> q_out, std::span<double> v);

 private:
  struct Body {
    int link = 0;
    std::size_t q = 0, v = 0;  // where its coordinates begin
    Sym3<double> J{}, J_inverse{};
    Vec3<double> c{};       // p_BoC_B
    double unlikeness = 0;  // the largest of |J₂ − J₃|/J₁ and so on: how fast ω turns in its axes, over |ω|
  };
  struct Figure;
  void add_body(const Model& figure, std::size_t link, const LinkTopology& own);
  static void drift(const Body&, double s, std::span<const double> q, std::span<const double> v,
                    std::span<double> q_out, std::span<double> v_out);

  std::vector<char> goes_alone_;  // [nlink]
  bool always_ = false;
  std::vector<Body> bodies_;
  std::vector<std::unique_ptr<Figure>> figures_;
  Threads* threads_ = nullptr;  // null: the thread that calls
  std::vector<const Body*> fast_;
  std::vector<Figure*> whirled_;  // figures that turn fast
};

}  // namespace marey
