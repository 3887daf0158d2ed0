// Contact that lasts: multipliers of given modes, what ends a mode, and the modes in which a phase starts.
//
// A sliding contact alone has a_n = a_free,n + Λ λ_n with the inverse inertia Λ = A_nn − μ A_nt · s.                (1)
// Λ > 0 gives one answer, by complementarity. Λ ≤ 0 (Painlevé 1895) gives two when a_free,n > 0 (λ_n = 0, or
// λ_n = −a_free,n / Λ) and none when a_free,n < 0. With several contacts the same is found by trying all modes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/scratch.h"

namespace marey {

namespace {
using Scratch = ContactWorkspace::Scratch;

ConePoint cone_of(const ContactPoint& c) {
  ConePoint p;
  p.mu_stick = c.friction_static;
  p.mu_slide = c.friction_kinetic;
  p.normal_given = c.normal_given;
  p.least = c.normal_given ? c.normal_force : 0;
  return p;
}

ConeMode cone_mode(const ContactMode& c, const ConePoint& p) {
  ConeMode mode;
  const bool touches = c.mode == Mode::slide || c.mode == Mode::stick;
  mode.normal = touches && !p.normal_given ? ConeMode::Normal::held : ConeMode::Normal::open;
  mode.tangent = c.mode == Mode::stick   ? ConeMode::Tangent::stick
                 : c.mode == Mode::slide ? ConeMode::Tangent::slide
                                         : ConeMode::Tangent::none;
  mode.s = c.direction;
  return mode;
}

double effective_inertia(std::span<const double> A, std::size_t n, std::size_t at, double mu,
                         const std::array<double, 2>& s) {
  return A[at * n + at] - mu * (A[at * n + at + 1] * s[0] + A[at * n + at + 2] * s[1]);
}

// The chosen modes in the words of contact.h.
ContactMode mode_of(const ModeProblem& p, const ModeSolver& cones, const ConeMode& chosen, int index) {
  const std::size_t i = static_cast<std::size_t>(index);
  const ConePoint& point = p.points[i];
  const std::span<const double> a = cones.u();
  ContactMode mode;
  const bool pressed = chosen.normal == ConeMode::Normal::held || (point.normal_given && point.least > 0);
  if (!pressed) {
    mode.mode = !point.normal_given && a[3 * i] <= cones.tolerance(index) ? Mode::idle : Mode::free;
    return mode;
  }
  if (chosen.tangent == ConeMode::Tangent::stick) {
    mode.mode = Mode::stick;
    return mode;
  }
  mode.mode = Mode::slide;
  mode.direction = chosen.s;
  if (!point.slides && chosen.tangent == ConeMode::Tangent::none) {  // nothing rubs: along the acceleration
    const double l = std::hypot(a[3 * i + 1], a[3 * i + 2]);
    mode.direction = l > 0 ? std::array{a[3 * i + 1] / l, a[3 * i + 2] / l} : std::array{1.0, 0.0};
  }
  return mode;
}

// Zero at one, and one at all that is rounding: a function that trembles has a minimum in every step, and minima are looked into.
double reserve(double part) { return std::min(1.0, 2 - 2 * part); }

struct Smallest {
  int contact = -1;    // the sliding contact with the smallest Λ / A_nn, or −1
  double inertia = 1;  // that
};
// Points and a guess of their modes.
Smallest prepare(std::span<const double> A, std::span<const ContactPoint> contacts, double slip_floor,
                 std::span<const ContactMode> before, Scratch& s) {
  const std::size_t n = 3 * contacts.size();
  Smallest smallest;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ConePoint& p = s.points[i] = cone_of(contacts[i]);
    const double speed = std::hypot(contacts[i].slip[0], contacts[i].slip[1]);
    p.slides = speed > slip_floor;
    if (p.slides) p.s = {contacts[i].slip[0] / speed, contacts[i].slip[1] / speed};
    s.modes[i] = ModeSolver::guess(p);
    if (before[i].mode == Mode::idle && !p.normal_given) s.modes[i] = {};
    if (!p.slides || p.normal_given) continue;
    const double inertia = effective_inertia(A, n, 3 * i, p.mu_slide, p.s) / A[3 * i * n + 3 * i];
    if (inertia < smallest.inertia || smallest.contact < 0) smallest = {static_cast<int>(i), inertia};
  }
  return smallest;
}

}  // namespace

ContactWorkspace::ContactWorkspace(int max_contacts) : scratch_(std::make_unique<Scratch>(max_contacts)) {}
ContactWorkspace::~ContactWorkspace() = default;
ContactWorkspace::ContactWorkspace(ContactWorkspace&&) noexcept = default;
ContactWorkspace& ContactWorkspace::operator=(ContactWorkspace&&) noexcept = default;

