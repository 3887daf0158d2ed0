// The list of methods (MAREY_INTEGRATORS), and what each says of itself.
#include <array>

#include "marey/integrate.h"

namespace marey {

#define MAREY_DECLARE(name) extern const MethodForm name##_method;
MAREY_INTEGRATORS(MAREY_DECLARE)
#undef MAREY_DECLARE

std::span<const Integrator> all_integrators() {
#define MAREY_VALUE(name) Integrator::name,
  static constexpr std::array all{MAREY_INTEGRATORS(MAREY_VALUE)};
#undef MAREY_VALUE
  return all;
}

const char* name_of(Integrator i) {
#define MAREY_TEXT(name) #name,
  static constexpr std::array names{MAREY_INTEGRATORS(MAREY_TEXT)};
#undef MAREY_TEXT
  return names[static_cast<std::size_t>(i)];
}

const MethodForm& form_of(Integrator i) {
#define MAREY_ADDRESS(name) &name##_method,
  static const std::array forms{MAREY_INTEGRATORS(MAREY_ADDRESS)};
#undef MAREY_ADDRESS
  return *forms[static_cast<std::size_t>(i)];
}

int order_of(Integrator i) { return form_of(i).order; }
bool has_fixed_step(Integrator i) { return form_of(i).fixed_step; }
bool has_long_memory(Integrator i) { return form_of(i).remembers_steps; }
std::unique_ptr<Method> make_method(const MethodOptions& options, Flow& flow) {
  return form_of(options.integrator).make(options, flow);
}

}  // namespace marey
