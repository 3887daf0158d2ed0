// From a person to the masses, lengths, centres and moments of the segments (docs/theory/human.md).
//
//   Shan & Bohn    y = b0 + b1 m + b2 H for mass, length and moments; centres at de Leva's part of the length
//   the others     mass = share · m,   length = de Leva's · H/H₀,   centre = part · length,   I = mass (radius · length)²
//
// Then all masses and moments are multiplied by what makes their sum the person's, which is within 1 % of 1; what has been
// measured stays as it is, and the rest makes up for it. Standing has the person's height:
//   Shan & Bohn    sum of lengths + 0.039 H exceeds H: pelvis and thighs overlap by that much, the hips lie so much higher
//   the others     what is left below the shanks is the height of the ankles
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "human/tables.h"
#include "marey/human.h"

namespace marey {
namespace {

constexpr double ankle_part = 0.039;  // of the height, Drillis & Contini 1966
// Of the height, each side: about 36 % of the breadth between the front spines for the hips; own choice for the shoulders.
constexpr double hip_part = 0.05, shoulder_part = 0.115;
constexpr double least_ankle = 0.005, greatest_ankle = 0.09, least_hip = 0.3;
constexpr double adult = 18, elderly = 60;

double count_of(BodyPart s) { return is_paired(s) ? 2 : 1; }
BodyPart segment_at(int i) { return static_cast<BodyPart>(i); }

const char* noun_of(Sex sex, std::optional<double> age) {
  const bool child = age && *age < adult;
  return sex == Sex::female ? (child ? "girl" : "woman") : (child ? "boy" : "man");
}

// ---- what the tables say
void take_regressions(Body& body) {
  const Person& p = body.person;
  const RegressionGroup& group = shan_bohn(*p.population, p.sex);
  const double cm = 100 * p.height;
  constexpr double per_kg_cm2 = 1e-4;
  for (int i = 0; i < segment_count; ++i) {
    const RegressionRow& row = group[static_cast<std::size_t>(i)];
    const auto at = [&](const Regression& r) { return r.at(p.mass, cm); };
    BodySegment& s = body.segments[static_cast<std::size_t>(i)];
    s.mass = at(row.mass), s.length = 0.01 * at(row.length);
    s.moments = per_kg_cm2 * Vec3<double>{at(row.lateral), at(row.forward), at(row.vertical)};
  }
}

MassShares shares_of(const Body& body) {
  const Sex sex = body.person.sex;
  if (body.source == BodySource::jensen) return jensen(*body.person.age, sex);
  if (body.source == BodySource::pavol) return pavol(sex);
  MassShares own;
  for (std::size_t i = 0; i < segment_count; ++i) own[i] = de_leva(sex).rows[i].mass;
  return own;
}

// De Leva's axes are those of the anatomical position: palms forwards, the foot's long axis forwards.
Vec3<double> radii_of(BodyPart s, const ShareRow& row) {
  if (s == BodyPart::hand) return {row.sagittal, row.transverse, row.along};
  if (s == BodyPart::foot) return {row.transverse, row.along, row.sagittal};
  return {row.transverse, row.sagittal, row.along};
}

void take_shares(Body& body) {
  const Person& p = body.person;
  const ShareTable& table = de_leva(p.sex);
  const MassShares shares = shares_of(body);
  for (int i = 0; i < segment_count; ++i) {
    const ShareRow& row = table.rows[static_cast<std::size_t>(i)];
    BodySegment& s = body.segments[static_cast<std::size_t>(i)];
    s.mass = shares[static_cast<std::size_t>(i)] / 100 * p.mass;
    s.length = row.length / table.height * p.height;
    const Vec3<double> r = (s.length / 100) * radii_of(segment_at(i), row);
    s.moments = s.mass * Vec3<double>{r.x * r.x, r.y * r.y, r.z * r.z};
  }
}

void add_warning(Body& body, std::string text, std::string key) {
  body.warnings.push_back(std::move(text));
  body.warned_keys.push_back(std::move(key));
}

// ---- what was measured
// How far a measured number may be from what the tables have for the same mass and height, those of the source and de Leva's: beyond
// the first two there is a warning, beyond the others no human segment is so. Marey's own bounds.
struct Plausible {
  const char *key, *what, *unit;
  double unusual, common, least, most;  // common from `unusual` to `common` times the tables'
};
constexpr Plausible plausible_mass{"mass", "mass", "kg", 0.5, 2, 0.1, 4},
    plausible_length{"length", "length", "m", 0.75, 1.33, 0.5, 2},
    plausible_radius{"inertia", "radius of gyration", "m", 0.5, 2, 0.2, 4};

// `a`, `b`: the tables'. Moments that no body has are refused elsewhere.
void check_measured(Body& body, BodyPart which, const Plausible& range, double x, double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  const std::string key = fmt::format("measured/{}/{}", name_of(which), range.key);
  const auto text = [&](const char* joined, double least, double most, const char* after) {
    return fmt::format("a {} with a {} of {:.3g} {}{} {:.3g} to {:.3g} {}{} in a person of {:.4g} kg and {:.4g} m",
                       name_of(which), range.what, x, range.unit, joined, least * low, most * high, range.unit, after,
                       body.person.mass, body.person.height);
  };
  if (x < range.least * low || x > range.most * high)
    throw ImpossibleBody(text("; expected", range.least, range.most, ""), which, key);
  if (x < range.unusual * low || x > range.common * high)
    add_warning(body, text(" is unusual:", range.unusual, range.common, " would be common"), key);
}

// `tables`: what the source has of this person.
void check_measured(Body& body, const Body& tables) {
  const Person& p = body.person;
  const ShareTable& mean = de_leva(p.sex);
  for (const auto& [which, given] : p.measured) {
    const ShareRow& row = mean.rows[static_cast<std::size_t>(which)];
    const BodySegment& own = tables[which];
    if (given.mass) check_measured(body, which, plausible_mass, *given.mass, row.mass / 100 * p.mass, own.mass);
    if (given.length)
      check_measured(body, which, plausible_length, *given.length, row.length / mean.height * p.height, own.length);
    if (!given.moments) continue;
    const Vec3<double> radii = (body[which].length / 100) * radii_of(which, row);
    for (int k = 0; k < 3; ++k)
      if (const double moment = (*given.moments)[k]; moment > 0)
        check_measured(body, which, plausible_radius, std::sqrt(moment / body[which].mass), radii[k],
                       own.moments[k] > 0 ? std::sqrt(own.moments[k] / own.mass) : radii[k]);
  }
}

void take_measured(Body& body) {
  for (const auto& [which, given] : body.person.measured) {
    BodySegment& s = body[which];
    const double mass = given.mass.value_or(s.mass), length = given.length.value_or(s.length);
    const double grown = (mass / s.mass) * (length / s.length) * (length / s.length);
    s.mass = mass, s.length = length, s.moments = given.moments.value_or(grown * s.moments);
  }
}

bool is_measured(const Person& p, BodyPart s) {
  const auto found = p.measured.find(s);
  return found != p.measured.end() && found->second.mass;
}

void close_mass(Body& body) {
  double fixed = 0, rest = 0;
  for (int i = 0; i < segment_count; ++i)
    (is_measured(body.person, segment_at(i)) ? fixed : rest) += count_of(segment_at(i)) * body[segment_at(i)].mass;
  if (rest == 0) {  // all are measured: they are the person
    if (std::abs(fixed / body.person.mass - 1) > 0.01)
      throw ImpossibleBody(
          fmt::format("measured masses of {:.4g} kg together in a person of {:.4g} kg", fixed, body.person.mass), {},
          "measured");
    return;
  }
  body.scaled_by = (body.person.mass - fixed) / rest;
  if (!(body.scaled_by > 0.5) || !(body.scaled_by < 2))
    throw ImpossibleBody(fmt::format("{:.4g} kg of segments in a person of {:.4g} kg, of which {:.4g} kg are measured",
                                     fixed + rest, body.person.mass, fixed),
                         {}, fixed > 0 ? "measured" : "mass");
  for (int i = 0; i < segment_count; ++i) {
    const BodyPart which = segment_at(i);
    if (is_measured(body.person, which)) continue;
    BodySegment& s = body[which];
    s.mass *= body.scaled_by;
    const auto given = body.person.measured.find(which);
    if (given == body.person.measured.end() || !given->second.moments) s.moments = body.scaled_by * s.moments;
  }
}

void put_centers(Body& body) {
  const ShareTable& table = de_leva(body.person.sex);
  for (int i = 0; i < segment_count; ++i) {
    const BodyPart which = segment_at(i);
    BodySegment& s = body[which];
    const double length = which == BodyPart::pelvis ? body.hip_depth : s.length;
    s.center = table.rows[static_cast<std::size_t>(i)].center / 100 * length;
    const auto given = body.person.measured.find(which);
    if (given == body.person.measured.end() || !given->second.center) continue;
    s.center = *given->second.center;
    if (!(s.center > 0) || !(s.center < s.length))
      throw ImpossibleBody(
          fmt::format("a centre of mass {:.4g} m from the end of a {} of {:.4g} m", s.center, name_of(which), s.length),
          which, fmt::format("measured/{}/center", name_of(which)));
  }
}

// ---- how it stands
void stand(Body& body) {
  const double H = body.person.height;
  double upright = 0;
  for (const BodyPart s :
       {BodyPart::head, BodyPart::thorax, BodyPart::abdomen, BodyPart::pelvis, BodyPart::thigh, BodyPart::shank})
    upright += body[s].length;
  const BodySegment& pelvis = body[BodyPart::pelvis];
  const bool overlaps = body.source == BodySource::shan_bohn;
  body.ankle_height = overlaps ? ankle_part * H : H - upright;
  body.hip_depth = overlaps ? pelvis.length - (upright + body.ankle_height - H) : pelvis.length;
  const bool ankle_is_right = body.ankle_height > least_ankle * H && body.ankle_height < greatest_ankle * H;
  const bool hips_are_right = body.hip_depth > least_hip * pelvis.length && body.hip_depth <= pelvis.length;
  if (!ankle_is_right || !hips_are_right)
    throw ImpossibleBody(fmt::format("lengths of {:.4g} m from head to ankles in a person of {:.4g} m", upright, H), {},
                         body.person.measured.empty() ? "height" : "measured");
  const ShareTable& table = de_leva(body.person.sex);
  body.hip_half = hip_part * H, body.shoulder_half = shoulder_part * H;
  body.shoulder_depth = std::min(table.shoulder_depth / table.height * H, 0.8 * body[BodyPart::thorax].length);
}

// ---- who can be
void check_person(const Body& body) {
  const Person& p = body.person;
  const auto refuse_unless = [](bool good, const char* key, const std::string& what) {
    if (!good) throw ImpossibleBody(what, {}, key);
  };
  refuse_unless(p.mass >= 5 && p.mass <= 300, "mass",
                fmt::format("a person of {:.4g} kg; expected 5 to 300 kg", p.mass));
  if (body.source == BodySource::ruder) return;
  refuse_unless(p.height >= 0.5 && p.height <= 2.5, "height",
                fmt::format("a person of {:.4g} m; expected 0.5 to 2.5 m", p.height));
  refuse_unless(!p.age || (*p.age >= 0 && *p.age <= 120), "age",
                fmt::format("an age of {:.4g} years; expected 0 to 120", p.age.value_or(0)));
  const BodySource s = body.source;
  if (s == BodySource::shan_bohn)
    refuse_unless(p.population.has_value(), "source",
                  "source: shan_bohn without a population; expected german or chinese");
  else
    refuse_unless(!p.population.has_value(), "population",
                  fmt::format("a population with source: {}, which knows none; expected shan_bohn", name_of(s)));
  if (s == BodySource::jensen) {
    refuse_unless(p.age.has_value(), "source", "source: jensen without an age; expected 6 to 18 years");
    refuse_unless(*p.age >= 6 && *p.age <= adult, "age",
                  fmt::format("an age of {:.4g} years with source: jensen, whose children are 6 to 18", *p.age));
  }
}

void check_segments(const Body& body) {
  for (int i = 0; i < segment_count; ++i) {
    const BodyPart which = segment_at(i);
    const BodySegment& s = body[which];
    const Vec3<double>& I = s.moments;
    const char* way_out = "expected another source, or measured values of this segment";
    if (!(s.mass > 0) || !(s.length > 0))
      throw ImpossibleBody(fmt::format("a {} of {:.4g} kg and {:.4g} m, by {}; {}", name_of(which), s.mass, s.length,
                                       name_of(body.source), way_out),
                           which);
    const double largest = std::max({I.x, I.y, I.z});
    const bool positive = I.x > 0 && I.y > 0 && I.z > 0;
    if (!positive || !(2 * largest <= (I.x + I.y + I.z) * (1 + 1e-12)))
      throw ImpossibleBody(
          fmt::format(
              "a {} with moments of inertia of {:.4g}, {:.4g}, {:.4g} kg m^2, by {}, of which {}: no body has them; {}",
              name_of(which), I.x, I.y, I.z, name_of(body.source),
              positive ? "one exceeds the sum of the others" : "one is not positive", way_out),
          which);
  }
}

void warn(Body& body) {
  const Person& p = body.person;
  const SourceRange range = range_of(body.source, p.sex, p.population.value_or(Population::german));
  const auto outside = [&](double x, double least, double greatest, const std::string& what, const char* key) {
    constexpr double rounding = 1e-9;
    if (x < least * (1 - rounding) || x > greatest * (1 + rounding))
      add_warning(body,
                  fmt::format("{} of {:.4g} is beyond the {:.4g} to {:.4g} for which {} is meant ({})", what, x, least,
                              greatest, name_of(body.source), range.from),
                  key);
  };
  outside(p.height, range.least_height, range.greatest_height, "a height in m", "height");
  outside(p.mass / (p.height * p.height), range.least_index, range.greatest_index, "mass over height squared, kg/m^2,",
          "mass");
  if (p.age) outside(*p.age, range.least_age, range.greatest_age, "an age in years", "age");
  if (p.measured.empty() && std::abs(body.scaled_by - 1) > 0.01)
    add_warning(body,
                fmt::format("masses by {} add up to {:.4g} kg, not to {:.4g} kg within 1 %", name_of(body.source),
                            body.table_sum, p.mass),
                "mass");
  if (body.source == BodySource::jensen) {
    if (p.sex == Sex::female)
      add_warning(body, "jensen measured boys: a girl's masses are those of a boy of her age", "sex");
    add_warning(body, "lengths of a child are an adult's, in proportion to the height: no table here has a child's",
                "age");
  }
}

std::string provenance_of(const Body& body) {
  const Person& p = body.person;
  std::string who = fmt::format("{} of {:g} kg and {:g} m", noun_of(p.sex, p.age), p.mass, p.height);
  if (p.age) who += fmt::format(", {:g} years", *p.age);
  std::string what;
  switch (body.source) {
    case BodySource::shan_bohn:
      what = fmt::format("masses, lengths and moments by Shan & Bohn 2003 ({}), centres by de Leva 1996",
                         population_names[static_cast<std::size_t>(*p.population)]);
      break;
    case BodySource::de_leva:
      what = "all by de Leva 1996";
      break;
    case BodySource::jensen:
      what = "masses by Jensen 1986, 1989 (boys), the rest by de Leva 1996";
      break;
    case BodySource::pavol:
      what = "masses by Pavol 2002 (elderly), the rest by de Leva 1996";
      break;
    case BodySource::ruder:
      break;
  }
  std::string own;
  for (const auto& [which, given] : p.measured) own += (own.empty() ? "" : ", ") + std::string(name_of(which));
  if (!own.empty()) own = "; measured: " + own;
  return fmt::format("{}: {}{}; masses times {:.5f}", who, what, own, body.scaled_by);
}

}  // namespace

double Body::total_mass() const {
  double sum = 0;
  for (int i = 0; i < segment_count; ++i) sum += count_of(segment_at(i)) * (*this)[segment_at(i)].mass;
  return sum;
}

BodySource source_for(const Person& p) {
  if (p.source) return *p.source;
  if (p.population) return BodySource::shan_bohn;
  if (p.age && *p.age < adult) return BodySource::jensen;
  return p.age && *p.age >= elderly ? BodySource::pavol : BodySource::de_leva;
}

SourceRange range_of(BodySource source, Sex sex, Population population) {
  const bool man = sex == Sex::male;
  switch (source) {
    case BodySource::shan_bohn: {
      const char* from =
          "the table prints no range: heights by Marey, mass over height squared normal or overweight by WHO";
      if (population == Population::german) return {man ? 1.6 : 1.5, man ? 2.0 : 1.85, 18.5, 30, adult, elderly, from};
      return {man ? 1.55 : 1.45, man ? 1.9 : 1.78, 18.5, 30, adult, elderly, from};
    }
    case BodySource::jensen:
      return {1.0, 1.95, 12, 30, 6, adult, "ages of the table; the rest by Marey"};
    case BodySource::pavol:
      return {1.4, 1.95, 18.5, 35, elderly, 100, "the table says elderly, and no more; by Marey"};
    default:
      return {
          1.5, 2.0, 18.5, 30, adult, elderly, "shares of one mean young adult; by Marey, normal or overweight by WHO"};
  }
}

Body measure(const Person& person) {
  Body body;
  body.person = person;
  body.source = source_for(person);
  check_person(body);
  if (body.source == BodySource::ruder) {  // nothing but the plane figure
    body.table_sum = person.mass;
    body.provenance = fmt::format("{:g} kg: the figure of three links of Ruder et al. 1991, 4.3.1", person.mass);
    return body;
  }
  body.source == BodySource::shan_bohn ? take_regressions(body) : take_shares(body);
  body.table_sum = body.total_mass();
  const Body tables = body;
  take_measured(body);
  check_measured(body, tables);
  check_segments(body);
  close_mass(body);
  stand(body);
  put_centers(body);
  warn(body);
  body.provenance = provenance_of(body);
  return body;
}

}  // namespace marey
