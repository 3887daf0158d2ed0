#include "render/svg.h"
namespace marey::render {
void draw_svg(const Stage&, const StrobeOptions&, const std::string&, const std::string&) {}
}  // namespace marey::render
