#include "marey/dynamics/particles.h"

#include <algorithm>

#include "marey/core/index.h"
#include "marey/scalar.h"

namespace marey {
namespace {

using P = Pack<double, ParticleStore::lanes>;

bool on_the_world(const LinkTopology& link) { return link.parent == 0 && !link.turned; }

double sum_of(const P& p) {
  double sum = 0;
  for (int k = 0; k < ParticleStore::lanes; ++k) sum += p[k];
  return sum;
}

// Triples of numbers into one array for each component.
void apart(const double* from, int count, double* __restrict a, double* __restrict b, double* __restrict c) {
  for (int i = 0; i < count; ++i) a[i] = from[3 * i], b[i] = from[3 * i + 1], c[i] = from[3 * i + 2];
}
void apart(const double* from, int count, const double* plus_a, const double* plus_b, const double* plus_c,
           double* __restrict a, double* __restrict b, double* __restrict c) {
  for (int i = 0; i < count; ++i)
    a[i] = plus_a[i] + from[3 * i], b[i] = plus_b[i] + from[3 * i + 1], c[i] = plus_c[i] + from[3 * i + 2];
}

}  // namespace

bool is_particle(const Model& model, int i) {
  const LinkTopology& link = model.links[index(i)];
  const Inertia<double>& I = model.params.links[index(i)].I;
  return i > 0 && link.joint == JointType::point && on_the_world(link) && link.leaf && I.m > 0 && I.h.x == 0 &&
         I.h.y == 0 && I.h.z == 0;
}

int count_particles(const Model& model) {
  int count = 0;
  for (int i = 1; i < model.nlink(); ++i) count += is_particle(model, i) ? 1 : 0;
  return count;
}

ParticleStore::ParticleStore(const Model& model) : place_of_(model.links.size(), -1) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[index(i)];
    const bool particle = is_particle(model, i);
    if (!particle && !(link.joint == JointType::weld && on_the_world(link))) continue;
    place_of_[index(i)] = size();
    if (particle) {
      Run* last = runs_.empty() ? nullptr : &runs_.back();
      if (last != nullptr && last->link + last->count == i && last->q + 3 * last->count == link.q &&
          last->v + 3 * last->count == link.v)
        ++last->count;
      else
        runs_.push_back({size(), i, link.q, link.v, 1});
    }
    if (!particle) held_.push_back(size());
    link_.push_back(i);
  }
  const std::size_t n = link_.size() + lanes;
  for (AlignedDoubles* a : {&x, &y, &z, &vx, &vy, &vz, &mass, &fx, &fy, &fz, &l_x_, &l_y_, &l_z_, &inverse_mass_})
    a->assign(n, 0.0);
  for (std::size_t k = 0; k < link_.size(); ++k) {
    const LinkParams<double>& p = model.params.links[index(link_[k])];
    l_x_[k] = x[k] = p.l.x, l_y_[k] = y[k] = p.l.y, l_z_[k] = z[k] = p.l.z;
  }
  take_masses(model);
}

void ParticleStore::take_masses(const Model& model) {
  whole_mass_ = 0;
  for (const Run& run : runs_)
    for (int i = 0; i < run.count; ++i) {
      const std::size_t k = index(run.place + i);
      mass[k] = model.params.links[index(link_[k])].I.m, inverse_mass_[k] = 1 / mass[k];
      whole_mass_ += mass[k];
    }
  if (puts_ > 0) ++puts_;  // what was made of the last place is no longer so
}

void ParticleStore::put(std::span<const double> q, std::span<const double> v) {
  ++puts_;
  for (const Run& run : runs_) {
    const std::size_t first = index(run.place);
    apart(q.data() + run.q, run.count, &l_x_[first], &l_y_[first], &l_z_[first], &x[first], &y[first], &z[first]);
    apart(v.data() + run.v, run.count, &vx[first], &vy[first], &vz[first]);
  }
}

bool ParticleStore::are_at(std::span<const double> q, std::span<const double> v) const {
  if (puts_ == 0) return false;
  for (const Run& run : runs_)
    for (int i = 0; i < run.count; ++i) {
      const std::size_t k = index(run.place + i);
      const double *p = q.data() + run.q + 3 * i, *w = v.data() + run.v + 3 * i;
      if (x[k] != l_x_[k] + p[0] || y[k] != l_y_[k] + p[1] || z[k] != l_z_[k] + p[2] || vx[k] != w[0] ||
          vy[k] != w[1] || vz[k] != w[2])
        return false;
    }
  return true;
}

