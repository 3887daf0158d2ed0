// Files that are read whole.
#pragma once

#include <string>

namespace marey {

// The first bytes of a file, at most `most`. Error: bad_input when there is none or it is a folder, where `expected` ("a
// scene") says what was wanted; file_trouble when it cannot be read.
std::string read_input_file(const std::string& file, std::size_t most, const char* expected);

}  // namespace marey
