// The direction from which a motion is best seen.
#pragma once

#include "render/stage.h"

namespace marey::render {

// Direction only: azimuth and elevation as the options say, else chosen from how the instants spread.
Camera choose_view(const Stage&, const StrobeOptions&);

}  // namespace marey::render
