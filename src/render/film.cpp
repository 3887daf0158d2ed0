// Pictures one after another, and ffmpeg, which makes films of them: it is given their pixels through a pipe.
#include "marey/render/film.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>

#include "marey/io/disk.h"
#include "render/film_stage.h"
#include "render/names.h"
#include "render/overlay.h"
#include "render/picture_file.h"
#include "render/strobe.h"

namespace marey {
namespace render {
namespace {

constexpr int most_pictures = 100'000;
constexpr int quick_compression = 3;  // a film's pictures are many, and soon something else

[[noreturn]] void refuse_film(const std::string& why) { throw Error(ErrorKind::bad_input, why); }
[[noreturn]] void film_trouble(const std::string& why) { throw Error(ErrorKind::file_trouble, why); }

struct FilmKind {
  const char* ending;
  bool transparent;                    // whether it can be
  std::vector<const char*> arguments;  // of ffmpeg
  bool (*is_one)(const std::string& start);
};
const std::vector<FilmKind>& film_kinds() {
  static const std::vector<FilmKind> kinds{
      {".mp4",
       false,
       {"-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags",
        "+faststart", "-f", "mp4"},
       [](const std::string& s) { return s.size() > 8 && s.substr(4, 4) == "ftyp"; }},
      {".webm",
       true,
       {"-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-crf", "24", "-b:v", "0", "-f", "webm"},
       [](const std::string& s) { return s.starts_with("\x1A\x45\xDF\xA3"); }},
      // One palette for the whole film; only what changes is stored.
      {".gif",
       true,
       {"-filter_complex",
        "split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none:diff_mode=rectangle", "-loop", "0",
        "-f", "gif"},
       [](const std::string& s) { return s.starts_with("GIF8"); }},
      {".apng", true, {"-plays", "0", "-f", "apng"}, [](const std::string& s) { return s.starts_with("\x89PNG"); }}};
  return kinds;
}

// The place of "%04d" in a name, and how many digits it asks for; none: 0 long.
struct Numbering {
  std::size_t at = 0, length = 0;
  int digits = 0;
};
Numbering numbering_of(const std::string& file) {
  const std::size_t at = file.find('%');
  if (at == std::string::npos) return {};
  std::size_t end = at + 1;
  int digits = 0;
  while (end < file.size() && file[end] >= '0' && file[end] <= '9' && digits < 100)
    digits = 10 * digits + (file[end++] - '0');
  if (end >= file.size() || file[end] != 'd' || digits > 9 || file.find('%', end) != std::string::npos)
    refuse_film(file + ": expected one %04d in the name of a sequence of pictures, for their numbers");
  return {at, end + 1 - at, digits};
}
std::string numbered(const std::string& file, const Numbering& n, int number) {
  std::string digits = std::to_string(number);
  if (static_cast<int>(digits.size()) < n.digits)
    digits.insert(0, static_cast<std::size_t>(n.digits) - digits.size(), '0');
  return file.substr(0, n.at) + digits + file.substr(n.at + n.length);
}

class PictureSink {
 public:
  virtual ~PictureSink() = default;
  virtual void add(const Image&, int number) = 0;
  virtual void finish() {}
};

class NumberedPictures final : public PictureSink {
 public:
  NumberedPictures(const std::string& file, const std::string& title)
      : file_(file), title_(title), numbering_(numbering_of(file)) {
    check_picture_name(numbered(file_, numbering_, 0), "a picture of a sequence");
  }
  void add(const Image& image, int number) override {
    write_png(image, numbered(file_, numbering_, number), title_, quick_compression);
  }

