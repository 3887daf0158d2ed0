#include "marey/force/particle_packs.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "marey/core/index.h"
#include "marey/scalar.h"

namespace marey {
namespace {

constexpr int lanes = ParticleStore::lanes;
using P = Pack<double, lanes>;
using M = P::Mask;

constexpr double least_square =
    1e-30;                       // m², and for drag m²/s²: as in force/kinds/spring_net.cpp and force/kinds/drag.cpp
constexpr int fewest_tight = 3;  // lanes in use; with fewer, a loose pack of eight is cheaper

MAREY_INLINE M mask_of(std::uint8_t bits) {
  const M::Bits each = {1, 2, 4, 8, 16, 32, 64, 128};
  return M((each & static_cast<long>(bits)) != 0);
}

double sum_of(const P& p) {
  double sum = 0;
  for (int k = 0; k < lanes; ++k) sum += p[k];
  return sum;
}

struct P3 {
  P x, y, z;
};
MAREY_INLINE P3 load(const AlignedDoubles& x, const AlignedDoubles& y, const AlignedDoubles& z, int at) {
  return {P::load(x.data() + at), P::load(y.data() + at), P::load(z.data() + at)};
}
MAREY_INLINE P gathered(const AlignedDoubles& x, const int* at) {
  P p;
  for (int k = 0; k < lanes; ++k) p.set(k, x[index(at[k])]);
  return p;
}
MAREY_INLINE P3 gathered(const AlignedDoubles& x, const AlignedDoubles& y, const AlignedDoubles& z, const int* at) {
  return {gathered(x, at), gathered(y, at), gathered(z, at)};
}
MAREY_INLINE P3 operator-(const P3& a, const P3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
MAREY_INLINE P dot(const P3& a, const P3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

MAREY_INLINE void add(const P& by, double* to) { (P::load(to) + by).store(to); }

// 1/√x, where a division and a root would take much of the time: the processor's 14-bit estimate, refined by two Newton
// iterations to 28 and 56 bits; within 2 units in the last place.
MAREY_INLINE P inverse_root(const P& x) {
#ifdef __AVX512F__
  P y(P::Lanes(__builtin_ia32_rsqrt14pd512_mask(x.lanes, P::Lanes{}, 0xff)));
  const P half = P(0.5) * x;
  for (int k = 0; k < 2; ++k) y *= P(1.5) - half * y * y;
  return y;
#else
  return P(1) / sqrt(x);
#endif
}

// (1) without the factor d, with what is to be booked.
struct Pull {
  P along, twice_energy{}, power{};
};
template <bool springs, bool dampers>
MAREY_INLINE Pull pull(const P3& d, const P3& v, const P& stiffness, const P& rest, const P& damping) {
  const P L2 = max(dot(d, d), P(least_square));
  Pull out{};
  P inverse_square;
  if constexpr (springs) {
    const P inverse = inverse_root(L2), stretch = L2 * inverse - rest;
    out.along = stiffness * (P(1) - rest * inverse);
    out.twice_energy = stiffness * stretch * stretch;
    inverse_square = inverse * inverse;
  } else {
    inverse_square = P(1) / L2;
  }
  if constexpr (dampers) {
    const P rate = dot(d, v), along = damping * rate * inverse_square;
    out.along += along;
    out.power = -along * rate;
  }
  return out;
}

template <class Net>
const Net* net_of(const Element& e) {
  return e.kind.get_if<Net>();
}

// The ends of a member of a net, where both are places of the store and not the same.
std::optional<std::pair<int, int>> ends(const ParticleStore& store, const Anchor& a, const Anchor& b) {
  const auto place = [&](const Anchor& q) {
    return q.point.x == 0 && q.point.y == 0 && q.point.z == 0 ? store.place_of(q.link) : -1;
  };
  const int i = place(a), j = place(b);
  if (i < 0 || j < 0 || i == j) return {};
  return std::minmax({i, j});
}

bool same(const Anchor& a, const Anchor& b) {
  return a.link == b.link && a.point.x == b.point.x && a.point.y == b.point.y && a.point.z == b.point.z;
}
bool same_points(const SpringNet& s, const DamperNet& d) {
  return std::ranges::equal(s.springs, d.dampers,
                            [](const auto& x, const auto& y) { return same(x.a, y.a) && same(x.b, y.b); });
}

// Members of a net that are left for the general path.
void keep(const SpringNet& net, std::span<const int> which, SpringNet& out) {
  out.springs.resize(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) out.springs[k] = net.springs[index(which[k])];
}
void keep(const DamperNet& net, std::span<const int> which, DamperNet& out) {
  out.dampers.resize(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) out.dampers[k] = net.dampers[index(which[k])];
}

}  // namespace

// ------------------------------------------------------------------------------------------------ putting together
ParticlePacks::ParticlePacks(const ParticleStore& store, std::span<const Element> elements)
    : of_(elements.size()), nowhere_(store.size()) {
  add_nets(store, elements);
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (net_of<Drag>(elements[e]) != nullptr) add_drag(store, elements, static_cast<int>(e));
  read_numbers(elements);
}

bool ParticlePacks::all() const {
  return std::ranges::all_of(of_, [](const OfElement& of) { return of.covered && !of.rest; });
}

void ParticlePacks::add_nets(const ParticleStore& store, std::span<const Element> elements) {
  std::vector<char> taken(elements.size());
  for (std::size_t s = 0; s < elements.size(); ++s) {
    const SpringNet* springs = net_of<SpringNet>(elements[s]);
    if (springs == nullptr) continue;
    int dampers = -1;
    for (std::size_t d = 0; d < elements.size() && dampers < 0; ++d)
      if (const DamperNet* net = net_of<DamperNet>(elements[d]); net != nullptr && taken[d] == 0)
        if (same_points(*springs, *net)) dampers = static_cast<int>(d), taken[d] = 1;
    add_bundle(store, elements, static_cast<int>(s), dampers);
  }
  for (std::size_t d = 0; d < elements.size(); ++d)
    if (net_of<DamperNet>(elements[d]) != nullptr && taken[d] == 0)
      add_bundle(store, elements, -1, static_cast<int>(d));
}

void ParticlePacks::add_bundle(const ParticleStore& store, std::span<const Element> elements, int s, int d) {
  const SpringNet* springs = s >= 0 ? net_of<SpringNet>(elements[index(s)]) : nullptr;
  const DamperNet* dampers = d >= 0 ? net_of<DamperNet>(elements[index(d)]) : nullptr;
  const std::size_t count = springs != nullptr ? springs->springs.size() : dampers->dampers.size();
  std::vector<Member> members;
  std::vector<int> left;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [a, b] = springs != nullptr ? std::tie(springs->springs[k].a, springs->springs[k].b)
                                            : std::tie(dampers->dampers[k].a, dampers->dampers[k].b);
    const auto at = ends(store, a, b);
    if (at)
      members.push_back({at->first, at->second, static_cast<int>(k),
                         springs != nullptr ? springs->springs[k].stiffness : 0,
                         dampers != nullptr ? dampers->dampers[k].damping : 0});
    else
      left.push_back(static_cast<int>(k));
  }
  if (members.empty()) return;
  for (const int e : {s, d}) {
    if (e < 0) continue;
    OfElement& of = of_[index(e)];
    of.covered = true;
    of.rest_members = left;
    if (left.empty()) continue;
    if (e == s)
      of.rest.emplace(Element{elements[index(e)].name, SpringNet{}});
    else
      of.rest.emplace(Element{elements[index(e)].name, DamperNet{}});
  }
  Bundle& bundle = bundles_.emplace_back();
  bundle.springs = s, bundle.dampers = d;
  put_together(bundle, std::move(members));
}

// Members that are alike, block by block; within a block those with far second ends first, so that what is written
// there is in the cache when the next block needs it.
void ParticlePacks::put_together(Bundle& bundle, std::vector<Member> members) {
  const auto alike = [](const Member& m) { return std::tuple(m.a / lanes, m.a - m.b, m.stiffness, m.damping); };
  std::ranges::stable_sort(members, {}, alike);
  std::vector<Member> others;
  for (std::size_t first = 0, behind = 0; first < members.size(); first = behind) {
    std::array<int, lanes> in_lane;
    in_lane.fill(-1);
    int used = 0;
    while (behind < members.size() && alike(members[behind]) == alike(members[first])) {
      int& lane = in_lane[index(members[behind].a % lanes)];
      if (lane >= 0) break;  // a second one between the same points
      lane = members[behind++].which, ++used;
    }
    if (used < fewest_tight) {
      others.insert(others.end(), members.begin() + static_cast<std::ptrdiff_t>(first),
                    members.begin() + static_cast<std::ptrdiff_t>(behind));
      continue;
    }
    const int a = members[first].a / lanes * lanes, here = static_cast<int>(bundle.tight.size());
    Tight& pack = bundle.tight.emplace_back();
    pack.b = a + members[first].b - members[first].a;
    for (int k = 0; k < lanes; ++k) pack.in_use |= static_cast<std::uint8_t>((in_lane[index(k)] >= 0 ? 1 : 0) << k);
    bundle.tight_members.push_back(in_lane);
    if (bundle.blocks.empty() || bundle.blocks.back().a != a) bundle.blocks.push_back({a, here, here});
    bundle.blocks.back().behind = here + 1;
  }
  add_loose(bundle, others);
}

void ParticlePacks::add_loose(Bundle& bundle, std::span<const Member> members) {
  for (std::size_t first = 0; first < members.size(); first += lanes) {
    Loose& pack = bundle.loose.emplace_back();
    std::array<int, lanes>& which = bundle.loose_members.emplace_back();
    for (std::size_t k = 0; k < lanes; ++k) {
      const bool used = first + k < members.size();
      pack.a[k] = used ? members[first + k].a : nowhere_;
      pack.b[k] = used ? members[first + k].b : nowhere_;
      which[k] = used ? members[first + k].which : -1;
    }
  }
}

void ParticlePacks::add_drag(const ParticleStore& store, std::span<const Element> elements, int element) {
  const Drag& drag = *net_of<Drag>(elements[index(element)]);
  std::vector<int> places;
  Drag left{{}, drag.linear, drag.quadratic};
  for (const int link : drag.links) {
    const int place = store.place_of(link);
    if (place >= 0)
      places.push_back(place);
    else
      left.links.push_back(link);
  }
  if (places.empty()) return;
  OfElement& of = of_[index(element)];
  of.covered = true;
  if (!left.links.empty()) of.rest.emplace(Element{elements[index(element)].name, left});
  std::ranges::sort(places);
  DragOfParticles& out = drags_.emplace_back(DragOfParticles{element, 0, 0, {}});
  for (const int place : places) {
    const int first = place / lanes * lanes;
    const auto bit = static_cast<std::uint8_t>(1 << (place - first));
    if (out.packs.empty() || out.packs.back().first != first || (out.packs.back().in_use & bit) != 0)
      out.packs.push_back({first, 0});
    out.packs.back().in_use |= bit;
  }
}

void ParticlePacks::read_numbers(std::span<const Element> elements) {
  energies_of_ = -1;
  for (Bundle& bundle : bundles_) {
    const SpringNet* springs = bundle.springs >= 0 ? net_of<SpringNet>(elements[index(bundle.springs)]) : nullptr;
    const DamperNet* dampers = bundle.dampers >= 0 ? net_of<DamperNet>(elements[index(bundle.dampers)]) : nullptr;
    for (std::size_t n = 0; n < bundle.tight.size(); ++n)
      for (std::size_t k = 0; k < lanes; ++k) {
        const int i = bundle.tight_members[n][k];
        Tight& pack = bundle.tight[n];
        if (i >= 0 && springs != nullptr) pack.stiffness = springs->springs[index(i)].stiffness;
        if (i >= 0 && dampers != nullptr) pack.damping = dampers->dampers[index(i)].damping;
        pack.rest[k] = i >= 0 && springs != nullptr ? springs->springs[index(i)].rest : 0;
      }
    for (std::size_t n = 0; n < bundle.loose.size(); ++n)
      for (std::size_t k = 0; k < lanes; ++k) {
        const int i = bundle.loose_members[n][k];
        Loose& pack = bundle.loose[n];
        pack.stiffness[k] = i >= 0 && springs != nullptr ? springs->springs[index(i)].stiffness : 0;
        pack.rest[k] = i >= 0 && springs != nullptr ? springs->springs[index(i)].rest : 0;
        pack.damping[k] = i >= 0 && dampers != nullptr ? dampers->dampers[index(i)].damping : 0;
      }
  }
  for (DragOfParticles& drag : drags_) {
    const Drag& e = *net_of<Drag>(elements[index(drag.element)]);
    drag.linear = e.linear, drag.quadratic = e.quadratic;
  }
  for (std::size_t e = 0; e < of_.size(); ++e) {
    if (!of_[e].rest) continue;
    ElementKind& kind = of_[e].rest->kind;
    if (auto* springs = kind.get_if<SpringNet>())
      keep(*net_of<SpringNet>(elements[e]), of_[e].rest_members, *springs);
    else if (auto* dampers = kind.get_if<DamperNet>())
      keep(*net_of<DamperNet>(elements[e]), of_[e].rest_members, *dampers);
    else if (auto* drag = kind.get_if<Drag>())
      drag->linear = net_of<Drag>(elements[e])->linear, drag->quadratic = net_of<Drag>(elements[e])->quadratic;
  }
}

// ---------------------------------------------------------------------------------------------------------- acting
void ParticlePacks::act(ParticleStore& store) {
  for (OfElement& of : of_) of.power = of.energy = 0, of.external = {};
  for (const Bundle& bundle : bundles_) {
    if (bundle.springs >= 0 && bundle.dampers >= 0)
      act<true, true>(bundle, store);
    else if (bundle.springs >= 0)
      act<true, false>(bundle, store);
    else
      act<false, true>(bundle, store);
  }
  energies_of_ = store.puts();
  for (const DragOfParticles& drag : drags_) act(drag, store);
}

template <bool springs, bool dampers>
void ParticlePacks::act(const Bundle& bundle, ParticleStore& s) {
  P twice_energy{}, power{};
  const P none{};
  for (const Block& block : bundle.blocks) {
    const P3 p_a = load(s.x, s.y, s.z, block.a), v_a = load(s.vx, s.vy, s.vz, block.a);
    P3 f_a{};
    for (int n = block.first; n < block.behind; ++n) {
      const Tight& pack = bundle.tight[index(n)];
      const M used = mask_of(pack.in_use);
      const P3 d = load(s.x, s.y, s.z, pack.b) - p_a;
      const P3 v = dampers ? load(s.vx, s.vy, s.vz, pack.b) - v_a : P3{};
      const Pull pulled = pull<springs, dampers>(d, v, P(pack.stiffness), P::load(pack.rest), P(pack.damping));
      if constexpr (springs) twice_energy += select(used, pulled.twice_energy, none);
      if constexpr (dampers) power += select(used, pulled.power, none);
      const P3 f{select(used, pulled.along * d.x, none), select(used, pulled.along * d.y, none),
                 select(used, pulled.along * d.z, none)};
      f_a.x += f.x, f_a.y += f.y, f_a.z += f.z;
      add(-f.x, s.fx.data() + pack.b), add(-f.y, s.fy.data() + pack.b), add(-f.z, s.fz.data() + pack.b);
    }
    add(f_a.x, s.fx.data() + block.a), add(f_a.y, s.fy.data() + block.a), add(f_a.z, s.fz.data() + block.a);
  }
  for (const Loose& pack : bundle.loose) {
    const P3 d = gathered(s.x, s.y, s.z, pack.b) - gathered(s.x, s.y, s.z, pack.a);
    const P3 v = dampers ? gathered(s.vx, s.vy, s.vz, pack.b) - gathered(s.vx, s.vy, s.vz, pack.a) : P3{};
    const Pull pulled =
        pull<springs, dampers>(d, v, P::load(pack.stiffness), P::load(pack.rest), P::load(pack.damping));
    twice_energy += pulled.twice_energy, power += pulled.power;
    const P3 f{pulled.along * d.x, pulled.along * d.y, pulled.along * d.z};
    for (int k = 0; k < lanes; ++k) {
      const std::size_t a = index(pack.a[k]), b = index(pack.b[k]);
      s.fx[a] += f.x[k], s.fy[a] += f.y[k], s.fz[a] += f.z[k];
      s.fx[b] -= f.x[k], s.fy[b] -= f.y[k], s.fz[b] -= f.z[k];
    }
  }
  if constexpr (springs) of_[index(bundle.springs)].energy = 0.5 * sum_of(twice_energy);
  if constexpr (dampers) of_[index(bundle.dampers)].power = sum_of(power);
}

void ParticlePacks::act(const DragOfParticles& drag, ParticleStore& s) {
  P power{};
  P3 f_all{}, n_all{};
  const P none{};
  for (const DragPack& pack : drag.packs) {
    const M used = mask_of(pack.in_use);
    const P3 v = load(s.vx, s.vy, s.vz, pack.first), p = load(s.x, s.y, s.z, pack.first);
    P c(-drag.linear);
    if (drag.quadratic != 0) c -= P(drag.quadratic) * sqrt(max(dot(v, v), P(least_square)));
    const P3 f{select(used, c * v.x, none), select(used, c * v.y, none), select(used, c * v.z, none)};
    power += select(used, dot(f, v), none);
    f_all.x += f.x, f_all.y += f.y, f_all.z += f.z;
    n_all.x += p.y * f.z - p.z * f.y, n_all.y += p.z * f.x - p.x * f.z, n_all.z += p.x * f.y - p.y * f.x;
    add(f.x, s.fx.data() + pack.first), add(f.y, s.fy.data() + pack.first), add(f.z, s.fz.data() + pack.first);
  }
  OfElement& of = of_[index(drag.element)];
  of.power = sum_of(power);
  of.external = {{sum_of(n_all.x), sum_of(n_all.y), sum_of(n_all.z)},
                 {sum_of(f_all.x), sum_of(f_all.y), sum_of(f_all.z)}};
}

double ParticlePacks::energy(const ParticleStore& store, std::size_t element) {
  if (energies_of_ != store.puts()) compute_energies(store);
  return of_[element].energy;
}

void ParticlePacks::compute_energies(const ParticleStore& s) {
  const P none{};
  for (const Bundle& bundle : bundles_) {
    if (bundle.springs < 0) continue;
    P twice_energy{};
    for (const Block& block : bundle.blocks) {
      const P3 p_a = load(s.x, s.y, s.z, block.a);
      for (int n = block.first; n < block.behind; ++n) {
        const Tight& pack = bundle.tight[index(n)];
        const P3 d = load(s.x, s.y, s.z, pack.b) - p_a;
        const Pull pulled = pull<true, false>(d, {}, P(pack.stiffness), P::load(pack.rest), none);
        twice_energy += select(mask_of(pack.in_use), pulled.twice_energy, none);
      }
    }
    for (const Loose& pack : bundle.loose) {
      const P3 d = gathered(s.x, s.y, s.z, pack.b) - gathered(s.x, s.y, s.z, pack.a);
      twice_energy += pull<true, false>(d, {}, P::load(pack.stiffness), P::load(pack.rest), none).twice_energy;
    }
    of_[index(bundle.springs)].energy = 0.5 * sum_of(twice_energy);
  }
  energies_of_ = s.puts();
}

}  // namespace marey
