// Printed tables of the human body, one file each.
#pragma once

#include <array>

#include "marey/human.h"

namespace marey {

// ---- Shan & Bohn 2003
struct Regression {
  double b0, b1, b2;
  double at(double kg, double cm) const { return b0 + b1 * kg + b2 * cm; }
};
struct RegressionRow {
  Regression mass, length, lateral, forward, vertical;  // kg, cm, kg cm²
};
using RegressionGroup = std::array<RegressionRow, segment_count>;
const RegressionGroup& shan_bohn(Population, Sex);

// ---- de Leva 1996
struct ShareRow {
  double mass, length, center;  // % of the body's mass; mm of the mean subject; % of the length from the upper end
  double sagittal, transverse, along;  // radii of gyration, % of the length
};
struct ShareTable {
  double height;          // mm, of the mean subject
  double shoulder_depth;  // mm, of the shoulders below the seventh neck vertebra
  std::array<ShareRow, segment_count> rows;
};
const ShareTable& de_leva(Sex);

// ---- shares of mass by age
using MassShares = std::array<double, segment_count>;  // % of the body's mass
// Between two ages of the table, in proportion; `age` within 6 to 18 years.
MassShares jensen(double age, Sex);
MassShares pavol(Sex);

}  // namespace marey
