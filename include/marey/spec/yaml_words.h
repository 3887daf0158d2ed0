// Which words YAML allows without quotes.
#pragma once

#include <string_view>

namespace marey {

// On a line of its own, after a key or a dash; in_flow: also between [ ] or { }.
bool can_stand_plain(std::string_view, bool in_flow);
// Words that YAML takes for nothing: '', ~, null.
bool is_yaml_null(std::string_view);
// Words that YAML 1.1 took for booleans, and many readers still do: yes, No, OFF …
bool is_yaml11_boolean(std::string_view);

}  // namespace marey
