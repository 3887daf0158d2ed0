// Wobbling masses of a scene: the key `wobble` of links and humans.
#pragma once

#include "scene/figures.h"

namespace marey {

// Splits the links that ask for it: the soft part becomes a link of its own, NAME_tissue, behind all others.
void split_off_tissues(FiguresDraft&);

// A human's `wobble` with what one of its links says besides, over the figure's own numbers for that link; null: the link is rigid.
ValuePtr wobble_of_human(const Value& whole, const Value& of_link, const Value* own);

}  // namespace marey
