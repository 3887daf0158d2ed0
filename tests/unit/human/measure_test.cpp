// What the tables say of a person, against the same tables worked out elsewhere, sums that must be 1, and laws of scaling.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "marey/human.h"

namespace marey::measure_test {
namespace {

using Vec = Vec3<double>;

constexpr std::array<BodyPart, segment_count> all_parts{
    BodyPart::head,    BodyPart::thorax, BodyPart::abdomen, BodyPart::pelvis, BodyPart::upper_arm,
    BodyPart::forearm, BodyPart::hand,   BodyPart::thigh,   BodyPart::shank,  BodyPart::foot};

Person man(double mass, double height) { return {.sex = Sex::male, .mass = mass, .height = height}; }
Person woman(double mass, double height) { return {.sex = Sex::female, .mass = mass, .height = height}; }
Person of(Person p, Population population) {
  p.population = population;
  return p;
}
Person aged(Person p, double years) {
  p.age = years;
  return p;
}

double weight_of(BodyPart s) { return is_paired(s) ? 2 : 1; }
double sum_of_masses(const Body& b) {
  return std::accumulate(all_parts.begin(), all_parts.end(), 0.0,
                         [&](double sum, BodyPart s) { return sum + weight_of(s) * b[s].mass; });
}
bool can_be(const Vec& I) {
  return std::min({I.x, I.y, I.z}) > 0 && 2 * std::max({I.x, I.y, I.z}) <= (I.x + I.y + I.z) * (1 + 1e-12);
}
std::string refusal_of(const Person& p) {
  try {
    measure(p);
  } catch (const ImpossibleBody& e) {
    return e.what();
  }
  return {};
}

// ---- Shan & Bohn: mass in kg, length in cm, moments in kg cm² about the lateral, forward and vertical axis, worked out
// from the printed coefficients for 65 kg and 170 cm by other means than this program; [population][sex][segment].
constexpr double at_65_and_170[4][segment_count][5] = {
    {
        // german female
        {4.8575, 25.0195, 328.5, 274.6, 162.06},
        {13.12, 29.645, 1079, 1736.5, 1317.5},
        {7.8795, 14.2165, 280.6, 529.5, 531.17},
        {7.401, 21.499, 451.7, 672.7, 676.96},
        {1.458, 26.1615, 85.95, 84.21, 13.81},
        {0.8155, 25.241, 38.25, 40.13, 4.3685},
        {0.3295, 19.1205, 4.444, 3.6985, 1.361},
        {9.405, 42.6075, 1490.5, 1520, 304.72},
        {3.0755, 41.133, 318.3, 361.95, 70.44},
        {0.7905, 24.1505, 17.985, 3.127, 17.86},
    },
    {
        // german male
        {4.508, 23.2775, 268.1, 210.05, 148.55},
        {11.461, 23.666, 648.5, 1357.5, 1276.7},
        {8.739, 16.589, 424.15, 838.5, 857},
        {8.789, 24.1875, 571, 802.5, 751},
        {1.609, 24.71, 82.75, 79.6, 19.685},
        {1.0025, 25.6865, 48.9745, 53.4655, 6.122},
        {0.438, 18.804, 5.8365, 4.714, 2.283},
        {8.607, 43.8705, 1345.3, 1351, 250.8},
        {3.015, 39.987, 292.55, 332.3, 65.64},
        {0.909, 24.875, 22.05, 3.445, 22.315},
    },
    {
        // chinese female
        {5.4665, 24.15, 350.28, 306.7, 200.97},
        {15.442, 32.734, 1587, 2127, 1516.76},
        {8.248, 14.03, 309.2, 555.5, 605.5},
        {7.313, 22.925, 442.09, 620.8, 677.9},
        {1.4155, 24.59, 73.9, 70.645, 13.525},
        {0.8325, 23.5095, 34.51, 36.095, 4.746},
        {0.286, 18.273, 4.05, 3.308, 1.47},
        {7.41, 42.237, 1222.2, 1193.8, 214.9},
        {3.604, 38.782, 354.315, 426.45, 98.865},
        {0.7165, 23.497, 15.268, 3.001, 15.683},
    },
    {
        // chinese male
        {6.1045, 24.2445, 420.655, 404.55, 244.8},
        {12.545, 27.9845, 936.2, 1527.9, 1258.7},
        {8.285, 17.1135, 440.45, 738.4, 748.5},
        {7.275, 22.305, 475, 643, 647.5},
        {1.6305, 25.04, 93.75, 90.28, 18.765},
        {1.0015, 25.1215, 47.135, 48.555, 6.484},
        {0.398, 18.926, 5.539, 4.467, 2.0335},
        {8.02, 41.5455, 1253.8, 1247.3, 229.8},
        {3.339, 39.9145, 339.125, 389.2755, 85.21},
        {0.911, 24.759, 21.3, 4.09, 21.64},
    },
};

TEST(Measure, ShanAndBohnIsAsPrinted) {
  for (int group = 0; group < 4; ++group) {
    const Person p =
        of({.sex = static_cast<Sex>(group % 2), .mass = 65, .height = 1.7}, static_cast<Population>(group / 2));
    const Body b = measure(p);
    for (const BodyPart s : all_parts) {
      const double* row = at_65_and_170[group][static_cast<int>(s)];
      SCOPED_TRACE(testing::Message() << group << ' ' << name_of(s));
      const double f = b.scaled_by;
      EXPECT_NEAR(b[s].mass, f * row[0], 1e-9);
      EXPECT_NEAR(100 * b[s].length, row[1], 1e-9);
      EXPECT_NEAR(1e4 * b[s].moments.x, f * row[2], 1e-7);
      EXPECT_NEAR(1e4 * b[s].moments.y, f * row[3], 1e-7);
      EXPECT_NEAR(1e4 * b[s].moments.z, f * row[4], 1e-7);
    }
  }
}

// A man who is the mean subject has the printed numbers themselves.
TEST(Measure, DeLevasMeanSubjects) {
  const Body m = measure(man(73.0, 1.741)), w = measure(woman(61.9, 1.735));
  EXPECT_NEAR(m[BodyPart::thigh].length, 0.4222, 1e-12);
  EXPECT_NEAR(m[BodyPart::thigh].center, 0.4095 * 0.4222, 1e-12);
  EXPECT_NEAR(m[BodyPart::thigh].mass, 0.1416 * 73, 1e-12);
  EXPECT_NEAR(w[BodyPart::shank].length, 0.4386, 1e-12);
  EXPECT_NEAR(w[BodyPart::shank].mass / w[BodyPart::foot].mass, 4.81 / 1.29, 1e-12);
  // sagittal 26.7, transverse 26.3, longitudinal 9.2 %: about the forward, the lateral and the vertical axis
  const auto radius = [](const BodySegment& s, double I) { return std::sqrt(I / s.mass) / s.length; };
  EXPECT_NEAR(radius(w[BodyPart::shank], w[BodyPart::shank].moments.y), 0.267, 1e-12);
  EXPECT_NEAR(radius(w[BodyPart::shank], w[BodyPart::shank].moments.x), 0.263, 1e-12);
  EXPECT_NEAR(radius(w[BodyPart::shank], w[BodyPart::shank].moments.z), 0.092, 1e-12);
  // The long axis of a foot points forwards; a hand hangs with its palm at the thigh, so that its breadth lies forwards.
  EXPECT_NEAR(radius(m[BodyPart::foot], m[BodyPart::foot].moments.y), 0.124, 1e-12);
  EXPECT_NEAR(radius(m[BodyPart::foot], m[BodyPart::foot].moments.x), 0.245, 1e-12);
  EXPECT_NEAR(radius(m[BodyPart::hand], m[BodyPart::hand].moments.x), 0.288, 1e-12);
  EXPECT_NEAR(radius(m[BodyPart::hand], m[BodyPart::hand].moments.y), 0.235, 1e-12);
}

TEST(Measure, MassesByAge) {
  const Body twelve = measure(aged(man(40, 1.5), 12));
  EXPECT_EQ(twelve.source, BodySource::jensen);
  EXPECT_NEAR(twelve[BodyPart::thigh].mass / twelve[BodyPart::shank].mass, 11.0 / 5.3, 1e-12);
  const auto share = [](const Body& b, BodyPart s) { return b[s].mass / b.scaled_by / b.person.mass; };
  EXPECT_NEAR(share(twelve, BodyPart::head), 0.101, 1e-12);
  const Body between = measure(aged(man(25, 1.28), 8));  // a third of the way from 6 to 12
  EXPECT_NEAR(share(between, BodyPart::head), (2 * 0.182 + 0.101) / 3, 1e-12);
  EXPECT_NEAR(share(measure(aged(man(25, 1.28), 6)), BodyPart::head), 0.182, 1e-12);
  EXPECT_NEAR(share(measure(aged(man(65, 1.75), 17)), BodyPart::forearm), (0.017 + 2 * 0.019) / 3, 1e-12);
  const Body old = measure(aged(woman(65, 1.6), 75));
  EXPECT_EQ(old.source, BodySource::pavol);
  EXPECT_NEAR(share(old, BodyPart::pelvis), 0.1871, 1e-12);
  EXPECT_NEAR(share(old, BodyPart::thorax) + share(old, BodyPart::abdomen), 0.2915, 1e-12);
}

// ---- sums: over the ranges the parts of a body are the body, to 1 % by the tables and exactly in the figure; and each part can
// be, or is refused by its name.
TEST(Measure, MassClosesAndInertiasCanBe) {
  struct Group {
    Sex sex;
    std::optional<Population> population;
    std::set<BodyPart> refused;  // found: of German women below 1.63 m, of Chinese women below 1.49 m
  };
  const std::array<Group, 6> groups{{{Sex::female, Population::german, {BodyPart::thigh}},
                                     {Sex::male, Population::german, {}},
                                     {Sex::female, Population::chinese, {BodyPart::shank}},
                                     {Sex::male, Population::chinese, {}},
                                     {Sex::female, {}, {}},
                                     {Sex::male, {}, {}}}};
  for (const Group& g : groups) {
    const SourceRange range = range_of(g.population ? BodySource::shan_bohn : BodySource::de_leva, g.sex,
                                       g.population.value_or(Population::german));
    std::set<BodyPart> refused;
    for (double height = range.least_height; height <= range.greatest_height + 1e-9; height += 0.01)
      for (double index = range.least_index; index <= range.greatest_index + 1e-9; index += 0.5) {
        const Person p{.sex = g.sex, .population = g.population, .mass = index * height * height, .height = height};
        try {
          const Body b = measure(p);
          EXPECT_NEAR(sum_of_masses(b), p.mass, 1e-12 * p.mass);
          EXPECT_NEAR(b.table_sum, p.mass, 0.01 * p.mass);
          EXPECT_TRUE(b.warnings.empty()) << b.warnings.front();
          for (const BodyPart s : all_parts) EXPECT_TRUE(can_be(b[s].moments)) << name_of(s) << height << ' ' << index;
        } catch (const ImpossibleBody& e) {
          ASSERT_TRUE(e.segment()) << e.what();
          refused.insert(*e.segment());
        }
      }
    EXPECT_EQ(refused, g.refused);
  }
}

TEST(Measure, AThighThatNoBodyHasIsRefusedByName) {
  const std::string why = refusal_of(of(woman(45, 1.55), Population::german));
  EXPECT_NE(why.find("a thigh with moments of inertia of 0.0293, 0.01905, 0.000723 kg m^2, by shan_bohn, of which one "
                     "exceeds the sum of the others"),
            std::string::npos)
      << why;
  EXPECT_EQ(refusal_of(of(woman(60, 1.65), Population::german)), "");
  // Whoever has measured it may have it.
  Person p = of(woman(45, 1.55), Population::german);
  p.measured[BodyPart::thigh].moments = Vec{0.08, 0.08, 0.012};
  EXPECT_EQ(refusal_of(p), "");
  EXPECT_EQ(measure(p)[BodyPart::thigh].moments.z, 0.012);
}

// ---- laws of scaling
TEST(Measure, SharesScaleWithTheBody) {
  const Body one = measure(man(30, 1.0)), two = measure(man(240, 2.0));
  for (const BodyPart s : all_parts) {
    EXPECT_NEAR(two[s].mass, 8 * one[s].mass, 1e-12 * two[s].mass);
    EXPECT_NEAR(two[s].length, 2 * one[s].length, 1e-12);
    EXPECT_NEAR(two[s].center, 2 * one[s].center, 1e-12);
    EXPECT_NEAR(norm(two[s].moments - 32.0 * one[s].moments), 0, 1e-12);
  }
}

TEST(Measure, RegressionsAreLinear) {
  const auto body = [](double mass, double height) { return measure(of(man(mass, height), Population::chinese)); };
  const Body a = body(60, 1.65), b = body(80, 1.75), mean = body(70, 1.7);
  for (const BodyPart s : all_parts) {
    EXPECT_NEAR(a[s].length + b[s].length, 2 * mean[s].length, 1e-12);
    EXPECT_NEAR(a[s].mass / a.scaled_by + b[s].mass / b.scaled_by, 2 * mean[s].mass / mean.scaled_by, 1e-12);
  }
}

// Bounds that hold for anything of a segment's length: a limb is between a point and two halves at its ends, and turns most
// easily about its long axis; centres are inside.
TEST(Measure, LimbsAreBetweenAPointAndADumbbell) {
  for (const Person& p : {man(75, 1.78), woman(58, 1.66), of(man(82, 1.85), Population::german),
                          of(woman(55, 1.6), Population::chinese), aged(man(30, 1.35), 9), aged(woman(60, 1.55), 80)}) {
    const Body b = measure(p);
    for (const BodyPart s :
         {BodyPart::upper_arm, BodyPart::forearm, BodyPart::hand, BodyPart::thigh, BodyPart::shank}) {
      const double dumbbell = b[s].mass * b[s].length * b[s].length / 4;
      EXPECT_LT(b[s].moments.x, dumbbell);
      EXPECT_LT(b[s].moments.y, dumbbell);
      EXPECT_LT(b[s].moments.z, std::min(b[s].moments.x, b[s].moments.y)) << name_of(s);
    }
    const Vec& foot = b[BodyPart::foot].moments;
    EXPECT_LT(foot.y, std::min(foot.x, foot.z));
    for (const BodyPart s : all_parts) EXPECT_TRUE(b[s].center > 0 && b[s].center < b[s].length) << name_of(s);
  }
}

// What one source's tables say of somebody is nothing unusual as a measurement, be it used with the same source or, of adults, with
// de Leva's.
TEST(Measurements, OfWhatTheTablesSayAreNothingUnusual) {
  const auto see = [](const Person& p) {
    const Body tables = measure(p);
    for (const bool with_de_leva : {false, true})
      for (int i = 0; i < segment_count; ++i) {
        const BodyPart s = static_cast<BodyPart>(i);
        Person q = p;
        if (with_de_leva && p.age && *p.age < 18) continue;
        if (with_de_leva) q.source = BodySource::de_leva, q.population.reset();
        const std::size_t before = measure(q).warnings.size();
        q.measured[s].mass = tables[s].mass / tables.scaled_by;
        if (!with_de_leva) q.measured[s].length = tables[s].length;
        for (const std::string& w : measure(q).warnings)
          EXPECT_EQ(w.find("is unusual"), std::string::npos) << w << " (" << name_of(tables.source) << ')';
        EXPECT_LE(measure(q).warnings.size(), before);
      }
  };
  for (const Sex sex : {Sex::female, Sex::male}) {
    for (const double age : {6.0, 9.0, 12.0, 15.0, 17.9}) see({.sex = sex, .age = age, .mass = 45, .height = 1.5});
    see({.sex = sex, .age = 70.0, .mass = 70, .height = 1.7});
    for (const Population population : {Population::german, Population::chinese})
      for (const double height : {1.6, 1.7, 1.75})
        for (const double index : {22.0, 25.0, 28.0})
          see({.sex = sex, .population = population, .mass = index * height * height, .height = height});
  }
}

// ---- what was measured
TEST(Measure, MeasuredValuesStandAndTheRestMakesUp) {
  const Person plain = man(75, 1.8);
  Person p = plain;
  p.measured[BodyPart::thigh].mass = 9;
  p.measured[BodyPart::forearm].length = 0.29;
  p.measured[BodyPart::foot].center = 0.1;
  const Body before = measure(plain), after = measure(p);
  EXPECT_EQ(after[BodyPart::thigh].mass, 9);
  EXPECT_EQ(after[BodyPart::forearm].length, 0.29);
  EXPECT_EQ(after[BodyPart::foot].center, 0.1);
  EXPECT_NEAR(sum_of_masses(after), 75, 1e-12);
  const double rest = (75 - 18) / (75 - 2 * before[BodyPart::thigh].mass);
  EXPECT_NEAR(after[BodyPart::head].mass, rest * before[BodyPart::head].mass, 1e-12);
  // moments go with mass and the square of the length
  EXPECT_NEAR(after[BodyPart::thigh].moments.x, before[BodyPart::thigh].moments.x * 9 / before[BodyPart::thigh].mass,
              1e-12);
  EXPECT_NEAR(after[BodyPart::forearm].moments.x,
              before[BodyPart::forearm].moments.x * rest * std::pow(0.29 / before[BodyPart::forearm].length, 2), 1e-12);
  EXPECT_NE(after.provenance.find("measured: forearm, thigh, foot"), std::string::npos) << after.provenance;
}

TEST(Measure, MeasuredBodiesThatCannotBeAreRefused) {
  Person p = man(75, 1.8);
  p.measured[BodyPart::thigh].mass = 36;
  EXPECT_NE(refusal_of(p).find("of which 72 kg are measured"), std::string::npos) << refusal_of(p);
  p = man(75, 1.8);
  p.measured[BodyPart::thigh].length = 0.8;
  EXPECT_NE(refusal_of(p).find("from head to ankles in a person of 1.8 m"), std::string::npos) << refusal_of(p);
  p = man(75, 1.8);
  p.measured[BodyPart::head].moments = Vec{0.01, 0.01, 0.03};
  EXPECT_NE(refusal_of(p).find("a head with moments"), std::string::npos) << refusal_of(p);
  p = man(75, 1.8);
  p.measured[BodyPart::head].center = 0.4;
  EXPECT_NE(refusal_of(p).find("from the end of a head"), std::string::npos) << refusal_of(p);
}

// ---- who is meant
TEST(Measure, TheSourceIsThatOfThePerson) {
  EXPECT_EQ(source_for(man(75, 1.8)), BodySource::de_leva);
  EXPECT_EQ(source_for(of(man(75, 1.8), Population::german)), BodySource::shan_bohn);
  EXPECT_EQ(source_for(aged(man(40, 1.5), 11)), BodySource::jensen);
  EXPECT_EQ(source_for(aged(man(75, 1.8), 40)), BodySource::de_leva);
  EXPECT_EQ(source_for(aged(man(75, 1.8), 60)), BodySource::pavol);
  const auto says = [](const Person& p, const char* what) {
    EXPECT_NE(refusal_of(p).find(what), std::string::npos) << refusal_of(p);
  };
  Person p = of(man(75, 1.8), Population::german);
  p.source = BodySource::de_leva;
  says(p, "a population with source: de_leva, which knows none");
  p = man(75, 1.8), p.source = BodySource::shan_bohn;
  says(p, "without a population");
  p = man(75, 1.8), p.source = BodySource::jensen;
  says(p, "without an age");
  says(aged(man(15, 0.95), 4), "whose children are 6 to 18");
  says(man(2, 1.8), "a person of 2 kg");
  says(man(75, 0), "a person of 0 m");
  says(man(std::nan(""), 1.8), "a person of nan kg");
}

TEST(Measure, BeyondItsRangeASourceWarns) {
  EXPECT_TRUE(measure(man(75, 1.8)).warnings.empty());
  const Body heavy = measure(man(130, 1.8));
  ASSERT_EQ(heavy.warnings.size(), 1u);
  EXPECT_NE(heavy.warnings[0].find("mass over height squared, kg/m^2, of 40.12 is beyond the 18.5 to 30"),
            std::string::npos)
      << heavy.warnings[0];
  EXPECT_EQ(measure(aged(woman(30, 1.35), 9)).warnings.size(), 2u);  // a girl among boys, lengths of an adult
}

}  // namespace
}  // namespace marey::measure_test
