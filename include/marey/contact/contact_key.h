// Which point of which pair, or which bound, the same from step to step as long as the features are; sorted by it.
#pragma once

#include <compare>

namespace marey {

struct ContactKey {
  // Bodies; of a point on a floor −1, and its number among the contacts of the scene; of an end of a joint or a motor −2, and its number
  // among the elements, with the end in part_a.
  int a = 0, b = 0;
  int part_a = 0, part_b = 0;
  int kind_a = 0, feature_a = 0, kind_b = 0, feature_b = 0;
  auto operator<=>(const ContactKey&) const = default;
};

}  // namespace marey
