// Packs of a heap: its groups, their colours, what a point's own impulse does to it, and the certificate.
#include <algorithm>
#include <bit>
#include <cmath>

#include "contact/heap_sweeps.h"

namespace marey {

namespace {

constexpr std::uint32_t colours = 64;  // what needs more goes one at a time
constexpr std::uint32_t most_in_group = 4;

bool same_axes(const TouchingPoint& c, const TouchingPoint& d) {
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      if (c.axes_W[k][i] != d.axes_W[k][i]) return false;
  return true;
}

using Eight = Pack<double, 8>;

// The largest eigenvalue, as cone_measure.cpp has it.
Eight largest_of(const Sym3<Eight>& A) {
  const Eight q = (A.xx + A.yy + A.zz) / Eight(3), xx = A.xx - q, yy = A.yy - q, zz = A.zz - q;
  const Eight p2 = (xx * xx + yy * yy + zz * zz + Eight(2) * (A.xy * A.xy + A.xz * A.xz + A.yz * A.yz)) / Eight(6);
  const auto round = !(p2 > Eight(1e-32) * q * q);
  const Eight p = sqrt(select(round, Eight(1), p2));
  const Eight det = xx * (yy * zz - A.yz * A.yz) - A.xy * (A.xy * zz - A.yz * A.xz) + A.xz * (A.xy * A.yz - yy * A.xz);
  const Eight two_r = max(Eight(-2), min(Eight(2), select(round, Eight{}, det / (p * p * p))));
  const Eight root = sqrt((Eight(2) + two_r) / Eight(3));
  Eight x = Eight(1) + root - Eight(0.116) * root * root;
  for (int k = 0; k < 4; ++k) {
    const Eight slope = Eight(3) * (x * x - Eight(1));
    x = select(slope > Eight(1e-7), x - (x * (x * x - Eight(3)) - two_r) / max(slope, Eight(1e-7)), x);
  }
  return select(round, q, q + p * x);
}

}  // namespace

HeapSweeps::HeapSweeps(const Model& figure)
    : figure_(figure), loose_(figure.links.size(), 0), body_of_link_(figure.links.size(), 0) {
  for (std::size_t i = 1; i < figure.links.size(); ++i) {
    const LinkTopology& link = figure.links[i];
    loose_[i] = link.parent == 0 && link.joint == JointType::free && link.leaf;
  }
}

void HeapSweeps::place(const Kinematics<double>& k, std::span<const TouchingPoint> points) {
  find_groups(k, points);
  colour_groups();
  packs_.clear(), rows_.clear(), point_of_.clear(), first_of_colour_.clear();
  for (std::size_t i = 0; i < ordered_.size();) {
    std::size_t end = i + 1;
    while (end < ordered_.size() && end < i + lanes && ordered_[end].colour == ordered_[i].colour &&
           ordered_[i].colour < colours)
      ++end;
    if (i == 0 || ordered_[i].colour != ordered_[i - 1].colour || ordered_[i].colour >= colours)
      first_of_colour_.push_back(packs_.size());
    add_pack(std::span(ordered_).subspan(i, end - i), points);
    i = end;
  }
  first_of_colour_.push_back(packs_.size());
}

// Its number, anew for each island; about C, in the axes of W.
std::uint32_t HeapSweeps::body_of(const Kinematics<double>& k, int link) {
  std::uint32_t& number = body_of_link_[static_cast<std::size_t>(link)];
  if (link == 0 || number != 0) return number;
  number = static_cast<std::uint32_t>(bodies_.size());
  const auto i = static_cast<std::size_t>(link);
  const Inertia<double>& I = figure_.params.links[i].I;
  const Vec3<double> c_B = (1 / I.m) * I.h;
  const Mat3<double>& R = k.X_WB[i].R;
  const Sym3<double> J = congruence(R, inverse(I.J - point_inertia(I.m, c_B)));
  Body& body = bodies_.emplace_back();
  body.inverse_mass = 1 / I.m;
  std::copy_n(&J.xx, 6, body.J);
  links_.push_back(link), arms_.push_back(R * c_B), centres_.push_back(k.X_WB[i].p + arms_.back());
  return number;
}

void HeapSweeps::find_groups(const Kinematics<double>& k, std::span<const TouchingPoint> points) {
  for (const int link : links_) body_of_link_[static_cast<std::size_t>(link)] = 0;
  links_.assign(1, 0), arms_.assign(1, {}), centres_.assign(1, {}), bodies_.assign(1, {}), groups_.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TouchingPoint& c = points[i];
    if (i > 0 && !groups_.empty()) {
      Group& last = groups_.back();
      const TouchingPoint& first = points[last.first];
      if (last.points < most_in_group && c.link_a == first.link_a && c.link_b == first.link_b && same_axes(c, first)) {
        ++last.points;
        continue;
      }
    }
    const std::uint32_t a = body_of(k, c.link_a), b = body_of(k, c.link_b);
    groups_.push_back({static_cast<std::uint32_t>(i), 1, a, b, 0});
  }
}

