// A push: force at Q and torque, in the axes of the world or of the link, times modes[0] of its schedule.
#include <fmt/core.h>

#include <algorithm>

#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/force/cast.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"

namespace marey {
namespace {

using InTime = std::optional<std::array<TimeFunction, 3>>;

std::span<const TimeFunction> functions_of(const InTime& f) {
  return f ? std::span<const TimeFunction>(*f) : std::span<const TimeFunction>{};
}
Vec3<double> now(const Vec3<double>& constant, const InTime& f, double t, double since) {
  if (!f) return constant;
  return {(*f)[0].at(t, since).value, (*f)[1].at(t, since).value, (*f)[2].at(t, since).value};
}

}  // namespace

template <>
struct Descriptor<Push> : SwitchesBySchedule<Push> {
  static constexpr const char* word = "push";
  static constexpr Nature nature = Nature::active;
  static constexpr bool holds_up = true;

  static Scheduled scheduled(const Push& e) {
    return {e.schedule, functions_of(e.force_in_time), functions_of(e.torque_in_time)};
  }

  template <class T>
  static void act(const Push& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    const Mat3<T>& R_WB = at.X_WB[index(e.link)].R;
    const T acting(modes[0]);
    const double since = scheduled(e).since(at.t, modes);
    Vec3<T> f = acting * cast<T>(now(e.force, e.force_in_time, at.t, since));
    Vec3<T> n = acting * cast<T>(now(e.torque, e.torque_in_time, at.t, since));
    if (e.body_axes) f = R_WB * f, n = R_WB * n;
    Wrench<T> F = force_at(R_WB * cast<T>(e.point_B), f);
    F.n += n;
    sum.wrench(at, e.link, F);
  }

  static std::string refusal(const Model& model, const Push& e) {
    if (!finite(e.point_B) || !finite(e.force) || !finite(e.torque)) return "its point, force or torque is not finite";
    return first_of({refusal_of_functions(functions_of(e.force_in_time)),
                     refusal_of_functions(functions_of(e.torque_in_time)), refusal_of_schedule(model, e.schedule)});
  }

