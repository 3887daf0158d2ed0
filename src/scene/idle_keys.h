// Keys of a scene that do nothing, as far as this shows in what is written alone.
#pragma once

#include "marey/spec/value.h"

namespace marey {

// Remarks on constants that no formula beside them reads, and on what begins only when the scene has ended.
void remark_what_does_nothing(const Value& scene, double duration);

}  // namespace marey
