// The stage of a film: one camera and one ground for all of its pictures.
#pragma once

#include "marey/render/film.h"
#include "render/stage.h"

namespace marey::render {

class FilmStage {
 public:
  FilmStage(const PictureScene&, const FilmOptions&);  // both outlive it
  Stage at(double t) const;

 private:
  Vec followed(double t) const;
  Camera camera_at(double t) const;
  std::vector<double> left_behind(double t) const;

  const PictureScene& scene_;
  const FilmOptions& options_;
  Stage whole_;  // instants throughout the motion, seen as the camera sees them: moved back where it follows
  std::vector<bool> still_;
  int link_ = 0;  // that the camera follows; 0: none
  Vec from_;      // where it is at first
};

}  // namespace marey::render
