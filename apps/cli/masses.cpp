// Masses, centres of mass, principal moments and axes: of links in their own frames, of figures in the world as they are at the
// start, as if their joints were stiff.
#include "masses.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "counted.h"
#include "marey/dynamics/mass_properties.h"
#include "marey/dynamics/particles.h"

namespace marey::cli {
namespace {

// One line of the table: of a link, of a figure, of all.
struct Body {
  std::string name;
  MassProperties of;
  bool particle = false;
};
struct Masses {
  std::vector<Body> links, figures;
  Body all;
  double gravity = 0;  // m/s²
};

Masses masses_of(const Scene& scene) {
  const Model& model = scene.model;
  Kinematics<double> start(model);
  forward_kinematics<double>(model, model.params, scene.start.q, scene.start.v, start);
  Masses out;
  out.gravity = norm(model.params.gravity);
  for (const LinksOfFigure& f : figures_of(model)) {
    bool turns = false;
    for (const int i : f.links) {
      const auto k = static_cast<std::size_t>(i);
      out.links.push_back({model.names[k], mass_properties(model.params.links[k].I), is_particle(model, i)});
      turns = turns || !out.links.back().particle;
    }
    out.figures.push_back({f.name, mass_properties(model, start, f.links), !turns && f.links.size() == 1});
  }
  std::vector<int> everything(static_cast<std::size_t>(model.nlink() - 1));
  std::iota(everything.begin(), everything.end(), 1);
  out.all = {"all", mass_properties(model, start, everything), false};
  return out;
}

// What rounding has left of a zero is one.
Vec3<double> rounded(Vec3<double> a, double of) {
  for (double* x : {&a.x, &a.y, &a.z})
    if (std::abs(*x) < 1e-12 * of) *x = 0;
  return a;
}

Vec3<double> axis_of(const PrincipalAxes& p, int k) { return {p.R_BP(0, k), p.R_BP(1, k), p.R_BP(2, k)}; }

void print_body(const Body& b, std::size_t width, const std::string& weight) {
  const Vec3<double> c = rounded(b.of.center, 1);
  fmt::print("  {:<{}} {:>11.6g}{}  {:>10.5g} {:>10.5g} {:>10.5g}", b.name, width, b.of.mass, weight, c.x, c.y, c.z);
  if (b.particle) {
    fmt::print("{:>14}\n", "a particle");
    return;
  }
  const std::string indent(width + 14 + weight.size() + 34, ' ');
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> u = rounded(axis_of(b.of.principal, k), 1);
    fmt::print("{}{:>13.6g}  {:>8.5f} {:>8.5f} {:>8.5f}\n", k == 0 ? "" : indent, b.of.principal.moments[k], u.x, u.y,
               u.z);
  }
}

void print_head(const char* what, const char* weight, const char* frame, std::size_t width) {
  fmt::print("  {:<{}} {:>11}{}  {:<32}{:>13}  {}\n", what, width, "mass, kg", weight,
             fmt::format("centre of mass in {}, m", frame), "moment, kg m^2", fmt::format("about, in {}", frame));
}

}  // namespace

void print_masses(const Scene& scene) {
  constexpr std::size_t most_particles = 8;
  const Masses m = masses_of(scene);
  std::size_t width = 10;
  for (const Body& b : m.links) width = std::max(width, b.name.size());
  const auto particles = std::ranges::count_if(m.links, [](const Body& b) { return b.particle; });
  const bool listed = static_cast<std::size_t>(particles) <= most_particles;
  if (listed || static_cast<std::size_t>(particles) < m.links.size()) print_head("link", "", "B", width);
  for (const Body& b : m.links)
    if (listed || !b.particle) print_body(b, width, "");
  if (!listed) fmt::print("  ({} are counted with their groups)\n", counted(particles, "particle", "particles"));
  const auto weight = [&](const Body& b) { return fmt::format(" {:>11.6g}", m.gravity * b.of.mass); };
  fmt::print("\n");
  print_head("figure", "   weight, N", "W", width);
  for (const Body& b : m.figures) print_body(b, width, weight(b));
  if (m.figures.size() > 1) print_body(m.all, width, weight(m.all));
  fmt::print("  B: the link's own frame; W: the world, with everything as it is at the start\n");
}

Json masses_json(const Scene& scene) {
  const Masses m = masses_of(scene);
  const auto vector = [](const Vec3<double>& a) { return Json::array({a.x, a.y, a.z}); };
  const auto body = [&](const Body& b, const char* frame, bool weight) {
    Json axes = Json::array();
    for (int k = 0; k < 3; ++k) axes.push_back(vector(axis_of(b.of.principal, k)));
    Json json{{"name", b.name}, {"mass", b.of.mass}};
    if (weight) json["weight"] = m.gravity * b.of.mass;
    json["frame"] = frame;
    json["center"] = vector(b.of.center);
    json["moments"] = vector(b.of.principal.moments);
    json["axes"] = std::move(axes);
    return json;
  };
  Json links = Json::array(), figures = Json::array();
  for (const Body& b : m.links) links.push_back(body(b, "link", false));
  for (const Body& b : m.figures) figures.push_back(body(b, "world", true));
  return {{"links", std::move(links)}, {"figures", std::move(figures)}, {"all", body(m.all, "world", true)}};
}

}  // namespace marey::cli
