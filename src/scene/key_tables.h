// The tables of keys that no lower layer has, in the order of the reference (docs/guide/keys.md).
#pragma once

#include <vector>

#include "marey/scene/keys.h"

namespace marey {

std::vector<KeyTable> keys_of_runs();
std::vector<KeyTable> keys_of_figures();
std::vector<KeyTable> keys_of_things();

}  // namespace marey
