// What is recorded of points on floors, whoever works out their forces.
#pragma once

#include <cstddef>

#include "marey/contact.h"

namespace marey {

class PointContacts {
 public:
  virtual ~PointContacts() = default;
  // All of the contact with that number in the scene, at the instant that is recorded.
  virtual const ContactMotion& motion(std::size_t i) const = 0;
  virtual Mode mode(std::size_t i) const = 0;
  virtual Vec3<double> force_W(std::size_t i) const = 0;
  // The sum of its impulses since the start.
  virtual Vec3<double> impulse_W(std::size_t i) const = 0;
};

}  // namespace marey
