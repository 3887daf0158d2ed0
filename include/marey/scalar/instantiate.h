// The scalar types every algorithm is instantiated for, in one list.
#pragma once

#include "marey/scalar.h"

namespace marey {

using Dual1 = Dual<1>;
using PackF16 = Pack<float, 16>;
using PackD8 = Pack<double, 8>;

}  // namespace marey

// Mutants are compiled for double alone, and sanitized builds without packs, to be quick: sixteen lanes of instrumented
// arithmetic are minutes of compiling, and Pack itself has tests of its own.
#if defined(MAREY_ONLY_DOUBLE)
#define MAREY_FOR_EACH_NUMBER(X) X(double)
#define MAREY_FOR_EACH_TRACED(X)
#elif defined(MAREY_NO_PACKS)
#define MAREY_FOR_EACH_NUMBER(X) X(double) X(float) X(Dual1)
#define MAREY_FOR_EACH_TRACED(X) X(Expr)
#else
#define MAREY_FOR_EACH_NUMBER(X) X(double) X(float) X(Dual1) X(PackF16) X(PackD8)
#define MAREY_FOR_EACH_TRACED(X) X(Expr)
#endif
#define MAREY_FOR_EACH_SCALAR(X) MAREY_FOR_EACH_NUMBER(X) MAREY_FOR_EACH_TRACED(X)
