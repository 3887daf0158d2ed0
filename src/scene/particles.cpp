#include "scene/particles.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <unordered_map>

#include "marey/core/text.h"
#include "marey/scene/keys.h"
#include "scene/pattern.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

constexpr double usual_radius = 0.01;  // m, of the sphere that is drawn

// One group while it is being read: its particles are the links from `first` on.
class GroupReader {
 public:
  GroupReader(const ValueEntry& entry, FiguresDraft& out)
      : map_(*entry.value, key_table("particles")),
        name_(entry.key),
        at_(entry.key_at),
        out_(out),
        first_(out.links.size()) {}

  void read() {
    read_usual();
    const std::string form = map_.one_of({"points", "grid", "ring"});
    if (form.empty()) refuse(map_.node().at, "found a group without particles; expected points, grid or ring");
    if (form == "points") points(map_.need("points"));
    if (form == "grid") grid(map_.need("grid"));
    if (form == "ring") ring(map_.need("ring"));
    for (std::size_t i = first_; i < out_.links.size(); ++i) index_[out_.links[i].spec.name] = i;
    if (const Value* node = map_.get("fixed")) fixed(*node);
    if (const Value* node = map_.get("springs")) springs(*node);
  }

 private:
  // What every particle of the group has unless it says otherwise.
  void read_usual() {
    if (const Value* at = map_.get("at")) X_WG_.p = read_vector(*at, kinds::length);
    if (const Value* turned = map_.get("turned")) X_WG_.R = rotation(read_rotation(*turned));
    if (const Value* mass = map_.get("mass")) mass_ = read_number(*mass, kinds::mass, Range::positive);
    if (const Value* radius = map_.get("radius")) radius_ = read_number(*radius, kinds::length, Range::positive);
    if (const Value* velocity = map_.get("velocity")) velocity_ = read_vector(*velocity, kinds::speed);
    if (const Value* spin = map_.get("spin")) spin_ = read_vector(*spin, kinds::angular_rate);
  }

  struct Particle {
    std::string name;
    Place at;
    Vec p_G, v_G;  // in the group's frame; the group's own motion comes on top
    double mass = 0, radius = 0;
  };
  void add(const Particle& p) {
    if (static_cast<int>(out_.links.size()) >= most_links)
      refuse(p.at, fmt::format("found more than {} links; expected fewer", most_links));
    if (!(p.mass > 0)) refuse(p.at, "found a particle that does not say how heavy it is; expected mass");
    LinkDraft draft;
    draft.figure = name_;
    draft.at = draft.parent_at = draft.mass_at = p.at;
    draft.spec.name = name_ + "." + p.name;
    draft.spec.joint = JointType::point;
    draft.spec.inertia = {p.mass, {}, {}};
    draft.spec.shapes = {{Sphere{p.radius}, {}}};
    const Vec p_W = X_WG_ * p.p_G;
    draft.particle = LinkDraft::Particle{p_W, X_WG_.R * p.v_G + velocity_ + cross(spin_, p_W - X_WG_.p)};
    out_.links.push_back(std::move(draft));
  }

  // ---- points
  void points(const Value& node) {
    const bool list = node.kind == Value::Kind::list;
    if ((!list && node.kind != Value::Kind::map) || (node.items.empty() && node.entries.empty()))
      refuse_value(node, "points in a list, or by name: {sun: {position: [0, 0, 0]}}");
    for (std::size_t i = 0; i < node.items.size(); ++i) point(*node.items[i], std::to_string(i + 1), node.items[i]->at);
    for (const ValueEntry& entry : node.entries) {
      check_name(entry, "particle");
      point(*entry.value, entry.key, entry.key_at);
    }
  }
  void point(const Value& node, const std::string& name, const Place& at) {
    MapReader map(node, key_table("particle"));
    Particle p{name, at, read_vector(map.need("position"), kinds::length), {}, mass_, radius_};
    if (const Value* v = map.get("velocity")) p.v_G = read_vector(*v, kinds::speed);
    if (const Value* m = map.get("mass")) p.mass = read_number(*m, kinds::mass, Range::positive);
    if (const Value* r = map.get("radius")) p.radius = read_number(*r, kinds::length, Range::positive);
    add(p);
  }

  // ---- grid
  void grid(const Value& node) {
    MapReader map(node, key_table("grid"));
    grid_ = read_grid(map, "particles", most_links);
    for (int i = 0; i < grid_->size(); ++i) {
      const Cell c = grid_->cell(i);
      add({grid_->name(c), at_, grid_->place(c), {}, mass_, radius_});
    }
  }

  // ---- ring
  void ring(const Value& node) {
    MapReader map(node, key_table("ring"));
    const long n = read_whole(map.need("count"), 1, most_links);
    const double r = read_number(map.need("radius"), kinds::length, Range::positive);
    const Value* speed_node = map.get("speed");
    const double speed = speed_node ? read_number(*speed_node, kinds::speed) : 0;
    for (long i = 0; i < n; ++i) {
      const double a = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      const double c = std::cos(a), s = std::sin(a);
      add({std::to_string(i + 1), at_, {r * c, r * s, 0}, {-speed * s, speed * c, 0}, mass_, radius_});
    }
    ring_ = true;
  }

