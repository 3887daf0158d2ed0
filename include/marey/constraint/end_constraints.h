// Constraints at the ends of steps, for the variational method (integrate/midpoint.cpp).
//
// Its impulses are booked with the step they belong to: their momentum as it is, and as their work that of a force on rows which
// move as they are meant to. What else they do to the energy is the error of the method, and is left for the books to show.
#pragma once

#include "marey/constraint/held_constraints.h"
#include "marey/integrate.h"

namespace marey {

class EndConstraints final : public EndRows {
 public:
  // In the joints' coordinates alone.
  EndConstraints(Plant&, HeldConstraints&, const RateLayout&);

  std::size_t begin(double t, std::span<const double> q, std::span<const double> v_z) override;
  void add_impulse(std::span<const double> x, std::span<double> p) const override;
  double miss(double h, std::span<const double> q, std::span<const double> q_m, std::span<const double> v_m,
              std::span<double> change) override;
  void give_up() override { given_up_ = true; }
  void finish(double h, std::span<const double> x, std::span<const double> q, std::span<double> p,
              std::span<double> integrals) override;
  // Whether constraints hold by forces in this step.
  bool given_up() const { return given_up_; }

 private:
  Instant<double> place(double t, std::span<const double> q, std::span<const double> v) {
    return plant_.place(t, q, v, {}, nullptr);
  }
  std::span<const double> velocities(std::span<const double> v_z) const { return v_z.first(v_.size()); }
  void push(std::span<const double> x, std::span<double> v, std::span<double> integrals);

  Plant& plant_;
  HeldConstraints& constraints_;
  RateLayout layout_;
  bool given_up_ = false;
  double t_0_ = 0;
  std::vector<double> q_0_, v_0_;                   // where the step starts
  std::vector<double> v_, dv_;                      // scratch
  std::vector<Wrench<double>> P_Bo_W_;              // [nlink] likewise
  std::vector<double> in_the_middle_, at_the_end_;  // ġ of rows; impulses on them
};

}  // namespace marey