  static constexpr NoStiffness stiffness{};
  static void numbers(Push& e, Numbers& n) {
    if (!e.force_in_time) n.add("force", e.force);
    if (!e.torque_in_time) n.add("torque", e.torque);
  }
};
MAREY_ELEMENT(Push)

// ---- in scenes: a push acts all the time or for a while, a spike at times or when conditions hold
namespace {

constexpr double shortest_spike = 1e-9;  // s: far above what the clock can resolve

// Of numbers alone, or of functions of time.
bool changes(const Value& node) {
  return node.kind == Value::Kind::list && std::ranges::any_of(node.items, [](const ValuePtr& item) {
           return item->kind == Value::Kind::list || item->quoted;
         });
}

void read_force_and_torque(MapReader& map, Push& push) {
  const Value *force = map.get("force"), *torque = map.get("torque");
  const FormulaConstants constants = read_constants(map.get("constants"));
  const Join join = read_curve(map, curves_of_forces, {force, torque});
  const auto read = [&](const Value* node, const char* key, const QuantityKind& kind, Vec3<double>& constant,
                        InTime& f) {
    if (node != nullptr && changes(*node))
      f = read_time_vector(*node, kind, constants, join);
    else
      constant = map.vector_or(key);
  };
  read(force, "force", kinds::force, push.force, push.force_in_time);
  read(torque, "torque", kinds::torque, push.torque, push.torque_in_time);
}

bool is_fixed(const Model& model, int link) {
  while (link != 0 && model.links[index(link)].joint == JointType::weld) link = model.links[index(link)].parent;
  return link == 0;
}

// All but its link.
Push push_of(MapReader& map) {
  Push push;
  push.point_B = map.vector_or("point");
  if (!map.has("force") && !map.has("torque"))
    refuse(map.node().at, "found neither force nor torque; expected one of them or both");
  if (map.has("point") && !map.has("force"))
    remark(map.key_place("point"), "'point' has no effect without a force: a torque is the same everywhere");
  read_force_and_torque(map, push);
  for (const char* key : {"force", "torque"})
    if (const bool force = key[0] == 'f';
        map.has(key) && (force ? !push.force_in_time && norm_squared(push.force) == 0
                               : !push.torque_in_time && norm_squared(push.torque) == 0))
      remark(map.key_place(key), fmt::format("a {} of 0 has no effect", key));
  if (const Value* axes = map.get("axes")) push.body_axes = read_choice(*axes, {"world", "body"}) == 1;
  read_times(map, push.schedule);
  return push;
}

// On each of its links alike.
void add_pushes(MapReader& map, ElementMaker& maker, const char* what, Push push) {
  const std::vector<int> links = maker.links().find_moving(map.need("link"));
  for (const int link : links) {
    push.link = link;
    if (is_fixed(maker.model(), link))
      remark(map.key_place("link"),
             fmt::format("what pushes '{}' has no effect: the link is fixed to the world", maker.name_of_link(link)));
    maker.add(map.get("name"), links.size() > 1, link, what, push);
  }
}

void make_push(MapReader& map, ElementMaker& maker) { add_pushes(map, maker, "push", push_of(map)); }

void make_spike(MapReader& map, ElementMaker& maker) {
  Push push = push_of(map);
  Schedule& schedule = push.schedule;
  schedule.lasts = map.number("lasts");
  if (schedule.lasts < shortest_spike)
    refuse_value(map.need("lasts"), fmt::format("at least {:g} s, or a force that always acts", shortest_spike));
  schedule.every = map.number_or("every", 0);
  if (map.has("every") && schedule.every < schedule.lasts)
    refuse_value(map.need("every"), fmt::format("at least the {:.6g} s it lasts", schedule.lasts));
  read_when(map, maker, schedule);
  add_pushes(map, maker, "spike", push);
}

std::vector<KeyInfo> push_keys_with(const std::vector<KeyInfo>& own) {
  std::vector<KeyInfo> keys{
      {"name", "text", "what the ledger calls it"},
      {"link", "name or names", "figure.link, several in a list, figure.* for all: each is pushed alike", true},
      {"point", "v:length", "where the force acts, in the link's frame; default: the joint"},
      {"force", "v:force or formulas or w:force",
       "the force: numbers, quoted formulas of t, or a table of times and forces"},
      {"torque", "v:torque or formulas or w:torque", "the torque, likewise"},
      curve_key(curves_of_forces),
      {"constants", "constants", "names to numbers, for formulas"},
      {"axes", "=world,body", "whose axes force and torque are in; default: the world's"}};
  keys.insert(keys.end(), own.begin(), own.end());
  return keys;
}

}  // namespace

extern const ElementForm push_form{
    "acts all the time, or from one time to another",
    {"push", "A force or torque that acts all the time, or from one time to another.",
     push_keys_with(
         {{"from", "q:time>=0", "when it begins; default: 0"}, {"until", "q:time>0", "when it ends; default: never"}})},
    make_push,
    {"{link: figure.hand, force: [1 N, 2 N, 0 N]}",
     "{link: figure.trunk, point: [0, 10 cm, 0], force: [0, 0, 5 N], torque: [0.1 N m, 0, 0], axes: body, from: 0.1 s, "
     "until: 2 s, name: shove}",
     "{link: figure.hand, force: [[0 s, [0, 0, 1 N]], [0.5 s, [2 N, 0, 1 N]]], curve: smooth}",
     "{link: figure.hand, torque: ['a*sin(t)', 0, 0], constants: {a: 0.1}}"},
    {"point"}};
extern const ElementForm spike_form{
    "acts for a short while, at times or when a condition holds",
    {"spike", "A force or torque that acts for a short while, at times or when a condition holds.",
     push_keys_with(
         {{"lasts", "q:time>0", "how long it acts", true},
          {"every", "q:time>0", "how often it comes again, or with when: how soon it may; default: it comes once"},
          {"from", "q:time>=0", "when it first acts; default: 0"},
          {"until", "q:time>0", "when it acts no longer; default: never"},
          {"when", "@condition or [@condition]", "it begins when these hold"}})},
    make_spike,
    {"{link: figure.hand, point: [0, 0, -10 cm], force: [0, 0, 20 N], axes: body, lasts: 20 ms, every: 0.5 s}",
     "{link: figure.hand, force: [0, 0, 'a*t'], constants: {a: 3}, lasts: 20 ms}",
     "{link: figure.hand, torque: [[0 s, [0, 1 N m, 0]], [1 s, [0, 2 N m, 0]]], curve: hold, lasts: 50 ms, from: 0.1 "
     "s, until: 3 s, name: twitch, when: "
     "{height_of: "
     "figure.hand, below: -1 m}}"},
    {"point"}};

}  // namespace marey
