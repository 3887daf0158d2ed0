// Sweeps over packs: (2), (3), (5) of marey/contact/contact_sweeps.h for eight contacts at a time.
#include "contact/heap_sweeps.h"

#include <algorithm>
#include <cmath>

namespace marey {

namespace {

constexpr std::size_t packs_at_once = 4;  // that a thread takes: about 1 µs
constexpr double finer = 0.3;             // tolerance of sweeps that go on

bool any(const Pack<double, 8>::Mask& m) {
  bool out = false;
  for (int i = 0; i < 8; ++i) out = out | m[i];
  return out;
}

}  // namespace

template <bool shared>
void HeapSweeps::scatter(const Group8& g, const Two& two) {
  const auto half = [&](const std::uint32_t(&of)[lanes], const Vec& v, const Vec& w, const Eight& m)
      __attribute__((always_inline)) {
    Eight x[8] = {v.x, v.y, v.z, w.x, w.y, w.z, m, Eight{}};
    transpose_eight(x);
    for (std::size_t i = 0; i < lanes; ++i)
      if (!shared || of[i] != 0) x[i].store(bodies_[of[i]].v);
  };
  half(g.a, two.v_a, two.w_a, two.m_a), half(g.b, two.v_b, two.w_b, two.m_b);
}

// (1) without o and c.
HeapSweeps::Vec HeapSweeps::velocities(const Row& row, const Group8& g, const Two& two) {
  const Vec d = two.v_b - two.v_a + cross(two.w_b, load(row.r_b)) - cross(two.w_a, load(row.r_a));
  return {dot(load(g.axes[0]), d), dot(load(g.axes[1]), d), dot(load(g.axes[2]), d)};
}

// (2)
void HeapSweeps::push(const Row& row, Two& two, const Vec& f) {
  two.v_a = two.v_a - two.m_a * f, two.v_b = two.v_b + two.m_b * f;
  two.w_a = two.w_a - two.J_a * cross(load(row.r_a), f);
  two.w_b = two.w_b + two.J_b * cross(load(row.r_b), f);
}

// `changed` gets those lanes in which a velocity changes by more than `least`.
template <bool with_friction>
void HeapSweeps::relax(Row& row, const Group8& g, Two& two, const Eight& least, Eight::Mask& changed) {
  const Eight P_n = Eight::load(row.P[0]), step_n = Eight::load(row.step_n);
  const Vec n = load(g.axes[0]);
  const Vec d = two.v_b - two.v_a + cross(two.w_b, load(row.r_b)) - cross(two.w_a, load(row.r_a));
  const Eight u_n = dot(n, d) + Eight::load(row.offset) + Eight::load(row.compliance) * P_n;
  const Eight normal = max(Eight{}, P_n - step_n * u_n), d_n = normal - P_n;
  normal.store(row.P[0]);
  changed = changed | (abs(d_n) > least * step_n);
  if constexpr (!with_friction) {
    push(row, two, d_n * n);
  } else {
    const Vec t_1 = load(g.axes[1]), t_2 = load(g.axes[2]);
    const Eight P_1 = Eight::load(row.P[1]), P_2 = Eight::load(row.P[2]), step_t = Eight::load(row.step_t);
    const Eight x = P_1 - step_t * (dot(t_1, d) + Eight::load(row.A_tn[0]) * d_n),
                y = P_2 - step_t * (dot(t_2, d) + Eight::load(row.A_tn[1]) * d_n);
    const Eight most = Eight::load(row.friction) * normal, length2 = x * x + y * y;
    const Eight part = select(length2 > most * most, most / sqrt(length2), Eight(1));
    const Eight next_1 = part * x, next_2 = part * y, d_1 = next_1 - P_1, d_2 = next_2 - P_2;
    next_1.store(row.P[1]), next_2.store(row.P[2]);
    changed = changed | (max(abs(d_1), abs(d_2)) > least * step_t);
    push(row, two, d_n * n + d_1 * t_1 + d_2 * t_2);
  }
}

template <bool with_friction, bool shared>
void HeapSweeps::visit(const Group8& g, bool back, double least, Eight::Mask& changed) {
  Two two = gather(g);
  for (std::uint32_t k = 0; k < g.rows; ++k) {
    Row& row = rows_[g.first_row + (back ? g.rows - 1 - k : k)];
    relax<with_friction>(row, g, two, least, changed);
  }
  scatter<shared>(g, two);
}

template <bool with_friction>
bool HeapSweeps::sweep(bool back, double least) {
  if (threads_ != nullptr && threads_->count() > 1) return sweep_together<with_friction>(back, least);
  Eight::Mask changed(false);
  if (back)
    for (std::size_t i = packs_.size(); i-- > 0;) visit<with_friction, false>(packs_[i], back, least, changed);
  else
    for (const Group8& g : packs_) visit<with_friction, false>(g, back, least, changed);
  return any(changed);
}

// Colour by colour; within one the order is nobody's business.
template <bool with_friction>
bool HeapSweeps::sweep_together(bool back, double least) {
  const std::size_t colours = first_of_colour_.size() - 1;
  bool some = false;
  for (std::size_t c = 0; c < colours; ++c) {
    const std::size_t colour = back ? colours - 1 - c : c, first = first_of_colour_[colour];
    const std::size_t packs = first_of_colour_[colour + 1] - first;
    changed_.assign(Threads::pieces(packs, packs_at_once), 0);
    threads_->in_pieces(packs, packs_at_once, [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t) {
      Eight::Mask changed(false);
      for (std::size_t i = from; i < to; ++i) visit<with_friction, true>(packs_[first + i], back, least, changed);
      changed_[piece] = any(changed);
    });
    some = some || std::ranges::find(changed_, 1) != changed_.end();
  }
  return some;
}

void HeapSweeps::start(std::span<const Twist<double>> V_WB) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const auto link = static_cast<std::size_t>(links_[i]);
    const Vec3<double> w = link == 0 || V_WB.empty() ? Vec3<double>{} : V_WB[link].w;
    const Vec3<double> v = link == 0 || V_WB.empty() ? Vec3<double>{} : V_WB[link].v + cross(w, arms_[i]);
    for (int k = 0; k < 3; ++k) body.v[k] = v[k], body.w[k] = w[k];
  }
}

