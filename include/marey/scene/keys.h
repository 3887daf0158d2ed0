// Every table of keys of a scene.
#pragma once

#include <span>
#include <string_view>

#include "marey/spec/keys.h"

namespace marey {

std::span<const KeyTable> scene_key_tables();
const KeyTable& key_table(std::string_view name);

}  // namespace marey
