// Motions that can be written down: the oracles of the simulated ones, and answers in their own right.
// Layer: dynamics.
//
//   dynamics/euler_angles.h  angles z-y′-z″ and x-y′-z″, both ways, with their rates
//   dynamics/torque_free.h   a rigid body that nothing turns: angular velocity and attitude; Euler's equations
#pragma once

#include "marey/dynamics/euler_angles.h"
#include "marey/dynamics/torque_free.h"
