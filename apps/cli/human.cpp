// marey human: what the tables say of a person.
#include "marey/human.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.h"
#include "human_views.h"
#include "json.h"
#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/scene.h"
#include "marey/spec/units.h"

namespace marey::cli {

namespace {

struct HumanArguments {
  std::string sex = "male", mass = "75 kg", height = "1.75 m", age, population, source, form = "whole", output;
  bool json = false, compare = false, ranges = false, joints = false, scene = false;
};

template <class E, std::size_t n>
E choose(const std::string& text, const char* option, const std::array<const char*, n>& words) {
  for (std::size_t i = 0; i < n; ++i)
    if (text == words[i]) return static_cast<E>(i);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: found {}; expected {}", option, found_text(text), fmt::join(words, ", ")));
}

double mass_from(const std::string& text) {
  const QuantityReading reading = read_quantity(text, kinds::mass);
  std::string problem = reading.problem;
  if (problem.empty()) problem = problem_of_size(reading.quantity.value, "'" + printable(text) + "'", kinds::mass);
  if (!problem.empty()) throw Error(ErrorKind::bad_input, "--mass: " + problem);
  return reading.quantity.value;
}

Person person_of(const HumanArguments& a) {
  Person p;
  p.sex = choose<Sex>(a.sex, "--sex", sex_names);
  p.mass = mass_from(a.mass), p.height = length_from(a.height, "--height");
  if (!a.age.empty()) p.age = number_from(a.age, "--age");
  if (!a.population.empty()) p.population = choose<Population>(a.population, "--population", population_names);
  if (!a.source.empty()) p.source = choose<BodySource>(a.source, "--source", source_names);
  return p;
}

Body body_of(const Person& p) {
  try {
    return measure(p);
  } catch (const ImpossibleBody& e) {
    throw Error(ErrorKind::bad_input, fmt::format("found {}", e.what()));
  }
}
HumanFigure figure_of(const Body& body, const HumanArguments& a) {
  HumanOptions options;
  options.form = choose<HumanForm>(a.form, "--form", human_form_names);
  try {
    return human_figure(body, options);
  } catch (const ImpossibleBody& e) {
    throw Error(ErrorKind::bad_input, fmt::format("found {}", e.what()));
  }
}

// ---- one person
void print_body(const Body& b) {
  fmt::print("{}\n", b.provenance);
  for (const std::string& w : b.warnings) fmt::print("warning: {}\n", w);
  if (b.source == BodySource::ruder) return;
  fmt::print("  {:<10} {:>9} {:>8} {:>10} {:>10}   {:>10} {:>10} {:>10}\n", "segment", "mass, kg", "share, %",
             "length, m", "centre, m", "lateral", "forward", "vertical");
  for (std::size_t i = 0; i < segment_count; ++i) {
    const BodySegment& s = b.segments[i];
    fmt::print("  {:<10} {:>9.4f} {:>8.3f} {:>10.4f} {:>10.4f}   {:>10.5f} {:>10.5f} {:>10.5f}\n", segment_names[i],
               s.mass, 100 * s.mass / b.person.mass, s.length, s.center, s.moments.x, s.moments.y, s.moments.z);
  }
  fmt::print("  {:<10} {:>9.4f}; the tables' own masses add up to {:.4f} kg ({:+.2f} %)\n", "all", b.total_mass(),
             b.table_sum, 100 * (b.table_sum / b.person.mass - 1));
  fmt::print(
      "  paired segments: one side; centre: from the upper end, of the foot from the heel; moments in kg m^2 about the "
      "centre\n"
      "  standing: ankles {:.3f} m, hips {:.3f} m above the soles\n",
      b.ankle_height, b.ankle_height + b[BodyPart::shank].length + b[BodyPart::thigh].length);
}

Json body_json(const Body& b) {
  Json segments = Json::array();
  if (b.source != BodySource::ruder)
    for (std::size_t i = 0; i < segment_count; ++i) {
      const BodySegment& s = b.segments[i];
      segments.push_back({{"name", segment_names[i]},
                          {"paired", is_paired(static_cast<BodyPart>(i))},
                          {"mass", s.mass},
                          {"length", s.length},
                          {"center", s.center},
                          {"moments", Json::array({s.moments.x, s.moments.y, s.moments.z})}});
    }
  return {{"source", name_of(b.source)}, {"provenance", b.provenance},     {"warnings", b.warnings},
          {"table_sum_kg", b.table_sum}, {"scaled_by", b.scaled_by},       {"ankle_height_m", b.ankle_height},
          {"hip_depth_m", b.hip_depth},  {"segments", std::move(segments)}};
}

void print_joints() {
  fmt::print("  {:<10} {:<8} {:>8} {:>8}   {:>14}  {}\n", "joint", "angle", "from,deg", "to, deg", "slope, N m/rad",
             "source");
  for (const JointRange& r : joint_ranges())
    fmt::print("  {:<10} {:<8} {:>8g} {:>8g}   {:>14g}  {}\n", r.joint, r.angle, r.from, r.to, r.slope, r.source);
  fmt::print("  of the left side; slopes of a person of 75 kg and 1.75 m, Marey's own\n");
}

// ---- several
void print_comparison(const Person& p) {
  const std::vector<SourceAnswer> answers = ask_all_sources(p);
  fmt::print("masses in kg of a {} of {:g} kg and {:g} m\n  {:<10}", p.sex == Sex::female ? "woman" : "man", p.mass,
             p.height, "");
  std::vector<const SourceAnswer*> sound;
  for (const SourceAnswer& a : answers)
    if (a.refusal.empty()) sound.push_back(&a), fmt::print(" {:>20}", a.called);
  fmt::print(" {:>9}\n", "spread, %");
  for (std::size_t i = 0; i < segment_count && !sound.empty(); ++i) {
    fmt::print("  {:<10}", segment_names[i]);
    double least = INFINITY, most = 0;
    for (const SourceAnswer* a : sound) {
      const double m = a->body.segments[i].mass;
      least = std::min(least, m), most = std::max(most, m);
      fmt::print(" {:>20.4f}", m);
    }
    fmt::print(" {:>9.1f}\n", 200 * (most - least) / (most + least));
  }
  for (const SourceAnswer& a : answers) {
    if (!a.refusal.empty()) fmt::print("  {}: no such person: {}\n", a.called, a.refusal);
    for (const std::string& w : a.body.warnings) fmt::print("  {}: {}\n", a.called, w);
  }
}

Json comparison_json(const Person& p) {
  Json rows = Json::array();
  for (const SourceAnswer& a : ask_all_sources(p)) {
    Json row = a.refusal.empty() ? body_json(a.body) : Json{{"source", name_of(a.source)}, {"refusal", a.refusal}};
    row["called"] = a.called;
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_ranges() {
  fmt::print("  {:<28} {:>11} {:>12} {:>8} {:>7} {:>13}  {}\n", "group", "height, m", "kg/m^2", "persons", "sound",
             "mass off by, %", "refused");
  for (const RangeResult& r : go_through_ranges()) {
    std::string refused;
    for (const auto& [what, n] : r.refused) refused += fmt::format("{}{} {}", refused.empty() ? "" : ", ", what, n);
    fmt::print("  {:<28} {:>11} {:>12} {:>8} {:>7} {:>13.3f}  {}\n", r.group,
               fmt::format("{:g}-{:g}", r.range.least_height, r.range.greatest_height),
               fmt::format("{:g}-{:g}", r.range.least_index, r.range.greatest_index), r.persons, r.sound,
               100 * r.worst_closure, refused);
  }
  fmt::print(
      "  every centimetre of height and half kg/m^2; ranges: the tables print none, these are Marey's\n"
      "  (heights usual in the group; mass over height squared normal or overweight by WHO)\n");
}

Json ranges_json() {
  Json rows = Json::array();
  for (const RangeResult& r : go_through_ranges()) {
    Json refused = Json::object();
    for (const auto& [what, n] : r.refused) refused[what] = n;
    rows.push_back({{"group", r.group},
                    {"height_m", Json::array({r.range.least_height, r.range.greatest_height})},
                    {"index_kg_m2", Json::array({r.range.least_index, r.range.greatest_index})},
                    {"persons", r.persons},
                    {"sound", r.sound},
                    {"mass_off_relative", r.worst_closure},
                    {"refused", std::move(refused)}});
  }
  return rows;
}

// The figure written out: what a scene's `human` stands for.
void print_figure(const Body& body, const HumanFigure& figure) {
  std::vector<std::pair<std::string, Value>> links;
  std::vector<Value> torques;
  for (const HumanLink& link : figure.links) {
    links.emplace_back(link.name, link.link);
    for (const Value& limit : link.limits) {
      Value one = limit;
      one.entries.insert(one.entries.begin(), {"joint", {}, std::make_shared<Value>("human." + link.name)});
      torques.push_back(Value::map({{"free_play", one}}));
    }
  }
  fmt::print("# {}\n", body.provenance);
  std::vector<std::pair<std::string, Value>> scene{
      {"marey", "1"},
      {"title", "A human, written out"},
      {"duration", "1 s"},
      {"figures", Value::map({{"human", Value::map({{"links", Value::map(links)}})}})}};
  if (!torques.empty()) scene.emplace_back("torques", Value::list(torques));
  fmt::print("{}", to_yaml(Value::map(scene)));
}

ExitCode show(const HumanArguments& a) {
  if (a.compare + a.ranges + a.joints + a.scene > 1)
    throw Error(ErrorKind::bad_input, "found several of --compare, --ranges, --joints and --scene; expected one");
  if (a.json && (a.joints || a.scene))
    throw Error(ErrorKind::bad_input, "found --json beside --joints or --scene; expected one of them");
  if (!a.output.empty() && (a.json || a.compare || a.ranges || a.joints || a.scene))
    throw Error(ErrorKind::bad_input,
                "found --output, which draws all sources, beside another view; expected one of them");
  if (a.ranges) {
    a.json ? fmt::print("{}\n", text_of(ranges_json(), 2)) : print_ranges();
    return ExitCode::done;
  }
  if (a.joints) {
    print_joints();
    return ExitCode::done;
  }
  const Person p = person_of(a);
  if (!a.output.empty()) {
    if (!a.output.ends_with(".svg") && !a.output.ends_with(".png"))
      throw Error(ErrorKind::bad_input,
                  fmt::format("--output: found {}; expected a name that ends with .svg or .png", found_text(a.output)));
    plot_masses(p, a.output);
    fmt::print("{}\n", a.output);
    return ExitCode::done;
  }
  if (a.compare) {
    a.json ? fmt::print("{}\n", text_of(comparison_json(p), 2)) : print_comparison(p);
    return ExitCode::done;
  }
  const Body body = body_of(p);
  if (a.scene)
    print_figure(body, figure_of(body, a));
  else if (a.json)
    fmt::print("{}\n", text_of(body_json(body), 2));
  else
    print_body(body);
  return ExitCode::done;
}

}  // namespace

void add_human(CLI::App& app, Job& job) {
  CLI::App* command =
      app.add_subcommand("human", "Show a person's segments by measured tables: masses, lengths, moments");
  auto a = std::make_shared<HumanArguments>();
  command->add_option("--sex", a->sex, "female or male")->capture_default_str()->type_name("SEX");
  command->add_option("--mass", a->mass, "Of the whole person")->capture_default_str()->type_name("MASS");
  command->add_option("--height", a->height, "Standing")->capture_default_str()->type_name("LENGTH");
  command->add_option("--age", a->age, "In years; by default an adult")->type_name("YEARS");
  command->add_option("--population", a->population, "german or chinese, of Shan & Bohn's tables")->type_name("NAME");
  command->add_option("--source", a->source, "shan_bohn, de_leva, jensen, pavol or ruder")->type_name("NAME");
  command->add_option("--form", a->form, "With --scene: whole, hands_and_feet, three_links or five_links")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_flag("--compare", a->compare, "The segments' masses by all sources");
  command->add_flag("--ranges", a->ranges, "All persons of all groups: whose masses close, whose segments can be");
  command->add_flag("--joints", a->joints, "How far the joints go, and who says so");
  command->add_flag("--scene", a->scene, "The figure as a scene, links and torques written out");
  command
      ->add_option("-o,--output", a->output, "Plot the segments' masses over the body's, of all sources (.svg or .png)")
      ->type_name("FILE");
  command->add_flag("--json", a->json, "As JSON");
  command->footer(R"(Examples:
  marey human --sex female --mass '62 kg' --height '1.7 m'
  marey human --mass '75 kg' --height '1.8 m' --population german --compare
  marey human --sex female --height '1.6 m' -o masses.svg

docs/guide/humans.md says how a scene has such a person, docs/theory/human.md whose tables these are.)");
  command->callback([a, &job] { job = [a] { return show(*a); }; });
}

}  // namespace marey::cli
