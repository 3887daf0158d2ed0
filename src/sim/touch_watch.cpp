#include "sim/touch_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "marey/core/text.h"
#include "marey/force/link_names.h"
#include "marey/sim/overlaps.h"
#include "marey/spec/values.h"

namespace marey {

namespace {

std::string figure_of(const std::string& link) { return link.substr(0, link.find('.')); }

// The names a body or the floor of a point goes by: its own; of a link its figure's; of one point of several that of all.
std::vector<std::string> words_of(const Scene& scene, std::size_t body) {
  const std::size_t links = scene.model.links.size(), bodies = links + scene.scenery.size();
  if (body < links) return {scene.model.names[body], figure_of(scene.model.names[body])};
  if (body < bodies) return {scene.scenery[body - links].name};
  const FloorContact& c = scene.contacts[body - bodies];
  return {c.name, c.group};
}
std::size_t count_of(const Scene& scene) {
  return scene.model.links.size() + scene.scenery.size() + scene.contacts.size();
}
bool names(const std::string& word, const std::vector<std::string>& all) {
  return std::ranges::any_of(all, [&](const std::string& name) {
    return !name.empty() && (name == word || (is_name_pattern(word) && name_matches(word, name)));
  });
}
// [bodies, then contacts]; an empty word names all.
std::vector<char> named_by(const Scene& scene, const std::string& word) {
  std::vector<char> named(count_of(scene));
  for (std::size_t i = 0; i < named.size(); ++i) named[i] = word.empty() || names(word, words_of(scene, i)) ? 1 : 0;
  return named;
}

// Whether it may ever touch anything: a link with points on floors, the floor of one, whoever `collide` lets meet others.
bool may_touch(const Scene& scene, std::size_t body) {
  const std::size_t links = scene.model.links.size(), bodies = links + scene.scenery.size();
  if (body >= bodies) return true;
  const auto on_floor = [&](const FloorContact& c) { return static_cast<std::size_t>(c.link) == body; };
  if (std::ranges::any_of(scene.contacts, on_floor)) return true;
  if (!scene.collide || scene.collide->bodies[body].meets == 0) return false;
  return body >= links || !scene.model.shapes[body].empty();
}

std::vector<TouchingNames> questions_of(const Scene& scene) {
  std::vector<TouchingNames> all;
  const auto add = [&](const Condition& c) {
    if (c.quantity == Condition::Quantity::touching && std::ranges::find(all, c.names) == all.end())
      all.push_back(c.names);
  };
  for (const Element& e : scene.elements) {
    if (const Push* push = e.kind.get_if<Push>()) std::ranges::for_each(push->schedule.conditions, add);
    if (const JointTorque* torque = e.kind.get_if<JointTorque>())
      std::ranges::for_each(torque->schedule.conditions, add);
  }
  for (const Constraint& c : scene.constraints)
    if (c.when) add(*c.when);
  return all;
}

}  // namespace

std::string refusal_of_touching(const Scene& scene, const TouchingNames& question) {
  for (const std::string& word : {question.a, question.b}) {
    if (word.empty()) continue;
    const std::vector<char> named = named_by(scene, word);
    if (std::ranges::none_of(named, [](char x) { return x != 0; })) {
      std::vector<std::string> known;
      for (std::size_t i = 1; i < named.size(); ++i)
        for (const std::string& name : words_of(scene, i)) known.push_back(name);
      return fmt::format("found the unknown name '{}';{} expected a link, a figure, scenery or a contact",
                         printable(word), did_you_mean(word, known));
    }
    bool any = false;
    for (std::size_t i = 0; i < named.size(); ++i) any = any || (named[i] != 0 && may_touch(scene, i));
    if (!any)
      return fmt::format(
          "found '{}', which never touches anything; expected it among 'contacts', or with a shape "
          "under 'collide'",
          printable(word));
  }
  return {};
}

std::string refusal_of_touching(const Scene& scene) {
  for (const TouchingNames& question : questions_of(scene))
    if (std::string why = refusal_of_touching(scene, question); !why.empty()) return why;
  return {};
}

std::unique_ptr<TouchWatch> TouchWatch::of(const Scene& scene) {
  std::vector<TouchingNames> questions = questions_of(scene);
  return questions.empty() ? nullptr : std::unique_ptr<TouchWatch>(new TouchWatch(scene, std::move(questions)));
}

TouchWatch::TouchWatch(const Scene& scene, std::vector<TouchingNames> questions)
    : scene_(scene), facts_{std::move(questions), {}}, struck_(scene.contacts.size()) {
  facts_.hold.assign(facts_.of.size(), 0);
  bool senses = false;
  for (const TouchingNames& question : facts_.of) {
    first_.push_back(named_by(scene, question.a)), second_.push_back(named_by(scene, question.b));
    for (std::size_t body = 0; scene.collide && body < scene.collide->bodies.size(); ++body)
      senses =
          senses || (scene.collide->bodies[body].sensor && (first_.back()[body] != 0 || second_.back()[body] != 0));
  }
  if (senses) sensors_.emplace(collision_world(scene));
}

bool TouchWatch::look(const SteppedContacts* stepped, const PointContacts* points, const Kinematics<double>& k) {
  before_ = facts_.hold;
  std::ranges::fill(facts_.hold, 0);
  const int floors = static_cast<int>(scene_.model.links.size() + scene_.scenery.size());
  if (stepped != nullptr)
    stepped->for_each_point([&](const TouchingPoint& c) {
      if (norm_squared(c.force_W) == 0) return;
      const bool on_floor = c.key.a == -1;
      touches(on_floor ? c.link_b : c.key.a, on_floor ? floors + c.key.b : c.key.b);
    });
  else if (points != nullptr)
    look_at_points(*points);
  if (sensors_) look_at_sensors(k);
  return facts_.hold != before_;
}

void TouchWatch::touches(int a, int b) {
  const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
  for (std::size_t i = 0; i < facts_.of.size(); ++i)
    if ((first_[i][x] != 0 && second_[i][y] != 0) || (first_[i][y] != 0 && second_[i][x] != 0)) facts_.hold[i] = 1;
}

void TouchWatch::look_at_points(const PointContacts& points) {
  const std::size_t floors = scene_.model.links.size() + scene_.scenery.size();
  for (std::size_t i = 0; i < scene_.contacts.size(); ++i) {
    const Vec3<double> struck = points.impulse_W(i);
    if (points.mode(i) != Mode::free || norm_squared(struck - struck_[i]) > 0)
      touches(scene_.contacts[i].link, static_cast<int>(floors + i));
    struck_[i] = struck;
  }
}

void TouchWatch::look_at_sensors(const Kinematics<double>& k) {
  sensors_->place(k.X_WB);
  for (const CollisionWorld::Pair& pair : sensors_->near(0))
    if (pair.sensor && sensors_->touch(pair)) touches(pair.a, pair.b);
}

void TouchWatch::exchange(const Part::Archive& archive) {
  archive(std::as_writable_bytes(std::span(facts_.hold)));
  archive(std::as_writable_bytes(std::span(struck_)));
}

}  // namespace marey
