// Downhill by derivatives, where the motion depends smoothly on the numbers.
#pragma once

#include "search/trials.h"

namespace marey {

// From a trial until what is wanted holds well, or no step leads on. Returns the last point.
Trial descend(Trials&, Trial from);

}  // namespace marey
