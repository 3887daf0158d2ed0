// Dense output: the polynomials of a step, and the memory made of them.
//
// The cubic through both ends of a step of length h, y(θ) for a quantity y with y₀, y₁ and slopes m = h ẏ at the ends:
//   y = y₀ + θ m₀ + θ² (3Δ − 2m₀ − m₁) + θ³ (m₀ + m₁ − 2Δ),   Δ = y₁ − y₀                                       (1)
// For coordinates y is ξ, the local coordinate around the start, whose rate at the end is not v but local_rate(ξ, v).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "integrate/parts.h"
#include "marey/integrate/turn.h"

namespace marey {
namespace {

// Horner's rule, row by row.
void polynomial(std::span<const double> rows, int degree, double theta, std::span<double> out) {
  const std::size_t n = out.size();
  const double* row = rows.data() + static_cast<std::size_t>(degree) * n;
  std::copy(row, row + n, out.begin());
  for (int k = degree - 1; k >= 0; --k) {
    row -= n;
    for (std::size_t i = 0; i < n; ++i) out[i] = row[i] + theta * out[i];
  }
}

// (1) of n quantities, from y_0 (null: 0) to y_1; without slopes straight lines. Rows lie apart from all that is read.
void cubics(std::size_t n, double h, const double* y_0, const double* y_1, const double* slope_0, const double* slope_1,
            double* __restrict rows) {
  for (std::size_t i = 0; i < n; ++i) {
    const double y = y_0 != nullptr ? y_0[i] : 0, d = y_1[i] - y, m_0 = h * slope_0[i], m_1 = h * slope_1[i];
    rows[i] = y;
    rows[n + i] = m_0;
    rows[2 * n + i] = 3 * d - 2 * m_0 - m_1;
    rows[3 * n + i] = m_0 + m_1 - 2 * d;
  }
}
void lines(std::size_t n, const double* y_0, const double* y_1, double* __restrict rows) {
  for (std::size_t i = 0; i < n; ++i) {
    const double y = y_0 != nullptr ? y_0[i] : 0;
    rows[i] = y;
    rows[n + i] = y_1[i] - y;
    rows[2 * n + i] = rows[3 * n + i] = 0;
  }
}

}  // namespace

void normalize_attitudes(const Model& model, std::span<double> q) {
  for (const LinkTopology& link : model.links) {
    if (!has_attitude(link.joint)) continue;
    double* x = q.data() + link.q;
    const double scale = 1 / std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int k = 0; k < 4; ++k) x[k] *= scale;
  }
}

void local_rate_exact(const Model& model, std::span<const double> xi, std::span<const double> v,
                      std::span<double> xi_rate) {
  std::copy(v.begin(), v.end(), xi_rate.begin());
  if (model.nq == model.nv) return;  // no attitudes
  for (const LinkTopology& link : model.links) {
    if (!has_attitude(link.joint)) continue;
    const double *x = xi.data() + link.v, *w = v.data() + link.v;
    const Vec3<double> rate = local_rate_exact({x[0], x[1], x[2]}, {w[0], w[1], w[2]});
    for (int k = 0; k < 3; ++k) xi_rate[link.v + k] = rate[k];
  }
}

void prepare(Segment& s, const Model& model, std::size_t rate_count, int degree, Segment::Coordinates coordinates,
             std::size_t state_count) {
  const std::size_t rows = static_cast<std::size_t>(degree) + 1, nq = static_cast<std::size_t>(model.nq),
                    nv = static_cast<std::size_t>(model.nv);
  s.degree = degree;
  s.coordinates = coordinates;
  s.q_0.assign(coordinates == Segment::Coordinates::local ? nq : 0, 0.0);
  s.x.assign(rows * (coordinates == Segment::Coordinates::local ? nv : nq), 0.0);
  s.v.assign(rows * (nv + state_count), 0.0);
  s.integrals.assign(rows * rate_count, 0.0);
  s.scratch.assign(2 * nv, 0.0);
}

