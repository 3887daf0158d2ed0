// The table of docs/guide/scenes.md of what goes with which driver of contacts: every row is a scene, run under both.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace contact_drivers_test {

// A scene with `contact: DRIVER` for the word. All of them but those of particles have a box near a floor.
std::string scene(const std::string& more, const std::string& solver = "", const std::string& link = "") {
  return "marey: 1\nduration: 0.05 s\nsolver: {step: 1 ms, contact: DRIVER" + solver +
         "}\nfigures: {f: {links: {b: {shape: {box: [20 cm, 20 cm, 10 cm]}, mass: 2 kg, " + link +
         "start: {position: [0, 0, 5.2 cm], velocity: [0.2, 0, 0]}}, arm: {parent: b, joint: {type: hinge, axis: y}, "
         "at: "
         "[0, 0, 5 cm], shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 20 cm]}}, mass: 300 "
         "g}}}}\n" +
         more;
}
const std::string floor_points = "contacts: [{link: f.b, at: corners, friction: 0.4}]\n";
const std::string shapes = "scenery: {floor: {plane: 0}}\ncollide: all\n";

// Where the row is about something else, beside points on a floor.
std::vector<std::string> beside(const std::string& more, const std::string& solver = "", const std::string& link = "") {
  return {scene(floor_points + more, solver, link)};
}

const std::map<std::string, std::vector<std::string>>& scenes() {
  static const std::map<std::string, std::vector<std::string>> all{
      {"points on rigid floors (`contacts`)", {scene(floor_points)}},
      {"`impact: smooth`, `rough`, `stick`",
       {scene("contacts: [{link: f.b, at: corners, impact: smooth}]\n"),
        scene("contacts: [{link: f.b, at: corners, impact: rough}]\n"),
        scene("contacts: [{link: f.b, at: corners, impact: stick}]\n")}},
      {"compliant ground, exponent 1",
       {scene("contacts: [{link: f.b, at: corners, compliant: {stiffness: 10 kN/m, damping: 10 N s/m}}]\n")}},
      {"compliant ground, other exponents",
       {scene("contacts: [{link: f.b, at: corners, compliant: {stiffness: 1e5, exponent: 1.5}}]\n")}},
      {"shapes that touch (`collide`)", {scene(shapes)}},
      {"materials that give way", {scene(shapes + "materials: {default: {stiffness: 20 kN/m, damping: 10 N s/m}}\n")}},
      {"sensors (`collide: {sensors: …}`)",
       {scene("scenery: {floor: {plane: 0}}\ncollide: {pairs: [[f, floor]], sensors: [floor]}\n")}},
      {"conditions of touching",
       beside("forces: [{spike: {link: f.b, force: [0, 0, 1 N], lasts: 0.01 s, when: {touching: f}}}]\n")},
      {"torque functions and limits of joints",
       beside("torques: [{free_play: {joint: f.arm, from: -10 deg, to: 10 deg, slope: 100 N m/rad}}]\n")},
      {"friction in joints", {[] {
         std::string text = scene(floor_points);
         return text.replace(text.find("mass: 300 g"), 11, "mass: 300 g, friction: 0.1 N m s/rad");
       }()}},
      {"stops and motors of joints (`stop`, `motor`)",
       beside(
           "torques: [{stop: {joint: f.arm, from: -10 deg, to: 10 deg}}, {motor: {joint: f.arm, angle: 2 deg, most: 1 "
           "N m}}]\n")},
      {"muscles and reflexes, with reaction times",
       beside(
           "torques: [{muscle: {joint: f.arm, towards: larger, stiffness: 2 N m/rad, most: 1 N m, control: 0.5, delay: "
           "10 ms}}, {reflex: {joint: f.arm, stiffness: 1 N m/rad, delay: 10 ms}}]\n")},
      {"ground for feet (`footing`)",
       beside(
           "forces: [{footing: {links: f.b, heel: [0, 0, -5.1 cm], pad: {stiffness: 5 kN/m, damping: 50 N s/m}, plank: "
           "{length: 1 m, mass: 2 kg, stiffness: 9 kN/m}}}]\n")},
      {"torques in joints", beside("torques: [{torque: {joint: f.arm, value: 0.2 N m}}]\n")},
      {"drives and scripts of joints", beside("drives: [{joint: f.arm, angle: '0.1*t^2'}]\n")},
      {"loops, rods and other constraints", beside("constraints: [{rod: {a: f.arm, b: world, at: [0, 0, 20 cm]}}]\n")},
      {"constraints made and broken on the way",
       beside("constraints: [{rod: {a: f.arm, b: world, at: [0, 0, 20 cm], from: 20 ms, until: 40 ms}}]\n")},
      {"springs, holds and supports",
       beside("forces: [{spring: {link: f.arm, to: [0, 0, 1 m], stiffness: 20 N/m}}, {hold: {links: f.*, stiffness: 10 "
              "N/m}}]\n",
              "", "support: {to: [0, 0, 6 cm], stiffness: 10 N/m}, ")},
      {"attraction, drag and fields",
       beside(
           "forces: [{attraction: {links: f.*, to: [0, 0, 5 m], strength: 1 m^3/s^2}}, {drag: {links: f.*, linear: 0.1 "
           "N s/m}}, {field: {links: f.*, force: ['-x', '0', '0']}}]\n")},
      {"spikes and pushes, by the clock or by conditions",
       beside(
           "forces: [{spike: {link: f.b, force: [0, 0, 1 N], lasts: 5 ms, every: 10 ms}}, {push: {link: f.arm, force: "
           "[1 N, 0, 0], until: 30 ms}}, {spike: {link: f.b, force: [1 N, 0, 0], lasts: 5 ms, when: {height_of: f.b, "
           "below: 5.1 cm}}}]\n")},
      {"moving frames (`frame`)", beside("frame: {acceleration: [0.5 m/s^2, 0, 0]}\n")},
      {"particles", beside("particles: {grain: {points: [{position: [1 m, 0, 1 m], mass: 1 kg}]}}\n")},
      {"masses that change (`mass_flow`)",
       beside("particles: {grain: {points: [{position: [1 m, 0, 1 m], mass: 1 kg}]}}\nforces: [{mass_flow: {links: "
              "grain.1, mass: '1 + t'}}]\n")},
      {"`weld`", beside("", ", weld: {below: 1 rad/s}")},
      {"`slow_band` above 1",
       {"marey: 1\nduration: 0.05 s\nsolver: {step: 1 ms, contact: DRIVER, dynamics: armstrong, integrator: "
        "semi_implicit, slow_band: 2}\nfigures: {f: {links: {b: {shape: {box: [20 cm, 20 cm, 10 cm]}, mass: 2 kg, "
        "start: "
        "{position: [0, 0, 5.2 cm]}}}}}\n" +
        floor_points}},
      {"`reuse`", beside("", ", dynamics: crba, reuse: 0.05")},
      {"`dynamics: multipliers`", beside("", ", dynamics: multipliers")},
  };
  return all;
}

