// A motion as a film: pictures at equal times from one camera, framed by the whole motion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "marey/render.h"

namespace marey {

struct CameraKey {
  double t = 0;
  double azimuth = 0, elevation = 0;  // rad
};
struct FilmOptions {
  StrobeOptions look;      // its span, direction, size, theme, ground, trails; instants and `spread` are not looked at
  double per_second = 30;  // pictures
  double speed = 1;        // seconds of the motion in a second of the film
  std::string follow;      // a link: the camera goes along with its joint
  std::vector<CameraKey> camera;  // ascending in time: directions between which the camera goes round
  double leaves_every = 0;        // s: as often the figures leave an instant of themselves behind; 0: never
  double blur = 0;           // part of a picture's time for which the shutter is open: what moves is drawn as a blur
  bool transparent = false;  // nothing but what moves and stands: no plate, no ground
  bool numbers = false;      // of pictures, beside the time
};

// `file` says what is made: "NAME-%04d.png" pictures, numbered from 0; .mp4, .webm, .gif and .apng films, by ffmpeg. A film that is
// there is replaced. After every picture `drawn` is called with how many there are and how many there will be; what it throws ends the
// film, of which nothing is left then. Throws Error: bad_input
// as render_strobe; file_trouble where the file cannot be written, or ffmpeg is missing or fails.
void render_film(const PictureScene&, const FilmOptions&, const std::string& file,
                 const std::function<void(int, int)>& drawn = {});
// When the pictures are.
std::vector<double> film_times(const PictureScene&, const FilmOptions&);
// "0 s: 30,15; 2 s: 90,20" as a person writes it, with times read by `time`; bad_input when it is malformed.
std::vector<CameraKey> parse_camera(const std::string&, const std::function<double(const std::string&)>& time);

}  // namespace marey
