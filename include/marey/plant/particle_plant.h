// Particles beside figures, in the coordinates of their joints: the particles in a store of their own (marey/dynamics/particles.h),
// where M is diagonal, all other links in a plant of their own, which knows nothing of the particles. They meet in forces alone.
#pragma once

#include "marey/dynamics/particles.h"
#include "marey/plant/reduced_plant.h"
#include "marey/rows/held_response.h"

namespace marey {

// The model of these links alone, in their order, the world first; none of them hangs on one that is left out.
Model part_of(const Model&, std::span<const int> links);

class ParticlePlant final : public Plant {
 public:
  // Whether a figure is to have one: particles, and no joints that are welded on the fly.
  static bool serves(const Model&, const SolverOptions&);

  explicit ParticlePlant(const Model&, const SolverOptions&);

  // The others.
  ReducedPlant& figures() { return figures_; }
  const ParticleStore& particles() const { return particles_; }
  // Whether particles are seen and pushed as links: their kinematics, and forces on them. False: nothing but packs of the store
  // has to do with them. Motions are the same to the bit.
  void show_particles(bool);

  Instant<double> place(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                        const Past*) override;
  void masses_changed() override { particles_.take_masses(figure_); }  // of particles: no others change
  void clear(ForceSum<double>&) const override;
  void collect(ForceSum<double>&) const override;
  void accelerate(const Forces<double>&, std::span<double> vdot) override;
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;
  HeldResponse* with_held(std::span<const unsigned char> held) override;
  bool has_derivatives() const override { return true; }

  Wrench<double> world_on_roots(const Forces<double>& all, std::span<const double> vdot) override;
  Wrench<double> world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W, std::span<const double> dv) override;
  Totals<double> totals() const override;
  void mass_moment(double& mass, Vec3<double>& first_moment) override;

  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) override;
  void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) override;
  void generalised_force(const Forces<double>&, std::span<const double> vdot, std::span<double> g) override;

  void begin_step(long long step, std::span<const double> q, std::span<const double> v) override;
  void happened() override { figures_.happened(); }
  std::span<std::byte> band_bytes(int which) override { return figures_.band_bytes(which); }
  std::vector<double> factors() const override { return figures_.factors(); }
  void recall_factors(std::span<const double> x) override { figures_.recall_factors(x); }

 private:
  struct Piece {
    int here, there, count;  // numbers of all, and of the others
  };
  // With freedoms of the others held.
  struct OthersHeld final : HeldResponse {
    explicit OthersHeld(ParticlePlant& p) : plant(p) {}
    void respond_to_both(std::span<double> p, std::span<double> dv) override;
    void respond(std::span<const double> p, std::span<double> dv) override;
    bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;
    ParticlePlant& plant;
    HeldResponse* of_others = nullptr;
    std::vector<unsigned char> held;  // [nv of the others]
  };
  bool alone() const { return links_.size() == 1; }  // nothing but particles
  std::span<const double> take(std::span<const Piece>, std::span<const double> all,
                               std::vector<double>& of_others) const;
  void give(std::span<const double> of_others, std::span<double> all) const;  // velocities
  std::span<const Wrench<double>> take_wrenches(std::span<const Wrench<double>>);
  // Through the joints of the particles: what the world puts on them.
  Vec3<double> moment_on_particles(std::span<const Wrench<double>> F_Bo_W) const;

  std::vector<int> links_;  // [links of the others] which of all
  Model others_;
  ReducedPlant figures_;
  ParticleStore particles_;
  bool shown_ = true;
  std::vector<Piece> q_pieces_, v_pieces_;
  std::vector<double> q_others_, v_others_;  // of the instant
  std::vector<double> in_[3], out_[2];       // scratch
  std::vector<Wrench<double>> F_others_;
  OthersHeld others_held_{*this};
};

}  // namespace marey
