// Moving coordinates along the tangent space, joint by joint.
#include <algorithm>

#include "marey/dynamics/joint.h"
#include "marey/integrate.h"
#include "marey/integrate/turn.h"
#include "marey/scalar/instantiate.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {

// Positions and angles simply add; where they start within a joint, and how many there are.
struct Plain {
  int q, v, count;
};
MAREY_KERNEL Plain plain_part(const LinkTopology& link) {
  if (link.joint == JointType::free) return {link.q + 4, link.v + 3, 3};
  return {link.q, link.v, has_attitude(link.joint) ? 0 : freedom_count(link)};
}

// Whether all numbers of all joints simply add, q and v having the same layout: each attitude has one coordinate more than it
// has velocities.
bool is_flat(const Model& model) { return model.nq == model.nv; }
bool is_flat(const Model& model, std::span<const LinkTopology> links) {
  return is_flat(model) && links.size() == model.links.size();
}

template <class T>
void store_quaternion(T* x, const Quaternion<T>& q) {
  x[0] = q.w, x[1] = q.x, x[2] = q.y, x[3] = q.z;
}

// What does not turn needs no sines. (Packs do not branch on their state.)
template <class T>
bool is_at_rest(const Vec3<T>& x) {
  if constexpr (std::is_same_v<T, double>)
    return norm_squared(x) == 0;
  else
    return false;
}
template <class T>
bool is_same(const Quaternion<T>& a, const Quaternion<T>& b) {
  if constexpr (std::is_same_v<T, double>)
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
  else
    return false;
}

// Brings attitudes back to unit length, so that round-off cannot pile up: as normalized(), several at a time, since one root
// and one division after another would take longer than all the rest.
template <class T>
class UnitLength {
 public:
  void add(const Quaternion<T>& a, T* to) {
    store_quaternion(to, a);
    to_[count_] = to, length_2_[count_] = norm_squared(a);
    if (++count_ == most) restore();
  }
  void restore() {
    using std::sqrt;
    for (int i = 0; i < count_; ++i) scale_[i] = T(1) / sqrt(length_2_[i]);
    for (int i = 0; i < count_; ++i)
      for (int k = 0; k < 4; ++k) to_[i][k] = scale_[i] * to_[i][k];
    count_ = 0;
  }

 private:
  static constexpr int most = 16;
  T length_2_[most], scale_[most];
  T* to_[most];
  int count_ = 0;
};

// Attitudes that turn: a ⊕ x, of unit length, one after another.
template <class T>
class Attitudes {
 public:
  explicit Attitudes(Turn turn) : turn_(turn) {}
  void turn(const T* from, const T* xi, T* to) {
    const Quaternion<T> a = load_quaternion(from);
    const Vec3<T> x = load_vec3(xi);
    lengths_.add(is_at_rest(x) ? a : a * quaternion_of(x), to);
  }
  void finish() { lengths_.restore(); }

 private:
  Quaternion<T> quaternion_of(const Vec3<T>& x) const {
    return turn_ == Turn::exponential ? quaternion_of_rotation(x) : quaternion_of_first_order(x);
  }
  Turn turn_;
  UnitLength<T> lengths_;
};

// Of plain numbers, four at a time in the lanes of a Pack: the same operations, in half the time. Roots and divisions of all
// fours come together, so that none has to wait for another.
template <>
class Attitudes<double> {
 public:
  explicit Attitudes(Turn turn) : turn_(turn) {}
  void turn(const double* from, const double* xi, double* to) {
    from_[count_] = from, xi_[count_] = xi, to_[count_] = to;
    if (++count_ == most) finish();
  }
  void finish() {
    const int fours = (count_ + lanes - 1) / lanes;
    for (int i = count_; i < fours * lanes; ++i) from_[i] = from_[0], xi_[i] = xi_[0];  // for nobody
    for (int k = 0; k < fours; ++k) turned_[k] = turned_four(from_ + k * lanes, xi_ + k * lanes);
    for (int k = 0; k < fours; ++k) scale_[k] = Lanes(1.0) / sqrt(norm_squared(turned_[k]));
    for (int k = 0; k < fours; ++k) store_four(k);
    count_ = 0;
  }

 private:
  static constexpr int lanes = 4, most = 16;
  using Lanes = Pack<double, lanes>;

  static Lanes gather(const double* const* at, int k) {
    return Lanes(Lanes::Lanes{at[0][k], at[1][k], at[2][k], at[3][k]});
  }

  Quaternion<Lanes> turned_four(const double* const* from, const double* const* xi) const {
    const Quaternion<Lanes> a{gather(from, 0), gather(from, 1), gather(from, 2), gather(from, 3)};
    const Vec3<Lanes> x{gather(xi, 0), gather(xi, 1), gather(xi, 2)};
    const auto rests = norm_squared(x) <= Lanes(0.0);
    const Quaternion<Lanes> b = a * (turn_ == Turn::exponential ? quaternion_of_four(x) : quaternion_of_first_order(x));
    return {select(rests, a.w, b.w), select(rests, a.x, b.x), select(rests, a.y, b.y), select(rests, a.z, b.z)};
  }

