// With n the moment on a particle about Bo, rows among all that acts, what the world puts on it through its joint, less the joint's
// own forces, is
//   moment −n     no force                                                                                    (1)
// since the joint leaves all shifts free, and rows that act through it have wrenches as all others do.
#include "marey/plant/particle_plant.h"

#include <algorithm>

#include "marey/core/index.h"
#include "marey/plant/reduced_figure.h"

namespace marey {
namespace {

std::vector<int> links_beside_particles(const Model& model) {
  std::vector<int> links;
  for (int i = 0; i < model.nlink(); ++i)
    if (!is_particle(model, i)) links.push_back(i);
  return links;
}

}  // namespace

Model part_of(const Model& model, std::span<const int> links) {
  Model out;
  out.params.gravity = model.params.gravity;
  std::vector<int> here(model.links.size());
  for (const int i : links) {
    LinkTopology t = model.links[index(i)];
    here[index(i)] = out.nlink();
    t.parent = here[index(t.parent)];
    t.leaf = true, t.opens = false;
    if (t.general >= 0) {
      const std::size_t g = index(t.general);
      t.general = static_cast<std::int16_t>(out.general.size());
      out.general.push_back(model.general[g]), out.params.general.push_back(model.params.general[g]);
      out.coordinates.push_back(model.coordinates[g]);
    }
    t.q = out.nq, t.v = out.nv;
    out.nq += coordinate_count(t), out.nv += freedom_count(t);
    out.links.push_back(t);
    out.params.links.push_back(model.params.links[index(i)]);
    out.names.push_back(model.names[index(i)]);
    out.shapes.emplace_back();
  }
  mark_sons(out);
  return out;
}

namespace {

template <class Piece>
void append(std::vector<Piece>& pieces, int here, int there, int count) {
  if (count == 0) return;
  if (!pieces.empty() && pieces.back().here + pieces.back().count == here)
    pieces.back().count += count;
  else
    pieces.push_back({here, there, count});
}

}  // namespace

bool ParticlePlant::serves(const Model& figure, const SolverOptions& options) {
  return options.particles_apart && options.dynamics != Dynamics::multipliers && !options.weld &&
         count_particles(figure) > 0;
}

ParticlePlant::ParticlePlant(const Model& model, const SolverOptions& options)
    : Plant(model, model),
      links_(links_beside_particles(model)),
      others_(part_of(model, links_)),
      figures_(others_, options),
      particles_(model),
      F_others_(links_.size()) {
  for (int k = 1; k < others_.nlink(); ++k) {
    const LinkTopology &here = model.links[index(links_[index(k)])], &there = others_.links[index(k)];
    append(q_pieces_, here.q, there.q, coordinate_count(here));
    append(v_pieces_, here.v, there.v, freedom_count(here));
  }
  q_others_.resize(index(others_.nq));
  v_others_.resize(index(others_.nv));
  for (std::vector<double>* x : {&in_[0], &in_[1], &in_[2], &out_[0], &out_[1]})
    x->resize(index(std::max(others_.nq, others_.nv)));
}

// ---- between all and the others
std::span<const double> ParticlePlant::take(std::span<const Piece> pieces, std::span<const double> all,
                                            std::vector<double>& of_others) const {
  std::size_t count = 0;
  for (const Piece& piece : pieces) {
    std::copy_n(all.data() + piece.here, piece.count, of_others.data() + piece.there);
    count += index(piece.count);
  }
  return std::span(of_others).first(count);
}
void ParticlePlant::give(std::span<const double> of_others, std::span<double> all) const {
  for (const Piece& piece : v_pieces_)
    std::copy_n(of_others.data() + piece.there, piece.count, all.data() + piece.here);
}
std::span<const Wrench<double>> ParticlePlant::take_wrenches(std::span<const Wrench<double>> F_Bo_W) {
  for (std::size_t k = 0; k < links_.size(); ++k) F_others_[k] = F_Bo_W[index(links_[k])];
  return F_others_;
}

// ---- an instant
Instant<double> ParticlePlant::place(double t, std::span<const double> q, std::span<const double> v,
                                     std::span<const double> z, const Past* past) {
  q_ = q, v_ = v;
  if (!alone()) {
    take(q_pieces_, q, q_others_), take(v_pieces_, v, v_others_);
    figures_.place(t, q_others_, v_others_, z, past);
    const Kinematics<double>& others = figures_.kinematics();
    for (std::size_t k = 1; k < links_.size(); ++k) {
      kinematics_.X_WB[index(links_[k])] = others.X_WB[k];
      kinematics_.V_WB[index(links_[k])] = others.V_WB[k];
    }
    std::copy(others.general.begin(), others.general.end(), kinematics_.general.begin());
  }
  if (!particles_.are_at(q, v)) {
    particles_.put(q, v);
    if (shown_) particles_.show(kinematics_);
  }
  return {figure_, t, q, v, kinematics_.X_WB, kinematics_.V_WB, past, z, &particles_};
}

void ParticlePlant::begin_step(long long step, std::span<const double> q, std::span<const double> v) {
  if (alone()) return;
  const std::span<const double> q_others = take(q_pieces_, q, in_[0]), v_others = take(v_pieces_, v, in_[1]);
  figures_.begin_step(step, q_others, v_others);
}

void ParticlePlant::show_particles(bool shown) {
  if (shown && !shown_) particles_.show(kinematics_);
  shown_ = shown;
}

// ---- what forces and impulses do
// Nobody writes what would have to be cleared of particles that are not shown.
void ParticlePlant::clear(ForceSum<double>& sum) const {
  if (shown_) return sum.clear();
  for (const int link : links_) sum.F_Bo_W[index(link)] = {};
  for (const Piece& piece : v_pieces_) std::fill_n(sum.tau.data() + piece.here, piece.count, 0.0);
  sum.begin_element();
}
void ParticlePlant::collect(ForceSum<double>& sum) const {
  if (shown_)
    particles_.hand_over(sum.F_Bo_W);
  else
    particles_.hand_over_to_held(sum.F_Bo_W);
}

void ParticlePlant::accelerate(const Forces<double>& forces, std::span<double> vdot) {
  if (!alone()) {
    const std::span<double> of_others = std::span(out_[0]).first(v_others_.size());
    figures_.accelerate({take(v_pieces_, forces.tau, in_[0]), take_wrenches(forces.F_Bo_W)}, of_others);
    give(of_others, vdot);
  }
  if (!shown_) return particles_.accelerate(figure_.params.gravity, vdot);
  particles_.accelerate(figure_.params.gravity, forces, vdot);
}

void ParticlePlant::respond(std::span<const double> p, std::span<double> dv) {
  if (!alone()) {
    const std::span<double> of_others = std::span(out_[0]).first(v_others_.size());
    figures_.respond(take(v_pieces_, p, in_[0]), of_others);
    give(of_others, dv);
  }
  particles_.divide_by_mass(p, dv);
}

bool ParticlePlant::half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) {
  if (!alone()) {
    const std::span<double> u_others = std::span(out_[0]).first(v_others_.size()),
                            D_others = std::span(out_[1]).first(v_others_.size());
    if (!figures_.half_respond_to(take(v_pieces_, p, in_[0]), u_others, D_others)) return false;
    give(u_others, u), give(D_others, D_inverse_u);
  }
  for (const ParticleStore::Run& run : particles_.runs())
    std::copy_n(p.data() + run.v, 3 * run.count, u.data() + run.v);
  particles_.divide_by_mass(p, D_inverse_u);
  return true;
}

