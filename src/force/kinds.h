// Elements that have a file of their own: what elements.cpp asks of them.
#pragma once

#include "marey/force.h"

namespace marey {

#define MAREY_ELEMENT(Kind) \
  template <class T>        \
  void act(const Kind&, const Instant<T>&, std::span<const double> modes, ForceSum<T>&);
#define MAREY_CONSERVATIVE_ELEMENT(Kind) \
  MAREY_ELEMENT(Kind)                    \
  template <class T>                     \
  T energy(const Kind&, const Instant<T>&);

MAREY_CONSERVATIVE_ELEMENT(SpringNet)
MAREY_ELEMENT(DamperNet)
MAREY_CONSERVATIVE_ELEMENT(Attraction)
MAREY_CONSERVATIVE_ELEMENT(MutualAttraction)
MAREY_ELEMENT(Drag)
MAREY_CONSERVATIVE_ELEMENT(Field)
MAREY_CONSERVATIVE_ELEMENT(MovingFrame)
MAREY_ELEMENT(Reflex)
#undef MAREY_ELEMENT
#undef MAREY_CONSERVATIVE_ELEMENT

template <class T>
T energy_rate(const Field&, const Instant<T>&);
template <class T>
T energy_rate(const MovingFrame&, const Instant<T>&);

Nature nature_of(MovingFrame::Part);

}  // namespace marey
