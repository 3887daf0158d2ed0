// Lagrange multipliers by Baraff's own ordering (P2): links and joints are pivots of their own.
//
// A second solver for the system of marey/dynamics/multipliers.h, with which it shares no code, for checks: slower, and only
// for figures of which every link has mass and moments of inertia of its own. Equations in src/dynamics/baraff.cpp.
//
// For double alone. O(nlink); no call allocates once its workspace is made.
#pragma once

#include <memory>
#include <string>

#include "marey/dynamics.h"

namespace marey {

// The first link without mass, or without a moment of inertia about some axis through its centre of mass; 0: there is none.
int link_without_inertia(const Model&);
// Why Baraff's ordering is not for this figure, with what is; empty: it is.
std::string baraff_refusal(const Model&);

struct BaraffWorkspace {
  explicit BaraffWorkspace(const Model&);  // throws Error where baraff_refusal() has something to say
  ~BaraffWorkspace();
  BaraffWorkspace(BaraffWorkspace&&) noexcept;

  std::vector<Twist<double>> A;   // [nlink] A_WB: acceleration of the link, of Bo; by baraff_solve
  std::vector<Wrench<double>> F;  // [nlink] on B by its parent through the joint, with the joint's own forces, about Bo
                                  // in W; by baraff_solve
  struct Part;
  std::unique_ptr<Part[]> parts;  // [nlink]
  Kinematics<double> kinematics;
};

// Factors the system at the given coordinates.
void baraff_factor(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
                   BaraffWorkspace&);
// Answers forces; `own`: with gravity and what the velocities ask for.
void baraff_solve(const Model&, const Params<double>&, const Forces<double>&, bool own, BaraffWorkspace&,
                  std::span<double> vdot);
// Forward dynamics: both.
void baraff(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
            const Forces<double>&, BaraffWorkspace&, std::span<double> vdot);

}  // namespace marey
