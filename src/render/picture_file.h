// Where pictures may go.
#pragma once

#include <string>

namespace marey::render {

// Before the work of drawing: throws Error unless the name ends with .png or .svg, can be written to, and is free or that of a
// picture, which is replaced. `what`: "a picture".
void check_picture_name(const std::string& file, const std::string& what);

}  // namespace marey::render
