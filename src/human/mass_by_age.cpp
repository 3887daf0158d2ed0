// Shares of the body's mass by age, in %, of one side where there are two.
//   Jensen 1986 (12 and 15 years), 1989 (6 and 18 years): growing boys, J. Biomechanics 19, 359-368 and 22, 529-536
//   Pavol, Owings & Grabiner 2002: older adults, J. Biomechanics 35, 707-712
// Jensen has one trunk, Pavol thorax and abdomen in one: they are divided as de Leva's are, in the same proportion.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "human/tables.h"

namespace marey {
namespace {

struct OfAge {
  double age, head, trunk, upper_arm, forearm, hand, thigh, shank, foot;
};
constexpr OfAge boys[] = {
    {6, 18.2, 43.0, 2.4, 1.3, 0.8, 8.5, 4.6, 1.9},
    {12, 10.1, 41.7, 3.2, 1.7, 0.9, 11.0, 5.3, 2.1},
    {15, 6.7, 41.6, 3.5, 1.7, 0.8, 12.1, 5.6, 2.1},
    {18, 7.0, 44.6, 3.6, 1.9, 0.9, 11.4, 4.8, 1.7},
};
struct OfElderly {
  double head, thorax_and_abdomen, pelvis, upper_arm, forearm, hand, thigh, shank, foot;
};
constexpr OfElderly elderly_women{7.39, 29.15, 18.71, 3.01, 1.41, 0.54, 11.62, 4.56, 1.23};
constexpr OfElderly elderly_men{6.62, 32.53, 16.18, 2.99, 1.75, 0.65, 11.27, 4.41, 1.27};

double de_levas(Sex sex, BodyPart s) { return de_leva(sex).rows[static_cast<std::size_t>(s)].mass; }

}  // namespace

MassShares jensen(double age, Sex sex) {
  const auto* above =
      std::find_if(std::begin(boys), std::end(boys) - 1, [&](const OfAge& row) { return age <= row.age; });
  const OfAge& b = *std::max(above, std::begin(boys) + 1);
  const OfAge& a = *(&b - 1);
  const double part = (age - a.age) / (b.age - a.age);
  const auto at = [&](double OfAge::*share) { return std::lerp(a.*share, b.*share, part); };
  const double thorax = de_levas(sex, BodyPart::thorax), abdomen = de_levas(sex, BodyPart::abdomen),
               pelvis = de_levas(sex, BodyPart::pelvis), trunk = at(&OfAge::trunk) / (thorax + abdomen + pelvis);
  return {at(&OfAge::head),    trunk * thorax,   trunk * abdomen,   trunk * pelvis,    at(&OfAge::upper_arm),
          at(&OfAge::forearm), at(&OfAge::hand), at(&OfAge::thigh), at(&OfAge::shank), at(&OfAge::foot)};
}

MassShares pavol(Sex sex) {
  const OfElderly& p = sex == Sex::female ? elderly_women : elderly_men;
  const double thorax = de_levas(sex, BodyPart::thorax), abdomen = de_levas(sex, BodyPart::abdomen),
               upper = p.thorax_and_abdomen / (thorax + abdomen);
  return {p.head, upper * thorax, upper * abdomen, p.pelvis, p.upper_arm, p.forearm, p.hand, p.thigh, p.shank, p.foot};
}

}  // namespace marey