const char* name_of(Mode mode) {
  constexpr const char* names[] = {"free", "idle", "slide", "stick"};
  return names[static_cast<int>(mode)];
}
const char* name_of(Choice choice) {
  constexpr const char* names[] = {"consistent", "indeterminate", "inconsistent", "unresolved"};
  return names[static_cast<int>(choice)];
}

void save(const ContactMode& mode, std::span<double, contact_mode_doubles> x) {
  x[0] = static_cast<double>(mode.mode), x[1] = mode.direction[0], x[2] = mode.direction[1];
}
ContactMode load(std::span<const double, contact_mode_doubles> x) {
  return {static_cast<Mode>(static_cast<int>(x[0])), {x[1], x[2]}};
}

std::array<double, 2> slip_direction(std::span<const double, 2> slip, std::span<const double, 2> s, double floor) {
  const double speed = std::hypot(slip[0], slip[1]);
  if (!(speed > floor)) return {s[0], s[1]};
  const double sign = slip[0] * s[0] + slip[1] * s[1] < 0 ? -1 : 1;
  return {sign * slip[0] / speed, sign * slip[1] / speed};
}

namespace {

// Contacts that influence each other, and what is found of them; where all do, as they were given.
struct Island {
  std::span<const double> A, b;
  std::span<const ContactPoint> contacts;
  std::span<const ContactMode> before;
  std::span<ContactMode> modes;
  std::span<double> lambda, a, ends;
  std::span<const int> members;  // empty: all
};

// Has each group solved by itself, by `solve(group)`: it is none of the others' business whether they are redundant, jam, or leave a
// choice. Results that nobody asks for are empty.
template <class Solve>
void for_each_island(const Island& all, Scratch& s, const Solve& solve) {
  const std::size_t m = all.contacts.size();
  const int groups = find_groups(all.A, static_cast<int>(m), s.group);
  if (groups <= 1) return solve(all);
  for (std::size_t first = 0; first < m; ++first) {
    if (s.group[first] != static_cast<int>(first)) continue;
    std::size_t count = 0;
    for (std::size_t i = first; i < m; ++i)
      if (s.group[i] == static_cast<int>(first)) s.members[count++] = static_cast<int>(i);
    const auto row_of = [&](std::size_t r) { return static_cast<std::size_t>(3 * s.members[r / 3]) + r % 3; };
    Scratch::Apart& own = s.apart;
    const std::size_t n = 3 * count;
    for (std::size_t r = 0; r < n; ++r) {
      own.b[r] = all.b[row_of(r)], own.lambda[r] = all.lambda[row_of(r)];
      if (!all.a.empty()) own.a[r] = all.a[row_of(r)];
      for (std::size_t c = 0; c < n; ++c) own.A[r * n + c] = all.A[row_of(r) * 3 * m + row_of(c)];
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = static_cast<std::size_t>(s.members[k]);
      own.points[k] = all.contacts[i], own.modes[k] = all.before[i];
    }
    solve(Island{std::span(own.A).first(n * n), std::span(own.b).first(n), std::span(own.points).first(count),
                 std::span(own.modes).first(count), std::span(own.modes).first(count), std::span(own.lambda).first(n),
                 std::span(own.a).first(n), std::span(own.ends).first(2 * count), std::span(s.members).first(count)});
    for (std::size_t r = 0; r < n; ++r) {
      all.lambda[row_of(r)] = own.lambda[r];
      if (!all.a.empty()) all.a[row_of(r)] = own.a[r];
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = static_cast<std::size_t>(s.members[k]);
      if (!all.modes.empty()) all.modes[i] = own.modes[k];
      for (std::size_t e = 0; !all.ends.empty() && e < 2; ++e) all.ends[2 * i + e] = own.ends[2 * k + e];
    }
  }
}

bool multipliers_of(const Island& island, Scratch& s) {
  const auto& [A, a_free, contacts, modes, after, lambda, a, ends, members] = island;
  const std::size_t m = contacts.size();
  for (std::size_t i = 0; i < m; ++i) {
    s.points[i] = cone_of(contacts[i]);
    s.modes[i] = cone_mode(modes[i], s.points[i]);
    if (modes[i].mode == Mode::free && contacts[i].normal_given) s.points[i].least = 0;
  }
  const ModeProblem problem{A, a_free, std::span(s.points).first(m)};
  const bool met = s.cones.solve(problem, std::span(s.modes).first(m), false);
  std::ranges::copy(s.cones.P(), lambda.begin());
  std::ranges::copy(s.cones.u(), a.begin());
  return met;
}

// Whether all that is held could be so with these multipliers.
bool in_cones(std::span<const ContactPoint> contacts, std::span<const ContactMode> modes,
              std::span<const double> lambda) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Mode mode = modes[i].mode;
    if (contacts[i].normal_given || mode == Mode::free || mode == Mode::idle) continue;
    const double n = lambda[3 * i];
    if (n < 0) return false;
    if (mode == Mode::stick && std::hypot(lambda[3 * i + 1], lambda[3 * i + 2]) > contacts[i].friction_static * n)
      return false;
  }
  return true;
}

