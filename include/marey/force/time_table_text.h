// Numbers that change in time, as a scene writes them: one number, or times and values [[0 s, 1 N], [2 s, 3 N]].
#pragma once

#include "marey/force.h"
#include "marey/spec/values.h"

namespace marey {

TimeTable read_table(const Value&, const QuantityKind&, Range = Range::any);

}  // namespace marey
