// Animations: which format, which frames; the formats have files of their own.
#include "io/exchange/animation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "io/exchange/output.h"
#include "marey/core/text.h"
#include "marey/dynamics.h"

namespace marey {

#define MAREY_ANIMATION_FORMATS(X) X(glb) X(bvh)

#define MAREY_DECLARE(name) extern const AnimationFormat name##_format;
MAREY_ANIMATION_FORMATS(MAREY_DECLARE)
#undef MAREY_DECLARE

std::span<const AnimationFormat* const> animation_formats() {
#define MAREY_ADDRESS(name) &name##_format,
  static const std::array all{MAREY_ANIMATION_FORMATS(MAREY_ADDRESS)};
#undef MAREY_ADDRESS
  return all;
}

const AnimationFormat* animation_format_for(const std::string& format, const std::string& output) {
  const std::string ending = output == "-" ? "" : std::filesystem::path(output).extension().string();
  for (const AnimationFormat* f : animation_formats())
    if (format.empty() ? ending == std::string(".") + f->name : format == f->name) return f;
  return nullptr;
}

SampledMotion sample_motion(const Model& model, const Motion& motion, const AnimationRequest& r) {
  constexpr double most_samples = 1e6;
  const LinkPoses poses = link_poses(model, motion, "animation");
  if (poses.times.empty()) throw Error(ErrorKind::bad_input, motion.file + ": the motion holds no frames");
  const double begin = std::max(poses.times.front(), r.begin), end = std::min(poses.times.back(), r.end);
  if (!(begin <= end))
    throw Error(ErrorKind::bad_input, fmt::format("no part of the motion lies between the times asked for (it lasts "
                                                  "from {:.6g} s to {:.6g} s)",
                                                  poses.times.front(), poses.times.back()));
  const double last = std::floor((end - begin) * r.per_second + 1e-6);
  if (!(last < most_samples))
    throw Error(ErrorKind::bad_input, fmt::format("found {:.3g} frames; expected at most {:.0e}", last, most_samples));
  std::vector<int> parents;
  for (const LinkTopology& link : model.links) parents.push_back(link.parent);
  SampledMotion s;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    s.times.push_back(i / r.per_second);
    s.X_WB.push_back(poses_at(
        poses.times, poses.X_WB, parents, [&](int b) { return model.names[static_cast<std::size_t>(b)]; },
        begin + s.times.back()));
  }
  return s;
}

std::vector<Transform<double>> rest_poses(const Model& model) {
  const State rest = neutral_state(model);
  Kinematics<double> kinematics(model);
  forward_kinematics<double>(model, model.params, rest.q, rest.v, kinematics);
  return kinematics.X_WB;
}

std::string figure_of(const std::string& link) { return link.substr(0, link.find('.')); }

Mat3<double> turned_up(UpAxis up) {
  return up == UpAxis::z ? Mat3<double>::identity() : Mat3<double>{1, 0, 0, 0, 0, 1, 0, -1, 0};
}

void export_animation(const std::string& motion_file, const AnimationRequest& r) {
  const AnimationFormat* format = animation_format_for(r.format, r.output);
  if (format == nullptr)
    throw Error(ErrorKind::bad_input, fmt::format("'{}' names no format of animations; expected .glb or .bvh",
                                                  printable(r.format.empty() ? r.output : r.format)));
  if (!(r.per_second > 0) || !std::isfinite(r.per_second))
    throw Error(ErrorKind::bad_input,
                fmt::format("found {:g} frames per second; expected more than none", r.per_second));
  check_may_write(r.output, r.existing, "animation");
  check_replaces_its_own(r.output, "animation", std::string(".") + format->name, format->begins);
  const Motion motion = read_motion(motion_file, channels_of_poses(read_motion_info(motion_file)));
  const std::string bytes = format->write(scene_of(motion), motion, r);
  write_whole_file(r.output, r.existing, [&](DiskFile& file) { file.append(bytes.data(), bytes.size()); });
}

}  // namespace marey
