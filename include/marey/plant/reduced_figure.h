// A figure some of whose joints are held: its links in groups, each group one link of a smaller model.
//
// A group G is what hangs together by held joints; its head is the one link whose own joint still moves, and its frame is the
// head's, so that coordinates and velocities of the joints that move are those of the figure. With the poses X_GB of the members
//   I_G = Σ X_GB I_B                     F_Go = Σ (n + p_GoBo × f, f)                                              (1)
//   X_GF of a joint on member P: X_GP X_PF                                                                        (2)
//   X_WB = X_WG X_GB        V_WB = (w_WG, v_WG + w_WG × p_GoBo)                                                   (4)
// Torques within a group cancel. What is held to the world belongs to the world.
// What a held joint carries is found in the axes of its group, with ω, ω̇ of the group and a_B = a_G + ω̇ × p + ω × (ω × p),
// p = p_GoBo, inward from link to link without a turn:
//   F_B = (J ω̇ + h × a_B + ω × J ω,  m a_B + ω̇ × h + ω × (ω × h)) − F_E + Σ over sons       τ = Sᵀ F_B             (5)
// with the inertia of the link and of all members that hang on it in the place of its own: then only F_E and other groups are
// summed, and what is left is linear in x = (a_G, ω̇, ωₓ², ω_y², ω_z², ωₓω_y, ωₓω_z, ω_yω_z), with coefficients that stay,
//   τ = k·x + Sᵀ (F_other groups − F_E)                                                                           (6)
// Holding joints that still move is an inelastic impulse in these joints alone: of M v all rows of the others (r) are kept,
//   M_rr (v_r⁺ − v_r) = M_rh v_h        v_h⁺ = 0                                                                  (3)
// and M_rr is the mass matrix of the groups.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "marey/plant/solver.h"
#include "marey/rows.h"
#include "marey/rows/held_response.h"

namespace marey {

// The groups as a model, and which link belongs to which.
struct Groups {
  Model model;
  std::vector<int> group;               // [nlink] link of the model of groups
  std::vector<int> head;                // [links of the model of groups] link of the figure; 0: the world
  std::vector<Transform<double>> X_GB;  // [nlink] pose in the group
};
// Marks leaves, and which link opens its parent, as freeze() does; all links are leaves, and none opens, before.
void mark_sons(Model&);
// `held` [nlink]: whether the link's joint is held, at its coordinates in q; the others' coordinates do not count.
Groups groups_of(const Model&, std::span<const char> held, std::span<const double> q);

class ReducedFigure {
 public:
  ReducedFigure(const Model&, const SolverOptions&, std::span<const char> held, std::span<const double> q);
  ReducedFigure(const ReducedFigure&) = delete;
  ReducedFigure& operator=(const ReducedFigure&) = delete;

  const Model& model() const { return groups_.model; }
  // The links of the figure whose joints move.
  std::span<const LinkTopology> moving_links() const { return moving_links_; }

  // Places and twists of the groups alone; and, after it, of all links by (4).
  void place(std::span<const double> q, std::span<const double> v);
  void place_links(Kinematics<double>& out) const;
  // After place(): of all links together.
  Totals<double> totals() const;
  // Σ m p of all links, in W.
  Vec3<double> first_moment() const;

  // Forward dynamics of the whole figure: v̇ of held joints is 0. `kinematics` of the figure at q and v, where wrenches act.
  void solve(const Kinematics<double>& kinematics, std::span<const double> q, std::span<const double> v,
             const Forces<double>&, std::span<double> vdot);
  // The same after place(), there.
  void solve_placed(const Kinematics<double>& kinematics, const Forces<double>&, std::span<double> vdot);
  // What an impulse p, dual to v, does at q: Δv of held joints is 0. The factors are those of the first call after
  // forget_factors().
  void respond(std::span<const double> q, std::span<const double> p, std::span<double> dv);
  void forget_factors() { factored_ = false; }
  // The same while freedoms of joints that move are held as well, `held` [nv of the figure].
  HeldResponse* with_held(std::span<const double> q, std::span<const unsigned char> held);
  // (6), the joint forces that held joints need at given accelerations; of other joints nothing is written. F_Bo_W, or none:
  // from outside; `kinematics` of the figure, where there are any.
  void weigh(std::span<const double> q, std::span<const double> v, std::span<const double> vdot,
             std::span<const Wrench<double>> F_Bo_W, const Kinematics<double>& kinematics, std::span<double> needed);
  // (3), in place.
  void hold(std::span<const double> q, std::span<double> v);

 private:
  // Of the groups, in terms of the figure.
  class GroupsHeld final : public HeldResponse {
   public:
    explicit GroupsHeld(ReducedFigure& figure) : of_groups(figure.model()), figure_(figure) {}
    void respond_to_both(std::span<double> p, std::span<double> dv) override;
    void respond(std::span<const double> p, std::span<double> dv) override;
    bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;
    HeldTreeResponse of_groups;
    std::vector<unsigned char> held;  // [nv of the groups]

   private:
    ReducedFigure& figure_;
  };
  template <class X>
  void gather_velocities(std::span<const X> of_figure, std::span<X> of_groups) const;
  void scatter(std::span<const double> of_groups, std::span<double> of_figure) const;
  void gather(std::span<const double> q, std::span<const double> v, std::span<const double> tau);
  bool is_head(std::size_t i) const {
    return groups_.head[static_cast<std::size_t>(groups_.group[i])] == static_cast<int>(i);
  }
  void find_motions(std::span<const char> held, std::span<const double> q);
  void find_coefficients();
  void sum_beside_members(std::span<const Wrench<double>> F_Bo_W, const Kinematics<double>&);
  void sum_wrenches(const Kinematics<double>&, std::span<const Wrench<double>> F_Bo_W);

  const Model& model_;
  Groups groups_;
  Params<double> weightless_;
  Kinematics<double> kinematics_;  // of the groups
  bool placed_ = false;
  std::vector<double> placed_q_, placed_v_;  // where: a step begins where the last one was weighed
  bool fell_ = false;                        // whether falling_ is v̇ without forces, there
  std::vector<double> falling_;
  // Of held joints: their motions, about Bo in the axes of their group; and, of each freedom, k of (6).
  std::vector<Twist<double>> S_G_;  // [nv]
  struct Load {
    std::size_t link, freedom, group;
    std::array<double, 12> k;
  };
  std::vector<Load> loads_;
  std::vector<LinkTopology> moving_links_;
  std::vector<std::array<double, 12>> x_;  // [links of the model of groups] of (6)
  bool one_holds_another_ = false;         // whether any group hangs on a link
  std::vector<double> q_, v_, tau_, vdot_, zero_, p_, v_held_;
  std::vector<Wrench<double>> F_Go_W_;
  Solver solver_;
  AbaWorkspace<double> aba_;
  bool factored_ = false;  // aba_ has the factors of respond()
  TreeResponse response_;
  std::unique_ptr<GroupsHeld> held_response_;  // made when first asked for
  RneaWorkspace<double> rnea_, rnea_of_groups_;
  std::vector<Wrench<double>>
      F_G_;  // [nlink] scratch: other groups' and outside forces of (6), about Bo in the axes of the group
};

}  // namespace marey