// Each the lowest that neither of its bodies has; then by colours, and those with most points first.
void HeapSweeps::colour_groups() {
  used_.assign(bodies_.size(), 0);
  constexpr std::uint32_t kinds = (colours + 1) * (most_in_group + 1);
  counts_.assign(kinds + 1, 0);
  const auto kind = [](const Group& g) { return g.colour * (most_in_group + 1) + (most_in_group - g.points); };
  for (Group& g : groups_) {
    const std::uint64_t taken = (g.a != 0 ? used_[g.a] : 0) | (g.b != 0 ? used_[g.b] : 0);
    g.colour = static_cast<std::uint32_t>(std::countr_one(taken));
    if (g.colour < colours) used_[g.a] |= std::uint64_t{1} << g.colour, used_[g.b] |= std::uint64_t{1} << g.colour;
    ++counts_[kind(g) + 1];
  }
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  ordered_.resize(groups_.size());
  for (const Group& g : groups_) ordered_[counts_[kind(g)]++] = g;
}

void HeapSweeps::add_pack(std::span<const Group> groups, std::span<const TouchingPoint> points) {
  Group8& pack = packs_.emplace_back();
  pack.first_row = static_cast<std::uint32_t>(rows_.size()), pack.rows = groups[0].points;
  rows_.resize(rows_.size() + pack.rows);
  point_of_.resize(rows_.size() * lanes, nobody);
  std::fill(point_of_.end() - static_cast<std::ptrdiff_t>(pack.rows * lanes), point_of_.end(), nobody);
  for (std::size_t l = 0; l < groups.size(); ++l) {
    const Group& g = groups[l];
    pack.a[l] = g.a, pack.b[l] = g.b;
    const TouchingPoint& first = points[g.first];
    for (std::size_t e = 0; e < 3; ++e)
      for (int i = 0; i < 3; ++i) pack.axes[e][i][l] = first.axes_W[e][i];
    for (std::uint32_t k = 0; k < g.points; ++k) {
      const Vec3<double> p = points[g.first + k].p_WoC_W;
      const Vec3<double> r_a = p - centres_[g.a], r_b = p - centres_[g.b];
      Row& row = rows_[pack.first_row + k];
      for (int i = 0; i < 3; ++i) row.r_a[i][l] = r_a[i], row.r_b[i][l] = r_b[i];
      point_of_[(pack.first_row + k) * lanes + l] = g.first + k;
    }
  }
  measure_pack(pack);
}

// A of a point alone, in its axes.
Sym3<HeapSweeps::Eight> HeapSweeps::own_block(const Row& row, const Group8& g, const Two& two) {
  const Vec r_a = load(row.r_a), r_b = load(row.r_b), e[3] = {load(g.axes[0]), load(g.axes[1]), load(g.axes[2])};
  Vec G[3];
  for (int k = 0; k < 3; ++k)
    G[k] = (two.m_a + two.m_b) * e[k] + cross(two.J_a * cross(r_a, e[k]), r_a) + cross(two.J_b * cross(r_b, e[k]), r_b);
  return {dot(e[0], G[0]), dot(e[1], G[1]), dot(e[2], G[2]), dot(e[0], G[1]), dot(e[0], G[2]), dot(e[1], G[2])};
}

