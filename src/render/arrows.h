// Forces and momentum as arrows, and the centre of mass, over a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "render/image.h"
#include "render/stage.h"

namespace marey::render {

// How long the arrows are: from what the motion holds between the first and the last instant on the stage. A number of one digit, so that
// it can be said.
ArrowScale arrow_scale(const Stage&, const PictureScene&);
// Arrows and centre of mass of every instant, in the stage's scale; the path of the centre of mass among the trails.
void place_arrows(Stage&, const PictureScene&);
void lay_path_of_center(Stage&, const PictureScene&);

// On top of everything.
std::vector<Stroke> arrow_strokes(const Stage&);
// "1 m = 200 N": a line for each kind, in its colour.
std::vector<std::pair<std::string, Colour>> words_for_arrows(const Stage&);

}  // namespace marey::render
