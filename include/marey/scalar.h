// The scalars for which Marey's algorithms are instantiated: double, float, Dual, Pack and Expr. See scalar/traits.h
// for what templated code may ask of them. Under nvcc only those that run on the device are available.
#pragma once

#include "marey/scalar/dual.h"
#include "marey/scalar/traits.h"

#if !defined(__CUDACC__)
#include "marey/scalar/expr.h"
#include "marey/scalar/pack.h"
#endif