void ParticleStore::show(Kinematics<double>& kinematics) const {
  for (const Run& run : runs_)
    for (int i = 0; i < run.count; ++i) {
      const std::size_t k = index(run.place + i), link = index(run.link + i);
      kinematics.X_WB[link].p = {x[k], y[k], z[k]};
      kinematics.V_WB[link].v = {vx[k], vy[k], vz[k]};
    }
}

void ParticleStore::clear_forces() {
  for (AlignedDoubles* f : {&fx, &fy, &fz}) std::fill(f->begin(), f->end(), 0.0);
}
void ParticleStore::hand_over(std::span<Wrench<double>> F_Bo_W) const {
  for (std::size_t k = 0; k < link_.size(); ++k) F_Bo_W[index(link_[k])].f += Vec3<double>{fx[k], fy[k], fz[k]};
}
void ParticleStore::hand_over_to_held(std::span<Wrench<double>> F_Bo_W) const {
  for (const int place : held_) {
    const std::size_t k = index(place);
    F_Bo_W[index(link_[k])].f += Vec3<double>{fx[k], fy[k], fz[k]};
  }
}

void ParticleStore::accelerate(const Vec3<double>& g, std::span<double> vdot) const {
  for (const Run& run : runs_) {
    const std::size_t first = index(run.place);
    const double *a = &fx[first], *b = &fy[first], *c = &fz[first], *u = &inverse_mass_[first];
    double* __restrict out = vdot.data() + run.v;
    for (int i = 0; i < run.count; ++i) {  // (1)
      out[3 * i] = g.x + u[i] * a[i];
      out[3 * i + 1] = g.y + u[i] * b[i];
      out[3 * i + 2] = g.z + u[i] * c[i];
    }
  }
}

void ParticleStore::accelerate(const Vec3<double>& g, const Forces<double>& forces, std::span<double> vdot) const {
  for (const Run& run : runs_) {
    const double* tau = forces.tau.data() + run.v;
    const Wrench<double>* F = forces.F_Bo_W.data() + run.link;
    double* out = vdot.data() + run.v;
    for (int i = 0; i < run.count; ++i) {  // (1)
      const double u = inverse_mass_[index(run.place + i)];
      out[3 * i] = g.x + u * (F[i].f.x + tau[3 * i]);
      out[3 * i + 1] = g.y + u * (F[i].f.y + tau[3 * i + 1]);
      out[3 * i + 2] = g.z + u * (F[i].f.z + tau[3 * i + 2]);
    }
  }
}

void ParticleStore::divide_by_mass(std::span<const double> p, std::span<double> v) const {
  for (const Run& run : runs_)
    for (int i = 0; i < 3 * run.count; ++i)
      v[index(run.v + i)] = p[index(run.v + i)] * inverse_mass_[index(run.place + i / 3)];
}

void ParticleStore::multiply_by_mass(std::span<const double> v, std::span<double> p) const {
  for (const Run& run : runs_)
    for (int i = 0; i < 3 * run.count; ++i) p[index(run.v + i)] = v[index(run.v + i)] * mass[index(run.place + i / 3)];
}

void ParticleStore::add_to(Totals<double>& t) const {
  P kinetic{}, px{}, py{}, pz{}, nx{}, ny{}, nz{};
  for (std::size_t k = 0; k < link_.size(); k += lanes) {
    const P m = P::load(&mass[k]), u = P::load(&vx[k]), v = P::load(&vy[k]), w = P::load(&vz[k]);
    const P a = P::load(&x[k]), b = P::load(&y[k]), c = P::load(&z[k]), mu = m * u, mv = m * v, mw = m * w;
    kinetic += mu * u + mv * v + mw * w;
    px += mu, py += mv, pz += mw;
    nx += b * mw - c * mv, ny += c * mu - a * mw, nz += a * mv - b * mu;
  }
  t.kinetic += 0.5 * sum_of(kinetic);
  t.momentum += Wrench<double>{{sum_of(nx), sum_of(ny), sum_of(nz)}, {sum_of(px), sum_of(py), sum_of(pz)}};
  add_mass_moment(t.mass, t.first_moment);
}

void ParticleStore::add_mass_moment(double& all, Vec3<double>& first_moment) const {
  P a{}, b{}, c{};
  for (std::size_t k = 0; k < link_.size(); k += lanes) {
    const P m = P::load(&mass[k]);
    a += m * P::load(&x[k]), b += m * P::load(&y[k]), c += m * P::load(&z[k]);
  }
  all += whole_mass_;
  first_moment += Vec3<double>{sum_of(a), sum_of(b), sum_of(c)};
}

}  // namespace marey