 private:
  std::string file_, title_;
  Numbering numbering_;
};

// What ffmpeg says goes to a file, and is told where it fails; the film takes its place once it is whole.
class Ffmpeg final : public PictureSink {
 public:
  Ffmpeg(const std::string& file, const FilmKind& kind, const FilmOptions& options, int width, int height)
      : file_(file), unfinished_(file + ".unfinished"), words_(std::tmpfile()) {
    if (words_ == nullptr) film_trouble("no temporary file can be made: " + std::string(std::strerror(errno)));
    check_output_name(file);
    const std::string start = start_of(file, 64);
    if (!start.empty() && !kind.is_one(start))
      film_trouble("'" + file + "' is no film of this kind, and is not replaced by one. Choose another name with -o");
    channels_ = options.transparent ? 4 : 3;
    std::vector<std::string> words{"ffmpeg",
                                   "-nostdin",
                                   "-loglevel",
                                   "error",
                                   "-y",
                                   "-f",
                                   "rawvideo",
                                   "-pix_fmt",
                                   options.transparent ? "rgba" : "rgb24",
                                   "-s",
                                   std::to_string(width) + "x" + std::to_string(height),
                                   "-r",
                                   short_number(options.per_second),
                                   "-i",
                                   "-"};
    words.insert(words.end(), kind.arguments.begin(), kind.arguments.end());
    words.push_back(unfinished_);
    start_it(words);
  }
  ~Ffmpeg() override {
    if (pipe_ >= 0) ::close(pipe_);
    if (child_ > 0) {
      ::kill(child_, SIGTERM);
      ::waitpid(child_, nullptr, 0);
    }
    if (words_ != nullptr) std::fclose(words_);
    std::error_code ignored;
    std::filesystem::remove(unfinished_, ignored);
  }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  void add(const Image& image, int) override {
    const std::vector<std::uint8_t> bytes = srgb_bytes(image, channels_ == 4);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::write(pipe_, bytes.data() + at, bytes.size() - at);
      if (n > 0) at += static_cast<std::size_t>(n);
      if (n < 0 && errno != EINTR) wait_and_tell();
    }
  }
  void finish() override {
    wait_and_tell();
    std::error_code error;
    std::filesystem::rename(unfinished_, file_, error);
    if (error) film_trouble(file_ + ": cannot be written: " + error.message());
  }

 private:
  void start_it(std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) film_trouble("no pipe can be made: " + std::string(std::strerror(errno)));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(words_), 1);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(words_), 2);
    // In a group of its own, so that Ctrl-C is for the one who can clear up, and it does not end in the midst of a picture.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error = posix_spawnp(&child_, "ffmpeg", &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    pipe_ = ends[1];
    if (error != 0) child_ = 0;
    if (error == ENOENT)
      film_trouble(
          "films are made by ffmpeg, which is not installed (Debian: apt install ffmpeg); pictures, -o "
          "NAME-%04d.png, need none");
    if (error != 0) film_trouble(std::string("ffmpeg cannot be started: ") + std::strerror(error));
    std::signal(SIGPIPE, SIG_IGN);  // where it ends early it is asked why
  }
  void wait_and_tell() {
    if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0)
      if (errno != EINTR) film_trouble(std::string("ffmpeg was lost: ") + std::strerror(errno));
    child_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    std::string said(2000, ' ');
    std::rewind(words_);
    said.resize(std::fread(said.data(), 1, said.size(), words_));
    film_trouble("ffmpeg failed" + (said.empty() ? "" : ": " + said));
  }

  std::string file_, unfinished_;
  std::FILE* words_ = nullptr;
  pid_t child_ = 0;
  int pipe_ = -1, channels_ = 3;
};

std::unique_ptr<PictureSink> sink_for(const std::string& file, const FilmOptions& o, const std::string& title,
                                      const Stage& stage) {
  if (ends_with(file, ".png")) {
    if (numbering_of(file).length == 0)
      refuse_film(
          file +
          ": a sequence of pictures needs a name such as NAME-%04d.png; a film ends with .mp4, .webm, .gif or .apng");
    return std::make_unique<NumberedPictures>(file, title);
  }
  for (const FilmKind& kind : film_kinds()) {
    if (!ends_with(file, kind.ending)) continue;
    if (o.transparent && !kind.transparent)
      refuse_film(file + ": this kind of film knows no transparency; .webm, .gif, .apng and pictures do");
    return std::make_unique<Ffmpeg>(file, kind, o, stage.width, stage.height);
  }
  refuse_film(file + ": a film is written as .mp4, .webm, .gif or .apng, or as pictures NAME-%04d.png");
}

