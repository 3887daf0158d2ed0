// Four numbers at a time within one query, where most of them need no second look.
#pragma once

#include "marey/scalar/pack.h"

namespace marey {

using FourLanes = Pack<double, 4>;

// Bit k: whether lane k is set.
MAREY_INLINE unsigned bits_of(const PackMask<double, 4>& mask) {
#if defined(__AVX__)
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(FourLanes::Lanes(mask.bits)));
#else
  return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u) | (mask[2] ? 4u : 0u) | (mask[3] ? 8u : 0u);
#endif
}

}  // namespace marey