Holding share_within(const Island& island, Scratch& s) {
  const auto& [A, a_free, contacts, modes, after, lambda, a, ends, members] = island;
  const std::size_t m = contacts.size();
  std::ranges::fill(ends, std::numeric_limits<double>::quiet_NaN());
  if (m < 2 || in_cones(contacts, modes, lambda) || !s.touching.redundant(A, m)) return Holding::alone;
  for (std::size_t i = 0; i < m; ++i) {
    s.points[i] = cone_of(contacts[i]);
    s.modes[i] = cone_mode(modes[i], s.points[i]);
    s.points[i].slides = modes[i].mode == Mode::slide;
    s.points[i].s = modes[i].direction;
  }
  const ModeProblem problem{A, a_free, std::span(s.points).first(m)};
  const std::span<double> shares = std::span(s.P).first(3 * m);
  if (!s.touching.solve(problem, shares)) return Holding::alone;
  bool holds = true;
  const double still = s.touching.still();
  for (std::size_t i = 0; i < m; ++i) {
    const bool held = modes[i].mode == Mode::slide || modes[i].mode == Mode::stick;
    ends[2 * i] = held ? reserve(s.touching.a()[3 * i] / still) : 1;
    ends[2 * i + 1] = modes[i].mode == Mode::stick ? reserve(s.touching.slip(i) / still) : 1;
    holds = holds && ends[2 * i] > 0 && ends[2 * i + 1] > 0;
  }
  if (!holds) {
    std::ranges::copy(shares, lambda.begin());
    std::ranges::copy(s.touching.a(), a.begin());
    return Holding::gives_way;
  }
  s.cones.solve_near(problem, std::span(s.modes).first(m), shares);
  std::ranges::copy(s.cones.P(), lambda.begin());
  std::ranges::copy(s.cones.u(), a.begin());
  return Holding::shared;
}

bool step_of(const Island& island, double slip_floor, Scratch& s) {
  const auto& [A, u_free, contacts, before, modes, P, a, ends, members] = island;
  const std::size_t m = contacts.size();
  for (std::size_t i = 0; i < m; ++i) {
    s.points[i] = cone_of(contacts[i]);
    s.points[i].slides = std::hypot(contacts[i].slip[0], contacts[i].slip[1]) > slip_floor;
  }
  const bool solved = s.touching.step({A, u_free, std::span(s.points).first(m)}, P);
  const std::span<const double> u = s.touching.a();
  for (std::size_t i = 0; i < m; ++i) {
    modes[i] = {};
    if (P[3 * i] == 0 && s.touching.leaves(i)) continue;
    const double slip = s.touching.slip(i);
    modes[i].mode = slip > slip_floor || contacts[i].friction_static == 0 ? Mode::slide : Mode::stick;
    modes[i].direction = slip > 0 ? std::array{u[3 * i + 1] / slip, u[3 * i + 2] / slip} : std::array{1.0, 0.0};
  }
  return solved;
}

}  // namespace

ModeEnds mode_ends(std::span<const double, 9> A_own, const ContactPoint& contact, const ContactMode& mode,
                   const ContactMotion& motion, std::span<const double, 3> lambda, std::span<const double, 3> a) {
  ModeEnds ends;
  const std::array<double, 2>& s = mode.direction;
  const bool touches = mode.mode == Mode::slide || mode.mode == Mode::stick;
  if (mode.mode == Mode::free) ends.touch = {motion.gap, motion.velocity[0]};
  if (mode.mode == Mode::idle) ends.lift_off.value = a[0];
  if (touches && !contact.normal_given) ends.lift_off.value = lambda[0];
  if (mode.mode == Mode::stick)
    ends.slip.value = contact.friction_static * lambda[0] - std::hypot(lambda[1], lambda[2]);
  const bool rubs = contact.friction_kinetic > 0 || contact.friction_static > 0;
  if (mode.mode == Mode::slide && rubs) {
    ends.stop = {motion.velocity[1] * s[0] + motion.velocity[2] * s[1], a[1] * s[0] + a[2] * s[1]};
    if (!contact.normal_given) ends.jam.value = effective_inertia(A_own, 3, 0, contact.friction_kinetic, s);
  }
  return ends;
}

