// A running scene under the control of a program: step it, look at it, go back to where it was.
//
//   marey::Simulation simulation(scene);
//   while (simulation.time() < 10) simulation.step();
//   const double height = simulation.values("link/hand/position")[2];
//
// A simulation owns everything it needs: the scene it was made from may be destroyed. Many may share one System; each
// then has a state, a ledger and a method of its own, and may run in its own thread. A simulation belongs to one thread
// at a time, even for reading: what is read is computed on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "marey/inputs.h"
#include "marey/sim.h"

namespace marey {

// A scene that can be run, and everything about it that does not change while it runs.
class System {
 public:
  // Throws Error(bad_input) with the reason if the scene cannot be run.
  explicit System(Scene);

  const Scene& scene() const { return scene_; }
  const Model& model() const { return scene_.model; }
  // What can be read from a simulation by name, in the order of Simulation::row(), whatever of it is recorded.
  std::span<const Channel> channels() const { return channels_; }
  // Where the values of a channel begin in a row. Throws Error(bad_input) if there is no such channel.
  struct Columns {
    std::size_t first = 0, count = 0;
  };
  Columns columns_of(std::string_view channel) const;
  std::size_t row_width() const { return row_width_; }
  // Equal for systems with the same names, figures and solver.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  Scene scene_;
  std::vector<Channel> channels_;
  std::size_t row_width_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// Everything that determines a simulation's future: a value, to be copied and kept.
struct SavedState {
  double t = 0;
  std::vector<std::byte> bytes;
  std::uint64_t system = 0;  // the fingerprint of the system to which it belongs
};

class Simulation {
 public:
  explicit Simulation(Scene);
  explicit Simulation(std::shared_ptr<const System>);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  const System& system() const;

  // ---- time
  double time() const;
  // One step, as long as the scene's method makes it, ended early by whatever switches first, and never beyond `limit`,
  // which must lie ahead. The scene's duration is no limit. Throws Error(cannot_go_on) with the cause when it cannot
  // continue: the state may then hold NaNs; restore() leads back to a good one. The same applies when a source of the
  // caller's own has thrown; what it threw is passed on.
  void step(double limit = forever);
  // Steps until that time, and stops exactly there; does nothing if it is already past.
  void run_until(double t);

  // ---- what there is now
  // Coordinates and velocities of the joints, whatever the scene's method integrates.
  const State& state() const;
  Transform<double> pose(int link) const;  // X_WB
  Twist<double> velocity(int link) const;  // V_WB at Bo, in W
  double kinetic_energy() const;           // J
  double potential_energy() const;         // J: of gravity, conservative elements and compliant ground
  // The account of energy and momentum from the start until now.
  Ledger ledger() const;
  long long steps() const;
  long long events() const;
  long long evaluations() const;
  long long impacts() const;  // of contacts that were struck

  // A channel's numbers now, to be read before the next call.
  std::span<const double> values(std::string_view channel) const;
  double value(std::string_view channel) const;  // of one number
  // All channels, one after another: now, or at a time t within the last step.
  std::span<const double> row() const;
  std::span<const double> row_at(double t) const;

  // ---- from outside, where Scene::takes_inputs says so; the ledger's source "inputs"
  // From now on a force (in W) acts on a link at one of its points (in B), and a torque (in W). They replace those of
  // the last call for that link: zeros end the push.
  void push(int link, const Vec3<double>& force, const Vec3<double>& torque = {}, const Vec3<double>& point_B = {});
  // From now on these forces act in the joint of a link, one for each of its degrees of freedom.
  void drive(int link, std::span<const double> forces);
  // From now on a number of an element has a new value (a stiffness, a coefficient, a component of a force:
  // numbers_of()); the resulting change of the element's energy is booked as its work.
  void set(std::string_view element, std::string_view number, double value);
  // From now on a drive (a coupler: marey/constraint.h) goes to a constant: a coordinate gets there smoothly `within` a
  // time, from rest (one that moves is stopped by an impulse first); a velocity is reached at once, by an impulse; an
  // acceleration applies from now on. A drive that has ended stays ended.
  void command(std::string_view drive, double target, double within = 0);
  // All inputs since it was made or restored: pushes, drives, numbers, commands, and limits of steps.
  std::span<const Input> inputs() const;
  // Steps until a time, repeating the inputs to another simulation of the same system from the same state.
  void replay(std::span<const Input>, double until);

  // ---- going back
  // Methods that remember many steps (adams, bdf) can continue bit for bit only from where they restart, which they do
  // at fixed intervals of steps: elsewhere save() is refused.
  bool may_save() const;
  SavedState save() const;
  // Throws Error(bad_input) for a state of another system, and then leaves everything as it is.
  void restore(const SavedState&);

  // For the library itself.
  class Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace marey
