// Motions for programs that draw: glTF 2.0 with everything that is seen, BVH with the skeleton of one figure.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "marey/io/motion.h"

namespace marey {

enum class UpAxis { y, z };

struct AnimationRequest {
  std::string output;      // "-" is standard output
  std::string format{};    // "glb", "bvh"; empty: by the extension of the output
  double per_second = 30;  // frames
  double begin =
      -std::numeric_limits<double>::infinity();  // s: the span, cut to the motion; it begins at 0 in the file
  double end = std::numeric_limits<double>::infinity();
  UpAxis up = UpAxis::y;
  double scale = 1;      // BVH: units of length to a metre
  std::string figure{};  // BVH: which, where there are several
  Existing existing = Existing::refuse;
};

struct AnimationFormat {
  const char* name;    // its name, and the extension of its files
  const char* what;    // half a line
  const char* begins;  // how its files begin, by which an earlier one is known
  std::string (*write)(const Scene&, const Motion&, const AnimationRequest&);
};
std::span<const AnimationFormat* const> animation_formats();
// By its name or, if that is empty, by the extension of the output; null where it is none of these.
const AnimationFormat* animation_format_for(const std::string& format, const std::string& output);

// The file appears whole or not at all, and replaces nothing but an earlier one of its format.
void export_animation(const std::string& motion_file, const AnimationRequest&);

}  // namespace marey
