// Motions that can be written down: the oracles of the simulated ones, and answers in their own right.
// Layer: dynamics.
//
//   dynamics/euler_angles.h  angles z-y′-z″ and x-y′-z″, both ways, with their rates
//   dynamics/kepler.h        orbits: ellipse, parabola, hyperbola; Kepler's equation
//   dynamics/point_mass.h    throw, circle, tangential and normal acceleration, bouncing ball
//   dynamics/torque_free.h   a rigid body that nothing turns: angular velocity and attitude; Euler's equations
//   dynamics/top.h           symmetric tops: free precession, steady precession, Lagrange's heavy top
//   dynamics/rod.h           the falling rod: free flight, its angles, its impacts
#pragma once

#include "marey/closed_form/euler_angles.h"
#include "marey/closed_form/kepler.h"
#include "marey/closed_form/point_mass.h"
#include "marey/closed_form/rod.h"
#include "marey/closed_form/top.h"
#include "marey/closed_form/torque_free.h"
