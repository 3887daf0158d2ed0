// The scalars for which the templates of this layer are instantiated. MAREY_ONLY_DOUBLE shortens the list for
// quick trial builds.
#pragma once

#include "marey/scalar.h"

#ifdef MAREY_ONLY_DOUBLE
#define MAREY_FOR_EACH_SCALAR(X) X(double)
#else
#define MAREY_COMMA ,
#define MAREY_FOR_EACH_SCALAR(X) \
  X(double)                      \
  X(float)                       \
  X(Dual<1>)                     \
  X(Pack<float MAREY_COMMA 16>)  \
  X(Pack<double MAREY_COMMA 8>)  \
  X(Expr)
#endif
