// Solvers: free functions over a const model, one algorithm per file in src/dynamics.
#pragma once

#include <span>
#include <vector>

#include "marey/model.h"

namespace marey {

enum class Dynamics { armstrong, aba, crba, dense };
const char* name_of(Dynamics);

}  // namespace marey
