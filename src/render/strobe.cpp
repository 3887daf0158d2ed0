// One picture of a whole motion: stage, painter, file.
#include "render/strobe.h"

#include <algorithm>

#include "marey/render.h"
#include "render/arrows.h"
#include "render/lettering.h"
#include "render/names.h"
#include "render/overlay.h"
#include "render/picture_file.h"
#include "render/raster.h"
#include "render/svg.h"

namespace marey {
namespace render {
namespace {

void draw_label(Image& image, const Label& label) {
  for (const auto& points : letter_strokes(label.text, label.at, label.height))
    draw(image, {points, std::max(1.0, 0.11 * label.height), label.colour, 1});
}

}  // namespace

Image picture_of(const Stage& stage, const StrobeOptions& options, bool transparent) {
  Image image = paint(stage, {std::clamp(options.samples, 1, 16), options.threads, !options.wire, transparent});
  if (options.wire) {
    const double width = 0.0011 * std::min(stage.width, stage.height);
    for (const Stroke& s : wire_strokes(stage, stage.fixed, stage.theme->fixed, 0.7, width)) draw(image, s);
    for (const Exposure& i : stage.instants)
      for (const Stroke& s : wire_strokes(stage, i.prims, i.colour, i.opacity, width)) draw(image, s);
  }
  for (const Stroke& s : felt_strokes(stage)) draw(image, s);
  for (const Stroke& s : trail_strokes(stage)) draw(image, s);
  for (const Stroke& s : arrow_strokes(stage)) draw(image, s);
  return image;
}

void draw_overlay(Image& image, const Overlay& over) {
  for (const Stroke& s : over.strokes) draw(image, s);
  for (const Label& l : over.labels) draw_label(image, l);
}

}  // namespace render

void render_strobe(const PictureScene& scene, const StrobeOptions& options, const std::string& file) {
  render::check_picture_name(file, "a picture");
  const render::Stage stage = render::set_stage(scene, options);
  if (render::ends_with(file, ".svg")) return render::draw_svg(stage, options, scene.title, file);
  render::Image image = render::picture_of(stage, options);
  if (options.labels) render::draw_overlay(image, render::time_rule(stage));
  render::write_png(image, file, scene.title);
}

}  // namespace marey