// Freedoms of particles are left to the rows.
HeldResponse* ParticlePlant::with_held(std::span<const unsigned char> held) {
  for (const ParticleStore::Run& run : particles_.runs())
    for (int k = 0; k < 3 * run.count; ++k)
      if (held[index(run.v + k)] != 0) return nullptr;
  others_held_.held.resize(v_others_.size());
  for (const Piece& piece : v_pieces_)
    std::copy_n(held.data() + piece.here, piece.count, others_held_.held.data() + piece.there);
  others_held_.of_others = alone() ? nullptr : figures_.with_held(others_held_.held);
  return others_held_.of_others != nullptr ? &others_held_ : nullptr;
}

void ParticlePlant::OthersHeld::respond_to_both(std::span<double> p, std::span<double> dv) {
  const std::size_t n = held.size();
  plant.take(plant.v_pieces_, p, plant.in_[0]), plant.take(plant.v_pieces_, dv, plant.in_[1]);
  of_others->respond_to_both(std::span(plant.in_[0]).first(n), std::span(plant.in_[1]).first(n));
  plant.give(plant.in_[0], p), plant.give(plant.in_[1], dv);
  plant.particles_.divide_by_mass(p, dv);
}

void ParticlePlant::OthersHeld::respond(std::span<const double> p, std::span<double> dv) {
  const std::span<double> out = std::span(plant.out_[0]).first(held.size());
  of_others->respond(plant.take(plant.v_pieces_, p, plant.in_[0]), out);
  plant.give(out, dv);
  plant.particles_.divide_by_mass(p, dv);
}