namespace {

ModeChoice choose_within(const Island& island, double slip_floor, Scratch& s) {
  const auto& [A, a_free, contacts, before, modes, lambda, a, ends, members] = island;
  const std::size_t m = contacts.size();
  ModeChoice result;
  const Smallest smallest = prepare(A, contacts, slip_floor, before, s);
  const std::span<ConeMode> chosen = std::span(s.modes).first(m);
  const ModeProblem problem{A, a_free, std::span(s.points).first(m)};
  int solutions = 0;
  const auto choose_together = [&] {
    for (const ContactPoint& c : contacts)
      if (c.normal_given) return false;
    const std::span<double> shares = std::span(s.P).first(3 * m);
    if (!s.touching.choose(problem, chosen, shares)) return false;
    std::ranges::copy(chosen, s.kept.begin());
    if (!s.cones.holds(problem, chosen)) {  // which may have turned slips
      std::copy_n(s.kept.begin(), m, chosen.begin());
      s.cones.solve_near(problem, chosen, shares);
    }
    return result.together = true;
  };
  constexpr std::size_t few = 3;  // whose combinations are all looked at, to see whether there are several solutions
  const bool jams = smallest.contact >= 0 && smallest.inertia <= 0;
  if (jams && m <= few) solutions = s.cones.enumerate(problem, chosen);
  bool tried = false;
  if (solutions == 0 && m > 1 && (jams ? m > few : s.touching.redundant(A, m)))
    tried = true, solutions = choose_together();
  if (solutions == 0 && s.cones.search_quickly(problem, chosen)) solutions = 1;
  if (solutions == 0 && m > 1 && !tried && choose_together()) solutions = 1;
  if (solutions == 0 && !(jams && m <= few)) solutions = s.cones.search_all(problem, chosen) ? 1 : 0;
  if (solutions > 1) result.choice = Choice::indeterminate;
  if (solutions == 0) result.choice = smallest.contact >= 0 ? Choice::inconsistent : Choice::unresolved;
  if (result.choice != Choice::consistent) result.contact = smallest.contact;
  if (solutions == 0) {
    std::ranges::fill(lambda, 0);
    std::ranges::copy(a_free, a.begin());
    return result;
  }
  std::ranges::copy(s.cones.P(), lambda.begin());
  std::ranges::copy(s.cones.u(), a.begin());
  for (std::size_t i = 0; i < m; ++i) {
    modes[i] = mode_of(problem, s.cones, chosen[i], static_cast<int>(i));
    modes[i].together = result.together;
    if (result.together && modes[i].mode == Mode::free && !s.touching.leaves(i)) modes[i].mode = Mode::idle;
  }
  return result;
}

}  // namespace

// ---- island by island
bool contact_multipliers(std::span<const double> A, std::span<const double> a_free,
                         std::span<const ContactPoint> contacts, std::span<const ContactMode> modes,
                         ContactWorkspace& ws, std::span<double> lambda, std::span<double> a) {
  bool met = true;
  for_each_island({A, a_free, contacts, modes, {}, lambda, a, {}, {}}, ws.scratch(),
                  [&](const Island& g) { met = multipliers_of(g, ws.scratch()) && met; });
  return met;
}

Holding share_multipliers(std::span<const double> A, std::span<const double> a_free,
                          std::span<const ContactPoint> contacts, std::span<const ContactMode> modes,
                          ContactWorkspace& ws, std::span<double> lambda, std::span<double> a, std::span<double> ends) {
  Holding worst = Holding::alone;
  for_each_island({A, a_free, contacts, modes, {}, lambda, a, ends.first(2 * contacts.size()), {}}, ws.scratch(),
                  [&](const Island& g) { worst = std::max(worst, share_within(g, ws.scratch())); });
  return worst;
}

bool contact_step(std::span<const double> A, std::span<const double> u_free, std::span<const ContactPoint> contacts,
                  double slip_floor, ContactWorkspace& ws, std::span<ContactMode> modes, std::span<double> P) {
  bool solved = true;
  for_each_island({A, u_free, contacts, modes, modes, P, {}, {}, {}}, ws.scratch(),
                  [&](const Island& g) { solved = step_of(g, slip_floor, ws.scratch()) && solved; });
  return solved;
}

ModeChoice choose_modes(std::span<const double> A, std::span<const double> a_free,
                        std::span<const ContactPoint> contacts, double slip_floor, ContactWorkspace& ws,
                        std::span<ContactMode> modes, std::span<double> lambda, std::span<double> a) {
  ModeChoice worst;
  for_each_island({A, a_free, contacts, modes, modes, lambda, a, {}, {}}, ws.scratch(), [&](const Island& g) {
    const ModeChoice own = choose_within(g, slip_floor, ws.scratch());
    worst.together = worst.together || own.together;
    if (own.choice <= worst.choice) return;
    worst.choice = own.choice, worst.contact = own.contact;
    if (own.contact >= 0 && !g.members.empty()) worst.contact = g.members[static_cast<std::size_t>(own.contact)];
  });
  return worst;
}

}  // namespace marey
