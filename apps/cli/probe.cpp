// marey probe: which shapes are near each other, how near, and where.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "counted.h"
#include "json.h"
#include "marey/io/disk.h"
#include "marey/io/motion.h"
#include "marey/render.h"
#include "marey/sim/overlaps.h"
#include "marey/simulation.h"
#include "scenes.h"
#include "views.h"

namespace marey::cli {

namespace {

struct ProbeArguments {
  std::string source, at, within = "1 cm";
  bool json = false;
};

// A scene at an instant.
struct Probed {
  Scene scene;
  double t = 0;
  std::vector<Transform<double>> X_WB;
};

Probed from_motion(const std::string& file, const std::string& at) {
  Motion motion = read_motion(file);
  Probed p{scene_of(motion), 0, {}};
  const double t = time_or(at, "--at", 0), first = motion.time().front(), last = motion.time().back();
  if (t < first - 1e-9 || t > last + 1e-9 * (1 + last))
    throw Error(
        ErrorKind::bad_input,
        fmt::format("--at: {:.6g} s lies outside the motion, which lasts from {:.6g} s to {:.6g} s", t, first, last));
  const std::size_t frame = motion.frame_near(t);
  const PictureScene poses = picture_scene(p.scene.model, motion);
  p.t = motion.time()[frame], p.X_WB = poses.X_WB[frame];
  return p;
}

Probed from_scene(const std::string& file, const std::string& at) {
  Probed p{load_scene(file), time_or(at, "--at", 0), {}};
  if (p.t < 0 || p.t > p.scene.duration * (1 + 1e-9))
    throw Error(
        ErrorKind::bad_input,
        fmt::format("--at: {:.6g} s lies outside the scene, which lasts from 0 to {:.6g} s", p.t, p.scene.duration));
  if (p.t == 0) {
    p.t = 0, p.X_WB = poses_at_start(p.scene);
    return p;
  }
  Simulation simulation(p.scene);
  simulation.run_until(p.t);
  for (int i = 0; i < p.scene.model.nlink(); ++i) p.X_WB.push_back(simulation.pose(i));
  return p;
}

// A pair that is near.
struct Found {
  CollisionWorld::Pair pair;
  ColliderDistance distance;
  std::vector<Manifold> manifolds;
};
std::vector<Found> look(CollisionWorld& world, double within) {
  std::vector<Found> all;
  const auto near = world.near(within);
  for (const CollisionWorld::Pair& pair : std::vector(near.begin(), near.end())) {
    Found found{pair, world.distance(pair), {}};
    if (found.distance.distance.distance > within) continue;
    // Points are for contact: of meshes far from touching there would be as many as they have triangles.
    const double touching = std::max(found.distance.distance.distance, 0.0) + 0.01 * world.size(pair);
    world.manifolds(pair, std::min(within, touching), found.manifolds);
    all.push_back(std::move(found));
  }
  std::ranges::stable_sort(all, {}, [](const Found& f) { return f.distance.distance.distance; });
  return all;
}

std::string vector_text(const Vec3<double>& v) {
  const auto shown = [](double x) { return std::abs(x) < 5e-13 ? 0.0 : x; };
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", shown(v.x), shown(v.y), shown(v.z));
}
const char* name_of_feature(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::vertex:
      return "vertex";
    case FeatureKind::edge:
      return "edge";
    case FeatureKind::face:
      return "face";
    case FeatureKind::round:
      return "round";
  }
  return "";
}
std::string feature_text(const Feature& f) { return fmt::format("{} {}", name_of_feature(f.kind), f.index); }

void print_words(const ProbeArguments& a, const Probed& p, const CollisionWorld& world, const std::vector<Found>& all) {
  fmt::print("{} at {:.6g} s: {} within {}{}\n", a.source, p.t, counted(all.size(), "pair", "pairs"), a.within,
             p.scene.collide ? "" : " (the scene lets nobody touch: all pairs that could)");
  for (const Found& f : all) {
    const Distance& d = f.distance.distance;
    const bool touch = std::abs(d.distance) <= world.slack(f.pair);
    fmt::print("  {} – {}: {}, normal {}{}\n", world.name(f.pair.a), world.name(f.pair.b),
               touch ? "touching"
                     : fmt::format("{} {:.6g} m", d.distance < 0 ? "overlap by" : "distance", std::abs(d.distance)),
               vector_text(d.normal_W), f.pair.sensor ? ", felt by a sensor" : "");
    for (const Manifold& m : f.manifolds) {
      if (f.manifolds.size() > 1) fmt::print("    patch with normal {}\n", vector_text(m.normal_W));
      for (int k = 0; k < m.count; ++k) {
        const ManifoldPoint& point = m.points[static_cast<std::size_t>(k)];
        fmt::print("    point {}, gap {:.6g} m, {} on {}\n", vector_text(point.point_W), point.gap,
                   feature_text(point.a), feature_text(point.b));
      }
    }
  }
}

Json vector_json(const Vec3<double>& v) { return Json::array({v.x, v.y, v.z}); }

void print_json(const ProbeArguments& a, const Probed& p, const CollisionWorld& world, const std::vector<Found>& all) {
  Json json{{"source", a.source}, {"t", p.t}, {"collide", p.scene.collide.has_value()}, {"pairs", Json::array()}};
  for (const Found& f : all) {
    const Distance& d = f.distance.distance;
    Json pair{{"a", world.name(f.pair.a)},
              {"b", world.name(f.pair.b)},
              {"distance", d.distance},
              {"slack", d.slack},
              {"normal", vector_json(d.normal_W)},
              {"point_a", vector_json(d.point_a_W)},
              {"point_b", vector_json(d.point_b_W)}};
    pair["sensor"] = f.pair.sensor;
    for (const Manifold& m : f.manifolds) {
      Json manifold{{"part_a", m.part_a}, {"part_b", m.part_b}, {"normal", vector_json(m.normal_W)}};
      for (int k = 0; k < m.count; ++k) {
        const ManifoldPoint& point = m.points[static_cast<std::size_t>(k)];
        manifold["points"].push_back({{"at", vector_json(point.point_W)},
                                      {"gap", point.gap},
                                      {"a", feature_text(point.a)},
                                      {"b", feature_text(point.b)}});
      }
      pair["manifolds"].push_back(std::move(manifold));
    }
    json["pairs"].push_back(std::move(pair));
  }
  fmt::print("{}\n", text_of(json, 2));
}

ExitCode probe(const ProbeArguments& a) {
  const double within = length_from(a.within, "--within");
  if (!(within >= 0)) throw Error(ErrorKind::bad_input, "--within: found a negative length; expected 0 or more");
  const bool motion = looks_like_hdf5(a.source) || a.source.ends_with(".h5");
  const Probed p = motion ? from_motion(find_motion(a.source), a.at) : from_scene(find_scene(a.source), a.at);
  CollisionWorld world = collision_world(p.scene);
  world.place(p.X_WB);
  const std::vector<Found> all = look(world, within);
  a.json ? print_json(a, p, world, all) : print_words(a, p, world, all);
  return ExitCode::done;
}

}  // namespace

void add_probe(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("probe", "Say which shapes are near each other, how near, and where");
  auto a = std::make_shared<ProbeArguments>();
  command->add_option("SCENE|RUN.h5", a->source, "A scene, or a motion")->required();
  command->add_option("--at", a->at, "When, e.g. '1 s'; of a motion the nearest frame; by default at the start")
      ->type_name("TIME");
  command->add_option("--within", a->within, "How near, e.g. '1 mm'")->type_name("LENGTH")->capture_default_str();
  command->add_flag("--json", a->json, "As one JSON object, in SI units");
  command->footer(R"(Examples:
  marey probe ring-toss
  marey probe out/ring-toss.h5 --at '0.6 s' --within '20 cm'

Distances are between surfaces; normals point from the first body to the second. Bodies that a joint joins, and links of
one figure unless the scene says otherwise (collide: {self: …}), are no pairs.)");
  command->callback([a, &job] { job = [a] { return probe(*a); }; });
}

}  // namespace marey::cli
