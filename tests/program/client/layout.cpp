// A client of every public header: prints the layout of types whose alignment one may doubt, and holds copies of inline
// functions that the library must not share. Compiled by package_test.cpp, for two processors.
#include <cstdio>

#include "marey/closed_form.h"
#include "marey/constraint.h"
#include "marey/contact.h"
#include "marey/dynamics/baraff.h"
#include "marey/dynamics/crba_reuse.h"
#include "marey/dynamics/derivatives.h"
#include "marey/dynamics/inverse.h"
#include "marey/dynamics/multipliers.h"
#include "marey/force.h"
#include "marey/integrate.h"
#include "marey/io/inverse.h"
#include "marey/io/motion.h"
#include "marey/io/scene.h"
#include "marey/render.h"
#include "marey/rows.h"
#include "marey/rows/loops.h"
#include "marey/scalar/instantiate.h"
#include "marey/simulation.h"

// With all their members, used or not.
template class marey::Stepper<double>;
template class marey::ForceSum<double>;
template class std::vector<marey::Wrench<double>>;
marey::Quaternion<double> (*volatile an_inline_function)(const marey::Mat3<double>&) = marey::quaternion_of;

namespace {

// Made, copied and destroyed by functions that no header writes down. (Those of a scene are in the library; these are what
// they copy.)
template <class Type>
void make_two() {
  const Type one;
  const Type copy(one);
}
void make_and_copy() {
  make_two<marey::Model>();
  make_two<marey::State>();
  make_two<std::vector<marey::Element>>();
  make_two<std::vector<marey::FloorContact>>();
  make_two<std::vector<marey::Constraint>>();
  make_two<marey::SolverOptions>();
  const marey::RunSummary summary;
  const marey::Segment segment;
}

template <class Type>
void tell(const char* name) {
  std::printf("%s: %zu bytes, aligned to %zu\n", name, sizeof(Type), alignof(Type));
}
#define TELL(...) tell<__VA_ARGS__>(#__VA_ARGS__)

template <class T>
void tell_of_scalar(const char* name) {
  std::printf("%s\n", name);
  TELL(T);
  TELL(typename marey::ScalarTraits<T>::Mask);
  TELL(marey::LinkParams<T>);
  TELL(marey::Kinematics<T>);
  TELL(marey::ArmstrongLink<T>);
  TELL(marey::RneaLink<T>);
  TELL(marey::AbaLink<T>);
  TELL(marey::AbaGeneral<T>);
  TELL(marey::Totals<T>);
  TELL(marey::AngleAndGradient<T>);
}

}  // namespace

int main() {
  make_and_copy();
  tell_of_scalar<double>("double");
  tell_of_scalar<float>("float");
  tell_of_scalar<marey::Dual1>("Dual1");
  tell_of_scalar<marey::PackF16>("PackF16");
  tell_of_scalar<marey::PackD8>("PackD8");
  TELL(marey::GroupColumns);
  TELL(marey::ForwardColumns);
  TELL(marey::Articulated);
  TELL(marey::GeneralColumns);
  TELL(marey::DerivativesWorkspace);
  TELL(marey::Model);
  TELL(marey::Element);
  TELL(marey::Scene);
  TELL(marey::Ledger);
  TELL(marey::Segment);
  TELL(marey::Simulation);
  return an_inline_function == nullptr;
}