// The mean, in linear light, of moments while the shutter is open; the first is that of the picture without a blur.
Image picture_through_shutter(const FilmStage& film, const FilmOptions& o, double t, double last) {
  Image image = picture_of(film.at(t), o.look, o.transparent);
  if (!(o.blur > 0)) return image;
  constexpr int moments = 8;
  const double open = o.blur * o.speed / o.per_second;
  for (int k = 1; k < moments; ++k) {
    const Image more = picture_of(film.at(std::min(t + open * k / (moments - 1), last)), o.look, o.transparent);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] += more.pixels[i];
    for (std::size_t i = 0; i < image.cover.size(); ++i) image.cover[i] += more.cover[i];
  }
  for (Vec3<float>& pixel : image.pixels) pixel = (1.0F / moments) * pixel;
  for (float& cover : image.cover) cover /= moments;
  return image;
}

// As many digits as tell neighbouring pictures apart, the same for all.
int decimals_of(const FilmOptions& o) {
  return std::clamp(static_cast<int>(std::ceil(std::log10(o.per_second / o.speed) - 0.3)), 1, 6);
}

}  // namespace
}  // namespace render

std::vector<double> film_times(const PictureScene& scene, const FilmOptions& o) {
  if (!(o.per_second > 0) || !(o.speed > 0) || !std::isfinite(o.per_second) || !std::isfinite(o.speed))
    render::refuse_film("a film needs a number of pictures per second, and a speed, above zero");
  if (!(o.blur >= 0 && o.blur <= 1)) render::refuse_film("a shutter is open for a part of 0 to 1 of a picture's time");
  StrobeOptions ends = o.look;
  ends.at.clear(), ends.every = 0, ends.count = 2;
  const std::vector<double> span = strobe_times(scene, ends);
  const double step = o.speed / o.per_second, last = std::floor((span.back() - span.front()) / step + 1e-6);
  if (!(last < render::most_pictures))
    render::refuse_film("the film would have " + render::short_number(last + 1) + " pictures; expected fewer than " +
                        std::to_string(render::most_pictures));
  std::vector<double> times;
  for (int i = 0; i <= static_cast<int>(last); ++i) times.push_back(std::min(span.front() + i * step, span.back()));
  return times;
}

void render_film(const PictureScene& scene, const FilmOptions& options, const std::string& file,
                 const std::function<void(int, int)>& drawn) {
  const std::vector<double> times = film_times(scene, options);
  const render::FilmStage film(scene, options);
  const auto sink = render::sink_for(file, options, scene.title, film.at(times.front()));
  const int count = static_cast<int>(times.size()), decimals = render::decimals_of(options);
  for (int i = 0; i < count; ++i) {
    const render::Stage stage = film.at(times[static_cast<std::size_t>(i)]);
    render::Image image =
        render::picture_through_shutter(film, options, times[static_cast<std::size_t>(i)], times.back());
    if (options.look.labels)
      render::draw_overlay(
          image, render::film_clock(stage, times[static_cast<std::size_t>(i)], decimals, options.numbers ? i : -1));
    sink->add(image, i);
    if (drawn) drawn(i + 1, count);
  }
  sink->finish();
}

std::vector<CameraKey> parse_camera(const std::string& text, const std::function<double(const std::string&)>& time) {
  std::vector<CameraKey> keys;
  for (const std::string& one : render::split(text, ';')) {
    const auto parts = render::split(one, ':');
    if (parts.size() != 2)
      render::refuse_film(
          "'" + one + "' is no place of a camera; expected TIME: AZIMUTH,ELEVATION, such as 0 s: 30,15; 2 s: 90,20");
    const std::size_t first = parts[0].find_first_not_of(' '), at = parts[1].find_first_not_of(' ');
    StrobeOptions view;
    parse_picture_view(at == std::string::npos ? "" : parts[1].substr(at, parts[1].find_last_not_of(' ') + 1 - at),
                       view);
    const double t =
        time(first == std::string::npos ? "" : parts[0].substr(first, parts[0].find_last_not_of(' ') + 1 - first));
    if (!keys.empty() && !(t > keys.back().t)) render::refuse_film("'" + one + "': expected times that ascend");
    keys.push_back({t, *view.azimuth, view.elevation.value_or(15 * std::numbers::pi / 180)});
  }
  return keys;
}

}  // namespace marey
