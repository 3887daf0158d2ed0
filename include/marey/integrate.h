// Advancing a state in time.
#pragma once

#include <span>

#include "marey/dynamics.h"
#include "marey/model.h"

namespace marey {

enum class Integrator { euler, semi_implicit, rk4 };
const char* name_of(Integrator);
int order_of(Integrator);

}  // namespace marey