struct Row {
  std::string what, cell[2];
};
std::vector<Row> rows_of_the_guide() {
  std::ifstream guide(MAREY_SOURCE_DIR "/docs/guide/scenes.md");
  std::vector<Row> rows;
  bool inside = false;
  const auto trimmed = [](std::string s) {
    const std::size_t first = s.find_first_not_of(' '), last = s.find_last_not_of(' ');
    return first == std::string::npos ? std::string() : s.substr(first, last - first + 1);
  };
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("| what acts |")) inside = true;
    if (inside && !line.starts_with("|")) break;
    if (!inside || line.starts_with("|---") || line.starts_with("| what acts |")) continue;
    std::istringstream cells(line.substr(1));
    Row row;
    std::getline(cells, row.what, '|'), std::getline(cells, row.cell[0], '|'), std::getline(cells, row.cell[1], '|');
    rows.push_back({trimmed(row.what), {trimmed(row.cell[0]), trimmed(row.cell[1])}});
  }
  return rows;
}

// "works", or what is said instead.
std::string outcome(std::string text, const std::string& driver) {
  text.replace(text.find("DRIVER"), 6, driver);
  try {
    Simulation s(parse_scene(text, "test.yaml"));
    s.run_until(0.05);
    for (const double x : s.state().q)
      if (!std::isfinite(x)) return "not finite";
    return "works";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(ContactDrivers, TheTableOfTheGuideIsTrue) {
  const std::vector<Row> rows = rows_of_the_guide();
  EXPECT_EQ(rows.size(), scenes().size());
  for (const Row& row : rows) {
    ASSERT_TRUE(scenes().contains(row.what)) << row.what;
    for (const std::string& text : scenes().at(row.what))
      for (const int driver : {0, 1}) {
        const std::string& cell = row.cell[driver];
        const std::string found = outcome(text, driver == 0 ? "events" : "stepping");
        if (cell == "works") {
          EXPECT_EQ(found, "works") << row.what << ", " << driver;
          continue;
        }
        ASSERT_TRUE(cell.starts_with("refused: ")) << cell;
        EXPECT_NE(found.find(cell.substr(9)), std::string::npos) << row.what << ", " << driver << ": " << found;
      }
  }
}

}  // namespace contact_drivers_test
}  // namespace marey