void Segment::at(const Model& model, double s, std::span<double> q, std::span<double> v_out,
                 std::span<double> integrals_out) const {
  const double theta = h > 0 ? s / h : 0;
  if (!q.empty() && coordinates == Coordinates::direct) {
    polynomial(x, degree, theta, q);
    normalize_attitudes(model, q);
  } else if (!q.empty()) {
    const std::span<double> xi = std::span(scratch).first(static_cast<std::size_t>(model.nv));
    polynomial(x, degree, theta, xi);
    advance<double>(model, q_0, std::span<const double>(xi), Turn::exponential, q);
  }
  if (!v_out.empty()) polynomial(v, degree, theta, v_out);
  if (!integrals_out.empty()) polynomial(integrals, degree, theta, integrals_out);
}

// An attitude that has turned by more than half a turn has not gone the shortest way round, but the one that its velocities lead:
// ξ = x + 2π n u, u = x/|x|, nearest to ½ h (w₀ + w₁) along u. There ξ̇ is w itself, as it is while the axis stays.
static void go_the_way_round(const Model& model, const StepEnds& ends, double h, std::span<double> xi,
                             std::span<double> xi_rate) {
  if (model.nq == model.nv) return;  // no attitudes
  for (const LinkTopology& link : model.links) {
    if (!has_attitude(link.joint)) continue;
    const auto vec = [&](std::span<const double> x) { return Vec3<double>{x[link.v], x[link.v + 1], x[link.v + 2]}; };
    const Vec3<double> way = 0.5 * h * (vec(ends.v_0) + vec(ends.v_1)), x = vec(xi);
    const double far = norm(way), turn = norm(x);
    if (!(far > 0.5 * M_PI)) continue;
    const Vec3<double> u = turn > 1e-9 ? (1 / turn) * x : (1 / far) * way;
    const double turns = std::round((dot(way, u) - turn) / (2 * M_PI));
    if (turns == 0 || !(std::abs(dot(way, u) - turn - 2 * M_PI * turns) < 0.5 * M_PI)) continue;
    for (int k = 0; k < 3; ++k) {
      xi[link.v + k] += 2 * M_PI * turns * u[k];
      xi_rate[link.v + k] = ends.v_1[link.v + k];
    }
  }
}

void fit_cubic(const Model& model, const StepEnds& ends, Segment& s) {
  const std::size_t nv = static_cast<std::size_t>(model.nv), n = ends.v_0.size();
  const std::span<double> xi = std::span(s.scratch).first(nv), xi_rate = std::span(s.scratch).subspan(nv, nv);
  std::copy(ends.q_0.begin(), ends.q_0.end(), s.q_0.begin());
  difference<double>(model, ends.q_0, ends.q_1, xi);
  local_rate_exact(model, xi, ends.v_1.first(nv), xi_rate);
  go_the_way_round(model, ends, s.h, xi, xi_rate);
  cubics(nv, s.h, nullptr, xi.data(), ends.v_0.data(), xi_rate.data(), s.x.data());
  if (ends.vdot_0.empty())
    lines(n, ends.v_0.data(), ends.v_1.data(), s.v.data());
  else
    cubics(n, s.h, ends.v_0.data(), ends.v_1.data(), ends.vdot_0.data(), ends.vdot_1.data(), s.v.data());
  const std::size_t nr = ends.integrals.size();
  if (ends.rates_0.empty())
    lines(nr, nullptr, ends.integrals.data(), s.integrals.data());
  else
    cubics(nr, s.h, nullptr, ends.integrals.data(), ends.rates_0.data(), ends.rates_1.data(), s.integrals.data());
}

// ---- History
namespace {

// The same curve, ending after `length`: θ is measured anew.
void cut(Segment& s, double length) {
  const double part = length / s.h;
  double power = 1;
  const std::size_t rows = static_cast<std::size_t>(s.degree) + 1, nx = s.x.size() / rows, nv = s.v.size() / rows;
  for (std::size_t k = 0; k < rows; ++k, power *= part) {
    for (std::size_t i = 0; i < nx; ++i) s.x[k * nx + i] *= power;
    for (std::size_t i = 0; i < nv; ++i) s.v[k * nv + i] *= power;
  }
  s.h = length;
}

}  // namespace