bool ParticlePlant::OthersHeld::half_respond_to(std::span<const double> p, std::span<double> u,
                                                std::span<double> D_inverse_u) {
  const std::span<double> u_others = std::span(plant.out_[0]).first(held.size()),
                          D_others = std::span(plant.out_[1]).first(held.size());
  if (!of_others->half_respond_to(plant.take(plant.v_pieces_, p, plant.in_[0]), u_others, D_others)) return false;
  plant.give(u_others, u), plant.give(D_others, D_inverse_u);
  for (const ParticleStore::Run& run : plant.particles_.runs())
    std::copy_n(p.data() + run.v, 3 * run.count, u.data() + run.v);
  plant.particles_.divide_by_mass(p, D_inverse_u);
  return true;
}

// ---- what the world does
Vec3<double> ParticlePlant::moment_on_particles(std::span<const Wrench<double>> F_Bo_W) const {
  Vec3<double> n;
  for (const ParticleStore::Run& run : particles_.runs())
    for (int i = 0; i < run.count; ++i) n -= F_Bo_W[index(run.link + i)].n;  // (1)
  return n;
}

Wrench<double> ParticlePlant::world_on_roots(const Forces<double>& all, std::span<const double> vdot) {
  Wrench<double> sum;
  if (shown_) sum.n = moment_on_particles(all.F_Bo_W);
  if (!alone() && figures_.holds_roots())
    sum += figures_.world_on_roots({take(v_pieces_, all.tau, in_[0]), take_wrenches(all.F_Bo_W)},
                                   take(v_pieces_, vdot, in_[1]));
  return sum;
}

Wrench<double> ParticlePlant::world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W,
                                                     std::span<const double> dv) {
  Wrench<double> sum{moment_on_particles(P_Bo_W), {}};
  if (!alone() && figures_.holds_roots())
    sum += figures_.world_on_roots_at_once(take_wrenches(P_Bo_W), take(v_pieces_, dv, in_[0]));
  return sum;
}

// ---- sums over all links
Totals<double> ParticlePlant::totals() const {
  Totals<double> t = figures_.totals();
  particles_.add_to(t);
  t.gravity_potential = -dot(figure_.params.gravity, t.first_moment);
  return t;
}
void ParticlePlant::mass_moment(double& mass, Vec3<double>& first_moment) {
  figures_.mass_moment(mass, first_moment);
  particles_.add_mass_moment(mass, first_moment);
}

// ---- for the variational method
void ParticlePlant::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  if (!alone()) {
    const std::span<double> of_others = std::span(out_[0]).first(v_others_.size());
    figures_.momentum(take(q_pieces_, q, in_[0]), take(v_pieces_, v, in_[1]), of_others);
    give(of_others, p);
  }
  particles_.multiply_by_mass(v, p);
}

void ParticlePlant::velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) {
  if (!alone()) {
    const std::span<double> of_others = std::span(out_[0]).first(v_others_.size());
    figures_.velocity(take(q_pieces_, q, in_[0]), take(v_pieces_, p, in_[1]), of_others);
    give(of_others, v);
  }
  particles_.divide_by_mass(p, v);
}

// Of a particle M does not depend on q: g is all that acts, its weight with it.
void ParticlePlant::generalised_force(const Forces<double>& forces, std::span<const double> vdot, std::span<double> g) {
  if (!alone()) {
    const std::span<double> of_others = std::span(out_[0]).first(v_others_.size());
    figures_.generalised_force({take(v_pieces_, forces.tau, in_[0]), take_wrenches(forces.F_Bo_W)},
                               take(v_pieces_, vdot, in_[1]), of_others);
    give(of_others, g);
  }
  if (shown_)
    particles_.accelerate(figure_.params.gravity, forces, g);
  else
    particles_.accelerate(figure_.params.gravity, g);
  particles_.multiply_by_mass(g, g);
}

}  // namespace marey
