// User-defined forces: whatever acts on figures without being an element of a scene.
// Layer: force
//
//   class Fan final : public marey::Source {
//    public:
//     std::string name() const override { return "fan"; }
//     void act(const marey::Instant<double>& now, const marey::Kept<double>&, marey::ForceSum<double>& sum,
//              std::span<double>) const override {
//       sum.wrench(now, 1, {{}, {2, 0, 0}});  // 2 N along x at the origin of link 1
//     }
//   };
//   scene.sources.push_back(std::make_shared<Fan>());
//
// A source is const: many simulations may share it. What it remembers are its states z, which are integrated along with
// q and v by whatever method runs the scene, and its modes, which change only at events. Both belong to the simulation:
// they are saved and restored with it. What it does to the links goes through a ForceSum, which books power and
// momentum, so that the ledger closes without the source having to do anything about it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "marey/force.h"
#include "marey/scalar/dual.h"

namespace marey {

// What a source remembers.
template <class T>
struct Kept {
  std::span<const T> z;           // its own states
  std::span<const double> modes;  // its own modes
};

class Source {
 public:
  virtual ~Source() = default;

  // ---- what it is
  virtual std::string name() const = 0;  // unique among all that acts; the ledger's source
  // Conservative: it has a potential, and its force is minus that potential's derivative. Others have none.
  virtual Nature nature() const { return Nature::active; }
  // Why it cannot act on this model; empty when there is no objection.
  virtual std::string refusal(const Model&) const { return {}; }
  // How far back it looks (Instant::past), s. 0: it uses only the present.
  virtual double delay() const { return 0; }

  // ---- what it remembers
  virtual std::vector<std::string> states() const { return {}; }  // names of its z, for the record
  virtual int mode_count() const { return 0; }
  // Called at the start of a run; both are zero before.
  virtual void start(const Instant<double>&, std::span<double> /*z*/, std::span<double> /*modes*/) const {}

  // ---- what it does between events: smooth functions of the instant and of z
  // Adds what it does to the sum, and writes the rates of its z.
  virtual void act(const Instant<double>&, const Kept<double>&, ForceSum<double>&, std::span<double> z_rate) const = 0;
  // The same with derivatives. False: not given; implicit methods then use difference quotients.
  virtual bool act(const Instant<Dual<1>>&, const Kept<Dual<1>>&, ForceSum<Dual<1>>&,
                   std::span<Dual<1>> /*z_rate*/) const {
    return false;
  }
  // Whether it stores energy without being conservative: potential() is then what it stores, in its own states, too, and
  // potential_rate() the power that it takes in otherwise than by its force (what it loses as heat is negative).
  virtual bool stores_energy() const { return false; }
  // For a conservative source, J; and ∂V/∂t at a fixed state, the power of whatever changes its own parameters, W.
  virtual double potential(const Instant<double>&, const Kept<double>&) const { return 0; }
  virtual double potential_rate(const Instant<double>&, const Kept<double>&) const { return 0; }

  // ---- what switches: steps end there, so that each is smooth
  // Functions that are positive as long as the modes are right.
  virtual int switch_count() const { return 0; }
  virtual void switch_values(const Instant<double>&, const Kept<double>&, std::span<double> /*values*/) const {}
  // The next instant after t at which something switches by the clock.
  virtual double next_instant(double /*t*/, const Kept<double>&) const { return forever; }
  // Resets modes and states where function `which` has become negative, or (by_clock) a known instant has come, which
  // may be another source's.
  virtual void switch_over(const Instant<double>&, int /*which*/, std::span<double> /*z*/,
                           std::span<double> /*modes*/) const {}
};

// An element that has states of its own, as a source; null for all others. The element has to stay alive, and may be changed.
std::shared_ptr<const Source> source_of(const Element&);

}  // namespace marey
