// The closed forms that scenes know, one line each, and what they share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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

// Calls use(link) for those it may act on. False: of a kind that says nothing of it, on any.
template <class Use>
bool for_each_acted_on(const Model& model, const Element& e, const Use& use) {
  const auto all = [&](std::span<const int> links) { return std::ranges::for_each(links, use), true; };
  const auto ends = [&](const auto& members) {
    for (const auto& member : members) use(member.a.link), use(member.b.link);
    return true;
  };
  if (const int only = link_of(e); only != 0) {
    use(only);
    if (acts_in_joint(e)) use(model.links[index(only)].parent);
    return true;
  }
  if (const auto* k = e.kind.get_if<Attraction>()) return all(k->links);
  if (const auto* k = e.kind.get_if<MutualAttraction>()) return all(k->links) && all(k->others);
  if (const auto* k = e.kind.get_if<Drag>()) return all(k->links);
  if (const auto* k = e.kind.get_if<Field>()) return all(k->links);
  if (const auto* k = e.kind.get_if<MassFlow>()) return all(k->links);
  if (const auto* k = e.kind.get_if<CenterSpring>()) return all(k->links);
  if (const auto* k = e.kind.get_if<CenterDamper>()) return all(k->links);
  if (const auto* k = e.kind.get_if<SpringNet>()) return ends(k->springs);
  if (const auto* k = e.kind.get_if<DamperNet>()) return ends(k->dampers);
  return false;
}

}  // namespace

ComparedScene::ComparedScene(const Scene& scene)
    : model(scene.model),
      start(scene.start),
      scene_(scene),
      kinematics_(model),
      elements_(model.links.size()),
      contacts_(model.links.size()),
      first_son_(model.links.size(), 0),
      first_holder_(model.links.size(), -1) {
  forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
  add_elements();
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) contacts_[index(scene.contacts[i].link)].push_back(i);
  for (int i = model.nlink() - 1; i > 0; --i) first_son_[index(model.links[index(i)].parent)] = i;
  add_holders();
}

void ComparedScene::add_elements() {
  for (std::size_t i = 0; i < scene_.elements.size(); ++i) {
    const auto use = [&](int link) {
      std::vector<std::size_t>& of = elements_[index(link)];
      if (of.empty() || of.back() != i) of.push_back(i);
    };
    if (!for_each_acted_on(model, scene_.elements[i], use)) elements_on_any_.push_back(i);
  }
}

void ComparedScene::add_holders() {
  for (std::size_t i = 0; i < scene_.constraints.size(); ++i) {
    const Constraint& c = scene_.constraints[i];
    const auto use = [&](int link) {
      if (int& first = first_holder_[index(link)]; first < 0) first = static_cast<int>(i);
    };
    if (acts_in_joints(c))
      std::ranges::for_each(joints_of(c), use);
    else
      use(c.a.link), use(c.b.link);
  }
}

Company ComparedScene::company_of(int link) const {
  Company company;
  std::vector<std::size_t> acting;
  std::ranges::merge(elements_[index(link)], elements_on_any_, std::back_inserter(acting));
  for (const std::size_t i : acting) company.elements.push_back(&scene_.elements[i]);
  for (const std::size_t i : contacts_[index(link)]) company.contacts.push_back(&scene_.contacts[i]);
  if (const int son = first_son_[index(link)]; son != 0)
    company.other = fmt::format("'{}' hangs on it", model.names[index(son)]);
  else if (const int holder = first_holder_[index(link)]; holder >= 0)
    company.other = fmt::format("'{}' holds it", scene_.constraints[index(holder)].name);
  for (std::size_t i = 0; i < scene_.sources.size() && company.other.empty(); ++i)
    if (i != input_source_of(scene_))  // hands that push are a choice of the run: the difference shows them
      company.other = fmt::format("'{}' may act on it", scene_.sources[i]->name());
  return company;
}

LinkStart ComparedScene::start_of(int link) const {
  const Transform<double>& X = kinematics_.X_WB[index(link)];
  const Twist<double>& V = kinematics_.V_WB[index(link)];
  const Inertia<double>& I = model.params.links[index(link)].I;
  const Vec3<double> r = I.m > 0 ? (1 / I.m) * (X.R * I.h) : Vec3<double>{};
  return {X.R, X.p, V.w, transpose_times(X.R, V.w), X.p + r, V.v + cross(V.w, r)};
}

std::string why_not_alone(const ComparedScene& scene, int link) {
  const Company company = scene.company_of(link);
  if (!company.elements.empty())
    return fmt::format("{} '{}' acts on it", word_of(*company.elements[0]), company.elements[0]->name);
  if (!company.contacts.empty()) return fmt::format("the floor of '{}' may stop it", company.contacts[0]->name);
  return company.other;
}

std::string why_not_on(const ComparedScene& scene, int link, std::initializer_list<JointType> joints) {
  const LinkTopology& l = scene.model.links[index(link)];
  if (l.parent != 0) return fmt::format("it hangs on '{}', not on the world", scene.model.names[index(l.parent)]);
  if (std::ranges::find(joints, l.joint) != joints.end()) return {};
  return fmt::format("its joint is of the kind {}", name_of(l.joint));
}

// ------------------------------------------------------------------------------------- links and bodies
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
  if (scene.record.compare.empty()) return;
  const ComparedScene compared(scene);
  for (const Comparison& wanted : scene.record.compare)
    for (const ClosedFormKind* form : closed_forms())
      if (wanted.form == form->word)
        form->add(compared, wanted.link,
                  fmt::format("closed_form/{}/{}/", form->word, scene.model.names[index(wanted.link)]), c);
}

// ------------------------------------------------------------------------------------- refusals
namespace {

std::string refusal_of_recorded_link(const Model& model, int link) {
  if (link > 0 && link < model.nlink()) return {};
  return fmt::format("found link {} in what is to be recorded; expected 1 to {}", link, model.nlink() - 1);
}

}  // namespace

// Numbers that no closed form can bear are refused by the form itself.
static std::string why_not(const ClosedFormKind& form, const ComparedScene& scene, int link) {
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

static std::string refusal_of(const ComparedScene& scene, const Comparison& wanted) {
  if (std::string why = refusal_of_recorded_link(scene.model, wanted.link); !why.empty()) return why;
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

std::string refusal(const Scene& scene, std::span<const Comparison> wanted) {
  if (wanted.empty()) return {};
  const ComparedScene compared(scene);
  for (const Comparison& one : wanted)
    if (std::string why = refusal_of(compared, one); !why.empty()) return why;
  return {};
}

std::string refusal_of_record(const Scene& scene) {
  for (const std::vector<int>* links : {&scene.record.paths, &scene.record.euler_zyz})
    for (const int link : *links)
      if (std::string why = refusal_of_recorded_link(scene.model, link); !why.empty()) return why;
  const std::string why = refusal(scene, scene.record.compare);
  return why.empty() ? why : "found " + why;
}

}  // namespace marey