void History::add(const Segment& s, double length) {
  segments_.push_back(s);
  Segment& kept = segments_.back();
  kept.integrals.clear();  // nobody asks for them later
  // A method of variable order has room for its highest degree; only the rows in use are kept, and saved.
  const auto rows = static_cast<std::size_t>(s.degree) + 1, nv = static_cast<std::size_t>(model_->nv);
  kept.x.resize(rows * (s.coordinates == Segment::Coordinates::local ? nv : static_cast<std::size_t>(model_->nq)));
  kept.v.resize(rows * (nv + state_count_));
  if (length < s.h) cut(kept, length);
  while (segments_.size() > 1 && segments_.front().end() < kept.end() - reach_) segments_.pop_front();
}

void History::at(double t, std::span<double> q, std::span<double> v) const { at(t, t, q, v); }
void History::before(double t, double close, std::span<double> q, std::span<double> v) const { at(t, t - close, q, v); }
void History::after(double t, double close, std::span<double> q, std::span<double> v) const {
  at(t, std::nextafter(t + close, 2 * std::abs(t + close) + 1), q, v);
}

// Events leave segments of no length behind, which is no harm.
void History::at(double t, double from, std::span<double> q, std::span<double> v) const {
  auto it = std::lower_bound(segments_.begin(), segments_.end(), from,
                             [](const Segment& s, double time) { return s.end() < time; });
  if (it == segments_.end()) --it;
  it->at(*model_, std::clamp(t - it->t_0, 0.0, it->h), q, v, {});
}

double History::begin() const { return segments_.empty() ? 0 : segments_.front().t_0; }
double History::end() const { return segments_.empty() ? 0 : segments_.back().end(); }

namespace {

constexpr int highest_degree = 100;  // beyond all methods: a number that means something else

template <class Numbers, class Exchange>
void exchange_segment(Segment& s, Numbers&& sizes, Exchange&& exchange) {
  sizes(s);
  exchange(std::as_writable_bytes(std::span(&s.t_0, 1)));
  exchange(std::as_writable_bytes(std::span(&s.h, 1)));
  exchange(std::as_writable_bytes(std::span(s.q_0)));
  exchange(std::as_writable_bytes(std::span(s.x)));
  exchange(std::as_writable_bytes(std::span(s.v)));
}

}  // namespace

std::vector<std::byte> History::save() const {
  std::vector<std::byte> out;
  auto write = [&](std::span<const std::byte> part) { out.insert(out.end(), part.begin(), part.end()); };
  for (Segment s : segments_) {
    exchange_segment(
        s,
        [&](Segment& segment) {
          const int head[] = {segment.degree, static_cast<int>(segment.coordinates)};
          write(std::as_bytes(std::span(head)));
        },
        write);
  }
  return out;
}

void History::restore(std::span<const std::byte> bytes) {
  segments_.clear();
  std::size_t at = 0;
  auto read = [&](std::span<std::byte> part) {
    if (bytes.size() - at < part.size()) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    if (!part.empty()) std::memcpy(part.data(), bytes.data() + at, part.size());
    at += part.size();
  };
  while (at < bytes.size()) {
    Segment s;
    exchange_segment(
        s,
        [&](Segment& segment) {
          int head[2];
          read(std::as_writable_bytes(std::span(head)));
          if (head[0] < 0 || head[0] > highest_degree || head[1] < 0 || head[1] > 1)
            throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
          prepare(segment, *model_, 0, head[0], static_cast<Segment::Coordinates>(head[1]), state_count_);
        },
        read);
    if (!(s.h >= 0) || !std::isfinite(s.t_0 + s.h))
      throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of a past that cannot be");
    segments_.push_back(std::move(s));
  }
  if (segments_.empty()) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
}

}  // namespace marey
