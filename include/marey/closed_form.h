// Motions with a closed form: reference solutions for the simulated ones, and useful in their own right.
// Layer: closed_form.
//
//   closed_form/euler_angles.h  angles z-y′-z″ and x-y′-z″, both ways, with their rates
//   closed_form/kepler.h        orbits: ellipse, parabola, hyperbola; Kepler's equation
//   closed_form/pendulum.h      the compound pendulum, of any swing
//   closed_form/point_mass.h    throw, circle, tangential and normal acceleration, bouncing ball
//   closed_form/torque_free.h   a rigid body under no torque: angular velocity and attitude; Euler's equations
//   closed_form/top.h           symmetric tops: free precession, steady precession, Lagrange's heavy top
//   closed_form/rod.h           the falling rod: free flight, its angles, its impacts
#pragma once

#include "marey/closed_form/euler_angles.h"
#include "marey/closed_form/kepler.h"
#include "marey/closed_form/pendulum.h"
#include "marey/closed_form/point_mass.h"
#include "marey/closed_form/rod.h"
#include "marey/closed_form/top.h"
#include "marey/closed_form/torque_free.h"