  // Sines are those of plain numbers.
  static Quaternion<Lanes> quaternion_of_four(const Vec3<Lanes>& xi) {
    const Lanes x2 = Lanes(0.25) * norm_squared(xi);
    Lanes sinc = sinc_of_small(x2), c = cos_of_small(x2);
    const auto small = is_small_half_angle(x2);
    if (!detail::all(small))
      for (int i = 0; i < lanes; ++i) {
        if (small[i]) continue;
        const double x = std::sqrt(x2[i]);
        sinc.set(i, std::sin(x) / x), c.set(i, std::cos(x));
      }
    return quaternion_of_half_angle(xi, sinc, c);
  }

  void store_four(int k) {
    const Quaternion<Lanes>& b = turned_[k];
    const Quaternion<Lanes> unit{scale_[k] * b.w, scale_[k] * b.x, scale_[k] * b.y, scale_[k] * b.z};
    const int first = k * lanes;
    for (int i = 0; i < std::min(count_ - first, lanes); ++i)
      store_quaternion(to_[first + i], Quaternion<double>{unit.w[i], unit.x[i], unit.y[i], unit.z[i]});
  }

  Turn turn_;
  int count_ = 0;
  const double *from_[most], *xi_[most];
  double* to_[most];
  Quaternion<Lanes> turned_[most / lanes];
  Lanes scale_[most / lanes];
};

}  // namespace

template <class T>
void advance(const Model& model, std::span<const T> q, std::span<const T> xi, Turn turn, std::span<T> q_out) {
  advance<T>(model, model.links, q, xi, turn, q_out);
}

template <class T>
void advance(const Model& model, std::span<const LinkTopology> links, std::span<const T> q, std::span<const T> xi,
             Turn turn, std::span<T> q_out) {
  if (is_flat(model, links)) {
    for (int k = 0; k < model.nq; ++k) q_out[k] = q[k] + xi[k];
    return;
  }
  Attitudes<T> attitudes(turn);
  for (const LinkTopology& link : links) {
    if (has_attitude(link.joint)) attitudes.turn(q.data() + link.q, xi.data() + link.v, q_out.data() + link.q);
    const Plain p = plain_part(link);
    for (int k = 0; k < p.count; ++k) q_out[p.q + k] = q[p.q + k] + xi[p.v + k];
  }
  attitudes.finish();
}

template <class T>
void difference(const Model& model, std::span<const T> q_0, std::span<const T> q_1, std::span<T> xi) {
  if (is_flat(model)) {
    for (int k = 0; k < model.nq; ++k) xi[k] = q_1[k] - q_0[k];
    return;
  }
  for (const LinkTopology& link : model.links) {
    if (has_attitude(link.joint)) {
      const Quaternion<T> a = load_quaternion(q_0.data() + link.q), b = load_quaternion(q_1.data() + link.q);
      store_vec3(xi.data() + link.v, is_same(a, b) ? Vec3<T>{} : rotation_of_quaternion(normalized(conjugate(a) * b)));
    }
    const Plain p = plain_part(link);
    for (int k = 0; k < p.count; ++k) xi[p.v + k] = q_1[p.q + k] - q_0[p.q + k];
  }
}

template <class T>
void local_rate(const Model& model, std::span<const T> xi, std::span<const T> v, std::span<T> xi_rate) {
  local_rate<T>(model, model.links, xi, v, xi_rate);
}

template <class T>
void local_rate(const Model& model, std::span<const LinkTopology> links, std::span<const T> xi, std::span<const T> v,
                std::span<T> xi_rate) {
  if (is_flat(model, links)) return static_cast<void>(std::copy_n(v.begin(), model.nv, xi_rate.begin()));
  for (const LinkTopology& link : links) {
    if (has_attitude(link.joint)) {
      const Vec3<T> x = load_vec3(xi.data() + link.v), w = load_vec3(v.data() + link.v);
      store_vec3(xi_rate.data() + link.v, is_at_rest(x) ? w : local_rate_of(x, w));
    }
    const Plain p = plain_part(link);
    for (int k = 0; k < p.count; ++k) xi_rate[p.v + k] = v[p.v + k];
  }
}

template <class T>
void velocity_of_local_rate(const Model& model, std::span<const T> xi, std::span<const T> xi_rate, std::span<T> v) {
  if (is_flat(model)) return static_cast<void>(std::copy_n(xi_rate.begin(), model.nv, v.begin()));
  for (const LinkTopology& link : model.links) {
    if (has_attitude(link.joint))
      store_vec3(v.data() + link.v,
                 angular_velocity_of(load_vec3(xi.data() + link.v), load_vec3(xi_rate.data() + link.v)));
    const Plain p = plain_part(link);
    for (int k = 0; k < p.count; ++k) v[p.v + k] = xi_rate[p.v + k];
  }
}

#define MAREY_INSTANTIATE(T)                                                                                       \
  template void advance(const Model&, std::span<const T>, std::span<const T>, Turn, std::span<T>);                 \
  template void advance(const Model&, std::span<const LinkTopology>, std::span<const T>, std::span<const T>, Turn, \
                        std::span<T>);                                                                             \
  template void difference(const Model&, std::span<const T>, std::span<const T>, std::span<T>);                    \
  template void local_rate(const Model&, std::span<const LinkTopology>, std::span<const T>, std::span<const T>,    \
                           std::span<T>);                                                                          \
  template void local_rate(const Model&, std::span<const T>, std::span<const T>, std::span<T>);                    \
  template void velocity_of_local_rate(const Model&, std::span<const T>, std::span<const T>, std::span<T>);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
