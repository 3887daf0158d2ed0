// The closed forms that scenes know, one line each, and what they share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/core/index.h"
#include "marey/force/mass_flow.h"
#include "marey/shape.h"
#include "sim/closed_forms/form.h"
#include "sim/input_source.h"

namespace marey {

#define MAREY_CLOSED_FORMS(X) \
  X(throw) X(bounce) X(kepler) X(pendulum) X(torque_free) X(symmetric_top) X(heavy_top) X(rod)

#define MAREY_DECLARE(name) extern const ClosedFormKind name##_closed;
MAREY_CLOSED_FORMS(MAREY_DECLARE)
#undef MAREY_DECLARE

#define MAREY_ADDRESS(name) &name##_closed,
std::span<const ClosedFormKind* const> closed_forms() {
  static const ClosedFormKind* const all[] = {MAREY_CLOSED_FORMS(MAREY_ADDRESS)};
  return all;
}
#undef MAREY_ADDRESS

// ------------------------------------------------------------------------------------- who else acts
namespace {

bool has(std::span<const int> links, int link) { return std::ranges::find(links, link) != links.end(); }

// Of a kind that says nothing else, whether it acts on the link is not known: it does.
bool may_act_on(const Model& model, const Element& e, int link) {
  if (const int only = link_of(e); only != 0)
    return only == link || (acts_in_joint(e) && model.links[index(only)].parent == link);
  if (const auto* k = e.kind.get_if<Attraction>()) return has(k->links, link);
  if (const auto* k = e.kind.get_if<MutualAttraction>()) return has(k->links, link) || has(k->others, link);
  if (const auto* k = e.kind.get_if<Drag>()) return has(k->links, link);
  if (const auto* k = e.kind.get_if<Field>()) return has(k->links, link);
  if (const auto* k = e.kind.get_if<MassFlow>()) return has(k->links, link);
  if (const auto* k = e.kind.get_if<CenterSpring>()) return has(k->links, link);
  if (const auto* k = e.kind.get_if<CenterDamper>()) return has(k->links, link);
  const auto ends_there = [&](const auto& member) { return member.a.link == link || member.b.link == link; };
  if (const auto* k = e.kind.get_if<SpringNet>()) return std::ranges::any_of(k->springs, ends_there);
  if (const auto* k = e.kind.get_if<DamperNet>()) return std::ranges::any_of(k->dampers, ends_there);
  return true;
}

bool may_hold(const Constraint& c, int link) {
  return acts_in_joints(c) ? has(joints_of(c), link) : c.a.link == link || c.b.link == link;
}

}  // namespace

Company company_of(const Scene& scene, int link) {
  Company company;
  for (const Element& e : scene.elements)
    if (may_act_on(scene.model, e, link)) company.elements.push_back(&e);
  for (const FloorContact& c : scene.contacts)
    if (c.link == link) company.contacts.push_back(&c);
  for (int i = link + 1; i < scene.model.nlink() && company.other.empty(); ++i)
    if (scene.model.links[index(i)].parent == link)
      company.other = fmt::format("'{}' hangs on it", scene.model.names[index(i)]);
  for (const Constraint& c : scene.constraints)
    if (company.other.empty() && may_hold(c, link)) company.other = fmt::format("'{}' holds it", c.name);
  for (std::size_t i = 0; i < scene.sources.size() && company.other.empty(); ++i)
    if (i != input_source_of(scene))  // hands that push are a choice of the run: the difference shows them
      company.other = fmt::format("'{}' may act on it", scene.sources[i]->name());
  return company;
}

std::string why_not_alone(const Scene& scene, int link) {
  const Company company = company_of(scene, link);
  if (!company.elements.empty())
    return fmt::format("{} '{}' acts on it", word_of(*company.elements[0]), company.elements[0]->name);
  if (!company.contacts.empty()) return fmt::format("the floor of '{}' may stop it", company.contacts[0]->name);
  return company.other;
}

std::string why_not_on(const Scene& scene, int link, std::initializer_list<JointType> joints) {
  const LinkTopology& l = scene.model.links[index(link)];
  if (l.parent != 0) return fmt::format("it hangs on '{}', not on the world", scene.model.names[index(l.parent)]);
  if (std::ranges::find(joints, l.joint) != joints.end()) return {};
  return fmt::format("its joint is of the kind {}", name_of(l.joint));
}

// ------------------------------------------------------------------------------------- links and bodies
LinkStart start_of(const Scene& scene, int link) {
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  const Transform<double>& X = k.X_WB[index(link)];
  const Twist<double>& V = k.V_WB[index(link)];
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  const Vec3<double> r = I.m > 0 ? (1 / I.m) * (X.R * I.h) : Vec3<double>{};
  return {X.R, X.p, V.w, transpose_times(X.R, V.w), X.p + r, V.v + cross(V.w, r)};
}

Vec3<double> center_of(const Observed& o, std::size_t link) {
  const Inertia<double>& I = o.scene.model.params.links[link].I;
  return o.kinematics.X_WB[link] * ((1 / I.m) * I.h);
}

std::optional<BodyOfRevolution> body_of_revolution(const Sym3<double>& J_B) {
  const PrincipalAxes p = principal_axes(J_B);
  const auto& [a, b, c] = p.moments;
  constexpr double alike = 1e-9;
  const auto column = [&](int k) { return Vec3<double>{p.R_BP(0, k), p.R_BP(1, k), p.R_BP(2, k)}; };
  if (b - a <= alike * c) return BodyOfRevolution{column(2), 0.5 * (a + b), c};
  if (c - b <= alike * c) return BodyOfRevolution{column(0), 0.5 * (b + c), a};
  return std::nullopt;
}

std::string describe_moments(const Sym3<double>& J_B) {
  const Vec3<double> m = principal_axes(J_B).moments;
  return fmt::format("moments of inertia of {:.6g}, {:.6g} and {:.6g} kg m^2", m.x, m.y, m.z);
}

// ------------------------------------------------------------------------------------- channels
void add_place(std::vector<RecordedChannel>& c, const std::string& base, int number,
               std::function<PlaceAndVelocity(double)> exact) {
  const std::size_t link = index(number);
  const std::vector<std::string> xyz{"x", "y", "z"};
  add_channel(c, base + "position", "m", xyz, "of the link's centre of mass by the closed form, in the world",
              [exact](const Observed& o) { return exact(o.now.t).r; });
  add_channel(c, base + "velocity", "m/s", xyz, "of the link's centre of mass by the closed form, in world axes",
              [exact](const Observed& o) { return exact(o.now.t).v; });
  add_channel(c, base + "distance", "m", {""}, "of the simulated centre of mass from where the closed form has it",
              [exact, link](const Observed& o) { return norm(center_of(o, link) - exact(o.now.t).r); });
}

void add_attitude(std::vector<RecordedChannel>& c, const std::string& base, int number,
                  std::function<AttitudeAndSpin(double)> exact) {
  const std::size_t link = index(number);
  add_channel(c, base + "orientation", "", {"w", "x", "y", "z"}, "unit quaternion of R_WB by the closed form",
              [exact, link](const Observed& o) {
                // Of q and −q the one that is nearer to the link's own, so that it does not jump either.
                const Quaternion<double> q = exact(o.now.t).R_WB, own = o.turns.of(link, o.kinematics.X_WB[link].R);
                const bool far = q.w * own.w + q.x * own.x + q.y * own.y + q.z * own.z < 0;
                return far ? Quaternion<double>{-q.w, -q.x, -q.y, -q.z} : q;
              });
  add_channel(c, base + "spin", "rad/s", {"x", "y", "z"},
              "angular velocity of the link by the closed form, in world axes",
              [exact](const Observed& o) { return exact(o.now.t).w_WB_W; });
  add_channel(c, base + "angle", "rad", {""}, "by which the simulated link is turned from where the closed form has it",
              [exact, link](const Observed& o) {
                const Quaternion<double> d = conjugate(exact(o.now.t).R_WB) * quaternion_of(o.kinematics.X_WB[link].R);
                return 2 * std::atan2(std::hypot(d.x, d.y, d.z), std::abs(d.w));
              });
}

void add_compared_channels(const Scene& scene, std::vector<RecordedChannel>& c) {
  for (const Comparison& wanted : scene.record.compare)
    for (const ClosedFormKind* form : closed_forms())
      if (wanted.form == form->word)
        form->add(scene, wanted.link,
                  fmt::format("closed_form/{}/{}/", form->word, scene.model.names[index(wanted.link)]), c);
}

// ------------------------------------------------------------------------------------- refusals
namespace {

std::string refusal_of_recorded_link(const Scene& scene, int link) {
  if (link > 0 && link < scene.model.nlink()) return {};
  return fmt::format("found link {} in what is to be recorded; expected 1 to {}", link, scene.model.nlink() - 1);
}

}  // namespace

// Numbers that no closed form can bear are refused by the form itself.
static std::string why_not(const ClosedFormKind& form, const Scene& scene, int link) {
  std::string why = form.refusal(scene, link);
  if (!why.empty()) return why;
  try {
    std::vector<RecordedChannel> unused;
    form.add(scene, link, "", unused);
  } catch (const Error& e) {
    why = e.what();
  }
  return why;
}

std::string refusal(const Scene& scene, const Comparison& wanted) {
  if (std::string why = refusal_of_recorded_link(scene, wanted.link); !why.empty()) return why;
  std::vector<std::string> words;
  for (const ClosedFormKind* form : closed_forms()) {
    words.emplace_back(form->word);
    if (wanted.form != form->word) continue;
    const std::string why = why_not(*form, scene, wanted.link);
    if (why.empty()) return {};
    return fmt::format("{} for '{}', which does not move so: {}; expected {}", form->word,
                       scene.model.names[index(wanted.link)], why, form->meaning);
  }
  return fmt::format("the closed form '{}'; expected {}", wanted.form, fmt::join(words, ", "));
}

std::string refusal_of_record(const Scene& scene) {
  for (const std::vector<int>* links : {&scene.record.paths, &scene.record.euler_zyz})
    for (const int link : *links)
      if (std::string why = refusal_of_recorded_link(scene, link); !why.empty()) return why;
  for (const Comparison& wanted : scene.record.compare)
    if (const std::string why = refusal(scene, wanted); !why.empty()) return "found " + why;
  return {};
}

}  // namespace marey
