#include "scene/joints.h"

#include <fmt/core.h>

#include "marey/model/joint_forms.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

void read_by_name(const Value* node, const std::vector<JointCoordinate>& names, bool rates, std::vector<double>& into,
                  int at) {
  if (!node) return;
  if (node->kind != Value::Kind::map) refuse_value(*node, "coordinates by their names: {bend: 20 deg}");
  for (const ValueEntry& entry : node->entries) {
    Value key;
    key.kind = Value::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    const int k = read_coordinate(key, names);
    const bool length = names[static_cast<std::size_t>(k)].is_length;
    const QuantityKind& kind =
        rates ? (length ? kinds::speed : kinds::angular_rate) : (length ? kinds::length : kinds::angle);
    put(into, at + k, {read_number(*entry.value, kind)});
  }
}

}  // namespace

void read_joint_start(const Value& node, const LinkTopology& link, const std::vector<JointCoordinate>& names,
                      State& state) {
  MapReader map(node, key_table("start"));
  const auto number = [&](const char* key, const QuantityKind& kind, std::vector<double>& into, int at) {
    if (const Value* value = map.get(key)) put(into, at, {read_number(*value, kind)});
  };
  if (link.joint == JointType::hinge) {
    number("angle", kinds::angle, state.q, link.q);
    number("rate", kinds::angular_rate, state.v, link.v);
  } else if (link.joint == JointType::slider) {
    number("slide", kinds::length, state.q, link.q);
    number("speed", kinds::speed, state.v, link.v);
  } else if (has_attitude(link.joint)) {
    Quaternion<double> q;
    if (const Value* turned = map.get("turned")) q = read_rotation(*turned);
    put(state.q, link.q, {q.w, q.x, q.y, q.z});
    if (const Value* spin = map.get("spin")) {
      const Vec w_B = transpose_times(rotation(q), read_vector(*spin, kinds::angular_rate));
      put(state.v, link.v, {w_B.x, w_B.y, w_B.z});
    }
  } else if (is_general(link.joint)) {
    read_by_name(map.get("coordinates"), names, false, state.q, link.q);
    read_by_name(map.get("rates"), names, true, state.v, link.v);
  }
  if (link.joint == JointType::free || link.joint == JointType::point) {
    const int skip_q = link.joint == JointType::free ? 4 : 0, skip_v = link.joint == JointType::free ? 3 : 0;
    if (const Value* position = map.get("position")) {
      const Vec p = read_vector(*position, kinds::length);
      put(state.q, link.q + skip_q, {p.x, p.y, p.z});
    }
    if (const Value* velocity = map.get("velocity")) {
      const Vec v = read_vector(*velocity, kinds::speed);
      put(state.v, link.v + skip_v, {v.x, v.y, v.z});
    }
  }
  map.done(fmt::format("at the start of a {} joint", name_of(link.joint)));
}

}  // namespace marey