  // ---- which
  std::size_t find(const Value& node) const {
    const std::string word = read_text(node);
    for (const std::string& full : {word, name_ + "." + word})
      if (const auto found = index_.find(full); found != index_.end()) return found->second;
    std::vector<std::string> names;
    for (std::size_t i = first_; i < out_.links.size(); ++i)
      names.push_back(out_.links[i].spec.name.substr(name_.size() + 1));
    refuse(node.at, fmt::format("found the unknown particle '{}' of '{}';{} expected such as '{}'", printable(word),
                                name_, did_you_mean(word, names), names.back()));
  }
  void fixed(const Value& node) {
    const auto hold = [&](const Value& which) {
      LinkSpec& spec = out_.links[find(which)].spec;
      if (spec.joint == JointType::weld) refuse_value(which, "each particle to be held once");
      spec.joint = JointType::weld;
      spec.X_PF.p = out_.links[find(which)].particle->position;
    };
    if (node.kind != Value::Kind::list) return hold(node);
    for (const ValuePtr& item : node.items) hold(*item);
  }

  // ---- springs
  void springs(const Value& node) {
    MapReader map(node, key_table("springs"));
    SpringsDraft draft{name_, node.at, {}};
    const double k = read_number(map.need("stiffness"), kinds::stiffness, Range::positive);
    const auto number = [&](const char* key, const QuantityKind& kind) {
      const Value* value = map.get(key);
      return value ? read_number(*value, kind, Range::not_negative) : 0.0;
    };
    const double c = number("damping", kinds::damping);
    if (grid_) {
      for (const Cell& d : {Cell{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) along(d, k, c, draft);
      const double diagonal = number("diagonal", kinds::stiffness), second = number("second", kinds::stiffness);
      if (diagonal > 0)
        for (const Cell& d : diagonals()) along(d, diagonal, c, draft);
      if (second > 0)
        for (const Cell& d : {Cell{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}) along(d, second, c, draft);
    } else if (ring_) {
      const std::size_t n = out_.links.size() - first_;
      for (std::size_t i = 0; i < (n > 2 ? n : n - 1); ++i) join(first_ + i, first_ + (i + 1) % n, k, c, draft);
    } else {
      pairs(map.need("pairs"), k, c, draft);
    }
    map.done(grid_ ? "in a grid" : ring_ ? "in a ring" : "between points");
    if (draft.pairs.empty()) refuse(node.at, "found springs that join no particles; expected two that can move");
    out_.springs.push_back(std::move(draft));
  }
  void pairs(const Value& node, double k, double c, SpringsDraft& draft) {
    if (node.kind != Value::Kind::list) refuse_value(node, "pairs of particles: [[1, 2], [2, 3]]");
    std::set<std::pair<std::size_t, std::size_t>> joined;
    for (const ValuePtr& item : node.items) {
      if (item->kind != Value::Kind::list || item->items.size() != 2) refuse_value(*item, "two particles: [1, 2]");
      const std::size_t a = find(*item->items[0]), b = find(*item->items[1]);
      if (a == b) refuse_value(*item, "two different particles");
      if (!joined.emplace(std::min(a, b), std::max(a, b)).second)
        refuse(item->at, fmt::format("found a second spring between '{}' and '{}'; expected each pair once",
                                     out_.links[a].spec.name, out_.links[b].spec.name));
      join(a, b, k, c, draft);
    }
  }
  static std::vector<Cell> diagonals() {
    return {{1, 1, 0},  {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1},
            {0, 1, -1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
  }
  // Joins every particle of the grid with the one this step away from it.
  void along(const Cell& step, double k, double c, SpringsDraft& draft) {
    const Cell& cells = grid_->count;
    const auto at = [&](int i, int j, int l) {
      return first_ + static_cast<std::size_t>((l * cells[1] + j) * cells[0] + i);
    };
    const auto inside = [](int i, int n) { return i >= 0 && i < n; };
    for (int l = 0; l < cells[2]; ++l)
      for (int j = 0; j < cells[1]; ++j)
        for (int i = 0; i < cells[0]; ++i) {
          const int a = i + step[0], b = j + step[1], d = l + step[2];
          if (inside(a, cells[0]) && inside(b, cells[1]) && inside(d, cells[2]))
            join(at(i, j, l), at(a, b, d), k, c, draft);
        }
  }
  void join(std::size_t a, std::size_t b, double k, double c, SpringsDraft& draft) const {
    const auto held = [&](std::size_t i) { return out_.links[i].spec.joint == JointType::weld; };
    if (!held(a) || !held(b)) draft.pairs.push_back({a, b, k, c});
  }

  MapReader map_;
  std::string name_;
  Place at_;
  FiguresDraft& out_;
  std::size_t first_;
  Transform<double> X_WG_;
  double mass_ = 0, radius_ = usual_radius;
  Vec velocity_, spin_;
  std::optional<Lattice> grid_;
  bool ring_ = false;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

void read_particles(const Value& node, FiguresDraft& out) {
  if (node.kind != Value::Kind::map || node.entries.empty())
    refuse_value(node, "groups of particles by name: {name: {points: ...}}");
  for (const ValueEntry& entry : node.entries) {
    check_name(entry, "group of particles");
    for (const LinkDraft& link : out.links)
      if (link.figure == entry.key)
        refuse(entry.key_at, fmt::format("found a group called '{}' as another is; expected another name", entry.key));
    GroupReader(entry, out).read();
  }
}

}  // namespace marey
