// Modes: force, torque (in W) and point (in B) of each link but the world, nine numbers each; then a force for each freedom.
// A push of force f at p_BoQ_B = p and torque n is the wrench (R_WB p × f + n, f) about Bo, in W.
#include "sim/input_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

constexpr std::size_t numbers_per_push = 9;

std::size_t push_of(int link) { return numbers_per_push * static_cast<std::size_t>(link - 1); }
std::size_t drive_of(const Model& model, int link) {
  return numbers_per_push * (model.links.size() - 1) +
         static_cast<std::size_t>(model.links[static_cast<std::size_t>(link)].v);
}

class InputSource final : public Source {
 public:
  explicit InputSource(const Model& model)
      : mode_count_(static_cast<int>(numbers_per_push * (model.links.size() - 1)) + model.nv) {}

  std::string name() const override { return inputs_name; }
  int mode_count() const override { return mode_count_; }
  void act(const Instant<double>& now, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double>) const override {
    act_in(now, kept.modes, sum);
  }
  bool act(const Instant<Dual<1>>& now, const Kept<Dual<1>>& kept, ForceSum<Dual<1>>& sum,
           std::span<Dual<1>>) const override {
    act_in(now, kept.modes, sum);
    return true;
  }

 private:
  template <class T>
  static void act_in(const Instant<T>& now, std::span<const double> modes, ForceSum<T>& sum) {
    const auto is_zero = [](double x) { return x == 0; };
    const auto vec = [](std::span<const double> x, std::size_t at) {
      return Vec3<T>{T(x[at]), T(x[at + 1]), T(x[at + 2])};
    };
    for (int i = 1; i < now.model.nlink(); ++i) {
      const auto link = static_cast<std::size_t>(i);
      if (const auto push = modes.subspan(push_of(i), numbers_per_push); !std::ranges::all_of(push.first(6), is_zero)) {
        const Vec3<T> f = vec(push, 0);
        sum.wrench(now, i, {cross(now.X_WB[link].R * vec(push, 6), f) + vec(push, 3), f});
      }
      const auto freedoms = static_cast<std::size_t>(freedom_count(now.model.links[link]));
      const auto drive = modes.subspan(drive_of(now.model, i), freedoms);
      if (std::ranges::all_of(drive, is_zero)) continue;
      std::array<T, 6> tau;
      std::ranges::transform(drive, tau.begin(), [](double x) { return T(x); });
      sum.joint(now, i, std::span<const T>(tau).first(freedoms));
    }
  }

  int mode_count_;
};

}  // namespace

namespace {

std::string refusal_of_number(const Model& model, std::span<const Element> elements, const Input& input) {
  if (input.link < 0 || static_cast<std::size_t>(input.link) >= elements.size())
    return fmt::format("found a number of element {}; expected 0 to {}", input.link,
                       static_cast<int>(elements.size()) - 1);
  Element changed = elements[static_cast<std::size_t>(input.link)];
  const std::size_t count = numbers_of(changed).size();
  const double which = input.values[0];
  if (!(which >= 0 && which < static_cast<double>(count) && which == std::floor(which)))
    return fmt::format("found number {} of '{}'; expected one of its {}", which, changed.name, count);
  set_number(changed, static_cast<std::size_t>(which), input.values[1]);
  if (const std::string why = refusal(model, changed); !why.empty()) return fmt::format("'{}': {}", changed.name, why);
  return {};
}

std::string refusal_of_command(const Scene& scene, const Input& input) {
  if (input.link < 0 || static_cast<std::size_t>(input.link) >= scene.constraints.size())
    return fmt::format("found a command to constraint {}; expected 0 to {}", input.link,
                       static_cast<int>(scene.constraints.size()) - 1);
  const Constraint& c = scene.constraints[static_cast<std::size_t>(input.link)];
  const Coupler* coupler = c.kind.get_if<Coupler>();
  if (coupler == nullptr) return fmt::format("'{}' takes no commands: it drives no coordinates of joints", c.name);
  if (!(input.values[1] >= 0))
    return fmt::format("found a time of {} s to get there; expected 0 or more", input.values[1]);
  if (coupler->level == Coupler::Level::coordinate && !(input.values[1] > 0))
    return fmt::format("'{}' holds a coordinate, which cannot be elsewhere at once; expected a time to get there",
                       c.name);
  return {};
}

}  // namespace

const char* name_of(Input::Kind kind) {
  switch (kind) {
    case Input::Kind::push:
      return "push";
    case Input::Kind::drive:
      return "drive";
    case Input::Kind::limit:
      return "limit";
    case Input::Kind::number:
      return "number";
    case Input::Kind::command:
      return "command";
  }
  return "";
}

std::shared_ptr<const Source> make_input_source(const Model& model) { return std::make_shared<InputSource>(model); }

bool is_input_source(const Source& source) { return dynamic_cast<const InputSource*>(&source) != nullptr; }

std::string refusal(const Scene& scene, std::span<const Element> elements, const Input& input) {
  const Model& model = scene.model;
  if (!std::ranges::all_of(input.values, [](double x) { return std::isfinite(x); }) && input.kind != Input::Kind::limit)
    return "found an input that is not finite; expected numbers";
  if (input.kind == Input::Kind::limit) return {};
  if (input.kind == Input::Kind::number) return refusal_of_number(model, elements, input);
  if (input.kind == Input::Kind::command) return refusal_of_command(scene, input);
  if (input.link < 1 || input.link >= model.nlink())
    return fmt::format("found an input for link {}; expected 1 to {}", input.link, model.nlink() - 1);
  const LinkTopology& link = model.links[static_cast<std::size_t>(input.link)];
  if (input.kind == Input::Kind::drive && freedom_count(link) == 0)
    return fmt::format("the joint of '{}' has no freedom that could be driven",
                       model.names[static_cast<std::size_t>(input.link)]);
  return {};
}

void take_input(const Model& model, const Input& input, std::span<double> modes) {
  const bool drives = input.kind == Input::Kind::drive;
  const std::size_t first = drives ? drive_of(model, input.link) : push_of(input.link);
  const int count =
      drives ? freedom_count(model.links[static_cast<std::size_t>(input.link)]) : static_cast<int>(numbers_per_push);
  std::copy_n(input.values.begin(), count, modes.begin() + static_cast<std::ptrdiff_t>(first));
}

std::size_t input_source_of(const Scene& scene) {
  std::size_t i = 0;
  while (i < scene.sources.size() && !(scene.sources[i] && is_input_source(*scene.sources[i]))) ++i;
  return i;
}

}  // namespace marey
