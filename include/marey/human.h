// People from measurement: what their segments weigh and how they are shaped, by sex, age, mass and height, and figures made of
// them.
// Layer: human
//
//   marey::Person person{.sex = marey::Sex::male, .mass = 75, .height = 1.8};
//   const marey::Body body = marey::measure(person);       // tables of segments; throws ImpossibleBody
//   const marey::HumanFigure figure = marey::human_figure(body, {});   // links, as a scene would write them
// In a scene, written or made in code, it is one line:
//   spec.set("figures/anna/human", Value::map({{"sex", "female"}, {"mass", "62 kg"}, {"height", "1.7 m"}}));
//
// Axes of all that is said here: x to the person's right, y forwards, z up, standing, with the palms at the thighs. So x is
// the axis of flexion, y of abduction, z of rotation, and the Euler angles of a joint are the clinical ones.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "marey/core.h"
#include "marey/spatial.h"
#include "marey/spec.h"

namespace marey {

enum class Sex { female, male };
enum class Population { german, chinese };
// Where the numbers are from; docs/theory/human.md says what each has and what it lacks.
//   shan_bohn  regressions on mass and height, of two populations         de_leva  shares of mass and height
//   jensen     shares of mass by age, of growing boys                     pavol    shares of mass of the elderly
//   ruder      the plane figure of three links, by its mass alone
enum class BodySource { shan_bohn, de_leva, jensen, pavol, ruder };

// Paired ones are those of one side.
enum class BodyPart { head, thorax, abdomen, pelvis, upper_arm, forearm, hand, thigh, shank, foot };
inline constexpr int segment_count = 10;
inline constexpr std::array<const char*, segment_count> segment_names{
    "head", "thorax", "abdomen", "pelvis", "upper_arm", "forearm", "hand", "thigh", "shank", "foot"};
inline constexpr std::array<const char*, 2> sex_names{"female", "male"}, population_names{"german", "chinese"};
inline constexpr std::array<const char*, 5> source_names{"shan_bohn", "de_leva", "jensen", "pavol", "ruder"};
constexpr bool is_paired(BodyPart s) { return s >= BodyPart::upper_arm; }
constexpr const char* name_of(BodyPart s) { return segment_names[static_cast<std::size_t>(s)]; }
constexpr const char* name_of(BodySource s) { return source_names[static_cast<std::size_t>(s)]; }

// What somebody has measured takes the place of what the tables say.
struct MeasuredSegment {
  std::optional<double> mass, length, center;  // kg, m, m from its upper end (of the foot: from the heel)
  std::optional<Vec3<double>> moments;         // kg m², about its centre of mass
};

struct Person {
  Sex sex = Sex::male;
  std::optional<Population> population = {};
  std::optional<double> age = {};         // years; none: an adult
  double mass = 0, height = 0;            // kg, m
  std::optional<BodySource> source = {};  // none: chosen by population and age
  std::map<BodyPart, MeasuredSegment> measured = {};
};
// Populations have Shan & Bohn's regressions, children Jensen's shares, from 60 years on Pavol's, all others de Leva's.
BodySource source_for(const Person&);

struct BodySegment {
  double mass = 0, length = 0;  // kg, m
  double center = 0;            // m from its upper end; of the foot from the heel
  Vec3<double> moments;         // kg m², about its centre of mass
};

struct Body {
  Person person;
  BodySource source = BodySource::de_leva;
  std::array<BodySegment, segment_count> segments;
  double table_sum = 0;  // kg, what the tables' own masses add up to
  double scaled_by = 1;  // masses that are not measured are the tables' times this, so that all add up to the person's
  double ankle_height = 0;  // m; from the sole
  double hip_depth = 0;     // m; how far the hips lie below the upper end of the pelvis
  double hip_half = 0, shoulder_half = 0, shoulder_depth = 0;  // m; from the middle, and below the thorax's upper end
  std::string provenance;                                      // one line that says what is from where
  std::vector<std::string> warnings;                           // where this goes beyond what the source is for
  std::vector<std::string> warned_keys;                        // [warnings] ImpossibleBody::key of each

  const BodySegment& operator[](BodyPart s) const { return segments[static_cast<std::size_t>(s)]; }
  BodySegment& operator[](BodyPart s) { return segments[static_cast<std::size_t>(s)]; }
  double total_mass() const;
};

// A person whom the source does not describe; `segment` is the one that cannot be, if it is a single one. `key` is what of the
// person is to blame, as a scene writes it: "height", "measured/foot/length"; empty where it is several together.
class ImpossibleBody : public Error {
 public:
  ImpossibleBody(const std::string& reason, std::optional<BodyPart> segment = {}, std::string key = {})
      : Error(ErrorKind::bad_input, reason), segment_(segment), key_(std::move(key)) {
    if (key_.empty() && segment_) key_ = std::string("measured/") + name_of(*segment_);
  }
  std::optional<BodyPart> segment() const { return segment_; }
  const std::string& key() const { return key_; }

 private:
  std::optional<BodyPart> segment_;
  std::string key_;
};

// Throws ImpossibleBody: somebody whom the source does not have at all, or a segment that no body can have.
Body measure(const Person&);

// For whom a source is meant; beyond it there is a warning.
struct SourceRange {
  double least_height = 0, greatest_height = 0;  // m
  double least_index = 0, greatest_index = 0;    // mass / height², kg/m²
  double least_age = 0, greatest_age = 0;        // years
  const char* from = "";                         // who says so
};
SourceRange range_of(BodySource, Sex, Population);

// ---- figures
enum class HumanForm { whole, hands_and_feet, three_links, five_links };
inline constexpr std::array<const char*, 4> human_form_names{"whole", "hands_and_feet", "three_links", "five_links"};
struct HumanOptions {
  HumanForm form = HumanForm::whole;  // whole: 12 links, 39 freedoms; hands_and_feet: 16 links, 51 freedoms
  bool limits = true;                 // torques at the ends of the joints' ranges, and friction
};
struct HumanLink {
  std::string name;
  std::vector<BodyPart> segments;  // that it is made of
  Value link;                      // as an entry of `links`
  std::vector<Value> limits;       // each a body of free_play without its joint
  Value wobble;                    // its soft part, as a link's `wobble`, if it is to have one
};
struct HumanFigure {
  std::vector<HumanLink> links;  // parents first; the root stands with the soles on z = 0
};
// Throws ImpossibleBody where the source does not have such a figure.
HumanFigure human_figure(const Body&, const HumanOptions&);

// The range of one angle of a joint, of the left side where there are two.
struct JointRange {
  const char* joint;  // the link's name without its side
  const char* angle;  // "x", "y", "z": Euler; "swing": of the long axis; "twist x", "twist y", "twist z"
  double from, to;    // degrees; of the left side
  double slope;       // N m/rad beyond it, of a person of 75 kg and 1.75 m
  const char* source;
};
std::vector<JointRange> joint_ranges();

}  // namespace marey
