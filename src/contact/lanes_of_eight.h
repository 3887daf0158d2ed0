// Eight rows of eight numbers, turned into eight columns.
#pragma once

#include "marey/scalar/pack.h"

namespace marey {

MAREY_INLINE void transpose_eight(Pack<double, 8> (&x)[8]) {
  using Lanes = Pack<double, 8>::Lanes;
  Lanes y[8], z[8];
  for (int i = 0; i < 8; i += 2) {  // pairs of rows, number by number
    y[i] = __builtin_shufflevector(x[i].lanes, x[i + 1].lanes, 0, 8, 2, 10, 4, 12, 6, 14);
    y[i + 1] = __builtin_shufflevector(x[i].lanes, x[i + 1].lanes, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)  // fours of rows, two by two
    for (int k = 0; k < 2; ++k) {
      z[i + k] = __builtin_shufflevector(y[i + k], y[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      z[i + k + 2] = __builtin_shufflevector(y[i + k], y[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    x[k].lanes = __builtin_shufflevector(z[k], z[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[k + 4].lanes = __builtin_shufflevector(z[k], z[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace marey