void HeapSweeps::push_all() {
  for (const Group8& g : packs_) {
    Two two = gather(g);
    for (std::uint32_t k = 0; k < g.rows; ++k) {
      const Row& row = rows_[g.first_row + k];
      push(row, two,
           Eight::load(row.P[0]) * load(g.axes[0]) + Eight::load(row.P[1]) * load(g.axes[1]) +
               Eight::load(row.P[2]) * load(g.axes[2]));
    }
    scatter<false>(g, two);
  }
}

// ---- beyond the result of a sweep
void HeapSweeps::keep_as_last() {
  before_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Eight P = Eight::load(rows_[i].P[k]);
      P.store(before_[i].P[k]), P.store(before_[i].y[k]);
    }
  V_last_.resize(6 * bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) std::copy_n(bodies_[i].v, 6, V_last_.data() + 6 * i);
}

// Σ (y − P_k)(P_k − P_{k−1})/step_n > 0
bool HeapSweeps::turns_back() const {
  Eight sum{};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    Eight own{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Eight P = Eight::load(row.P[k]);
      own += (Eight::load(before_[i].y[k]) - P) * (P - Eight::load(before_[i].P[k]));
    }
    const Eight step = Eight::load(row.step_n);
    sum += select(step > Eight{}, own / step, Eight{});
  }
  double all = 0;
  for (int i = 0; i < 8; ++i) all += sum[i];
  return all > 0;
}

void HeapSweeps::go_beyond(double beta) {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Eight now = Eight::load(rows_[i].P[k]), y = now + beta * (now - Eight::load(before_[i].P[k]));
      y.store(rows_[i].P[k]), y.store(before_[i].y[k]), now.store(before_[i].P[k]);
    }
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) {
      double &now = k < 3 ? bodies_[i].v[k] : bodies_[i].w[k - 3], &last = V_last_[6 * i + k];
      const double kept = now;
      now += beta * (now - last), last = kept;
    }
}

// ---- a problem
HeapSweeps::Report HeapSweeps::solve(std::span<const Twist<double>> V_WB, double scale, const Options& options,
                                     std::span<double> P, std::span<double> u) {
  Report report;
  load_points(P);
  start(V_WB), push_all();
  keep_as_last();
  double t = 1, least = options.tolerance * scale;
  for (int most = options.most;; most += options.more) {
    t = sweep_to_and_fro(least, most, t, report.sweeps);
    start(V_WB), push_all();  // without what rounding has added up
    report.certificate = certify(scale);
    if (report.certificate.natural_map <= options.bound || report.sweeps >= options.most_beyond) break;
    if (report.sweeps < most) least *= finer;  // they had ended by themselves
  }
  store(P, u);
  return report;
}

// Until nothing changes, or there have been so many; t is how fast they are.
double HeapSweeps::sweep_to_and_fro(double least, int most, double t, int& sweeps) {
  while (true) {
    bool changed = sweep<true>(false, least);
    changed = sweep<true>(true, least) | changed;
    sweeps += 2;
    if (sweeps >= most || !changed) return t;
    if (turns_back()) t = 1;
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    go_beyond((t - 1) / next);
    t = next;
  }
}

int HeapSweeps::shift(std::span<const double> gaps, std::span<const char> left_out, double scale,
                      const Options& options, std::span<double> P) {
  for (std::size_t i = 0; i < rows_.size() * lanes; ++i) {
    Row& row = rows_[i / lanes];
    const std::size_t l = i % lanes;
    for (auto& P_k : row.P) P_k[l] = 0;
    if (point_of_[i] == nobody) continue;
    row.offset[l] = gaps[point_of_[i]];
    row.compliance[l] = 0;
    row.step_n[l] = left_out[point_of_[i]] != 0 || !(row.own_n[l] > 0) ? 0 : 1 / row.own_n[l];
  }
  start({});
  int sweeps = 0;
  while (sweeps < options.most && sweep<false>(sweeps % 2 == 1, options.tolerance * scale)) ++sweeps;
  store(P, {});
  return sweeps;
}

}  // namespace marey
