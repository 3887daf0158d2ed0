// De Leva 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29, 1223-1230. Ends of the
// segments: vertex, cervicale, xyphion, omphalion, the middle of the hips; shoulder, elbow, wrist, tip of the middle finger;
// hip, knee, ankle; heel and tip of the toes.
#include "human/tables.h"

namespace marey {

const ShareTable& de_leva(Sex sex) {
  static const ShareTable women{1735,
                                614.8 - 497.9,
                                {{
                                    {6.68, 243.7, 48.41, 27.1, 29.5, 26.1},   // head
                                    {15.45, 228.0, 50.50, 46.6, 31.4, 44.9},  // thorax
                                    {14.65, 205.3, 45.12, 43.3, 35.4, 41.5},  // abdomen
                                    {12.47, 181.5, 49.20, 43.3, 40.2, 44.4},  // pelvis
                                    {2.55, 275.1, 57.54, 27.8, 26.0, 14.8},   // upper arm
                                    {1.38, 264.3, 45.59, 26.1, 25.7, 9.4},    // forearm
                                    {0.56, 170.1, 34.27, 24.4, 20.8, 15.4},   // hand
                                    {14.78, 368.5, 36.12, 36.9, 36.4, 16.2},  // thigh
                                    {4.81, 438.6, 43.52, 26.7, 26.3, 9.2},    // shank
                                    {1.29, 228.3, 40.14, 29.9, 27.9, 13.9},   // foot
                                }}};
  static const ShareTable men{1741,
                              603.3 - 515.5,
                              {{
                                  {6.94, 242.9, 50.02, 30.3, 31.5, 26.1},   // head
                                  {15.96, 242.1, 50.66, 50.5, 32.0, 46.5},  // thorax
                                  {16.33, 215.5, 45.02, 48.2, 38.3, 46.8},  // abdomen
                                  {11.17, 145.7, 61.15, 61.5, 55.1, 58.7},  // pelvis
                                  {2.71, 281.7, 57.72, 28.5, 26.9, 15.8},   // upper arm
                                  {1.62, 268.9, 45.74, 27.6, 26.5, 12.1},   // forearm
                                  {0.61, 187.9, 36.24, 28.8, 23.5, 18.4},   // hand
                                  {14.16, 422.2, 40.95, 32.9, 32.9, 14.9},  // thigh
                                  {4.33, 440.3, 43.95, 25.1, 24.6, 10.2},   // shank
                                  {1.37, 258.1, 44.15, 25.7, 24.5, 12.4},   // foot
                              }}};
  return sex == Sex::female ? women : men;
}

}  // namespace marey