void HeapSweeps::measure_pack(const Group8& g) {
  const Two two = gather(g);
  for (std::uint32_t k = 0; k < g.rows; ++k) {
    Row& row = rows_[g.first_row + k];
    const Sym3<Eight> A = own_block(row, g, two);
    const Eight half = Eight(0.5) * (A.yy - A.zz);
    const Eight size = Eight(0.5) * (A.yy + A.zz) + sqrt(half * half + A.yz * A.yz);
    A.xx.store(row.own_n), A.xy.store(row.A_tn[0]), A.xz.store(row.A_tn[1]);
    select(size > Eight{}, Eight(1) / size, Eight{}).store(row.step_t);
  }
}

void HeapSweeps::load_points(std::span<const double> P) {
  for (std::size_t i = 0; i < rows_.size() * lanes; ++i) {
    if (point_of_[i] == nobody) continue;
    Row& row = rows_[i / lanes];
    const std::size_t l = i % lanes, point = point_of_[i];
    const Law& law = laws[point];
    for (std::size_t k = 0; k < 3; ++k) row.P[k][l] = P[3 * point + k];
    row.offset[l] = law.offset, row.compliance[l] = law.compliance, row.friction[l] = law.friction;
    const double own = row.own_n[l] + law.compliance;
    row.step_n[l] = own > 0 ? 1 / own : 0;
  }
}

void HeapSweeps::store(std::span<double> P, std::span<double> u) const {
  for (const Group8& g : packs_) {
    const Two two = u.empty() ? Two{} : gather(g);
    for (std::uint32_t k = 0; k < g.rows; ++k) {
      const Row& row = rows_[g.first_row + k];
      const Vec at = u.empty() ? Vec{} : velocities(row, g, two);
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t point = point_of_[(g.first_row + k) * lanes + l];
        if (point == nobody) continue;
        for (std::size_t i = 0; i < 3; ++i) P[3 * point + i] = row.P[i][l];
        if (!u.empty())
          for (int i = 0; i < 3; ++i) u[3 * point + static_cast<std::size_t>(i)] = at[i][static_cast<int>(l)];
      }
    }
  }
}

// The natural map by its definition (marey/contact/cone_problem.h), with the projection of contact/friction_cone.cpp for one group.
HeapSweeps::Sight HeapSweeps::sight_of(const Row& row, const Group8& g, const Two& two) {
  Sym3<Eight> A = own_block(row, g, two);
  const Eight c = Eight::load(row.compliance), mu = Eight::load(row.friction);
  A.xx += c;
  const Eight size = largest_of(A), rho = select(size > Eight{}, Eight(1) / size, Eight{});
  const Vec P = load(row.P);
  Vec u = velocities(row, g, two);
  u.x += Eight::load(row.offset) + c * P.x;
  const Eight slip = sqrt(u.y * u.y + u.z * u.z);
  const auto distance = [&](const Vec& p) {  // of P from the projection of p
    const Eight length = sqrt(p.y * p.y + p.z * p.z);
    const auto inside = (mu > Eight{}) & !(mu * p.x < length);
    const Eight y_n = max(Eight{}, select(inside, p.x, (p.x + mu * length) / (Eight(1) + mu * mu)));
    const Eight part = select(inside, Eight(1), select(length > Eight{}, mu * y_n / length, Eight{}));
    const Vec d = P - Vec{y_n, part * p.y, part * p.z};
    return sqrt(dot(d, d));
  };
  const Vec w{u.x + mu * slip, u.y, u.z};
  const Eight length = sqrt(dot(P, P));
  return {distance(P - rho * w) * size, select(length > Eight{}, distance(P) / length, Eight{})};
}

ConeCertificate HeapSweeps::certify(double scale) const {
  ConeCertificate all;
  for (const Group8& g : packs_) {
    const Two two = gather(g);
    for (std::uint32_t k = 0; k < g.rows; ++k) {
      const Sight sight = sight_of(rows_[g.first_row + k], g, two);
      for (int l = 0; l < 8; ++l) {
        const std::uint32_t point = point_of_[(g.first_row + k) * lanes + static_cast<std::size_t>(l)];
        if (point == nobody) continue;
        const double map = sight.residual[l] / scale;
        if (!(map <= all.natural_map)) all.natural_map = map, all.block = static_cast<int>(point);
        all.cone_excess = std::max(all.cone_excess, sight.excess[l]);
      }
    }
  }
  return all;
}

}  // namespace marey
