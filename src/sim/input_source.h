// What pushes and drives from outside do to the figures: a source whose modes are the present pushes and drives.
#pragma once

#include <memory>

#include "marey/inputs.h"
#include "marey/sim.h"
#include "marey/source.h"

namespace marey {

inline constexpr const char* inputs_name = "inputs";

std::shared_ptr<const Source> make_input_source(const Model&);
bool is_input_source(const Source&);  // and not another one of that name
// Why the input cannot be taken; empty when all is well.
// `elements`: the scene's, as they have become.
std::string refusal(const Scene&, std::span<const Element> elements, const Input&);
// Puts an input (a push or a drive) into the source's modes.
void take_input(const Model&, const Input&, std::span<double> modes);
// Which of the scene's own sources takes the inputs; their number when none does yet.
std::size_t input_source_of(const Scene&);

}  // namespace marey
