#include "render/image.h"

#include <png.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "marey/core.h"

namespace marey::render {
namespace {

double distance_to_segment(const Point2& p, const Point2& a, const Point2& b) {
  const double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y, ee = ex * ex + ey * ey;
  const double s = ee > 0 ? std::clamp((px * ex + py * ey) / ee, 0.0, 1.0) : 0.0;
  return std::hypot(px - s * ex, py - s * ey);
}

// The fraction of a pixel that a line of some width covers, from the distance of its centre. Lines thinner than a pixel
// fade.
double coverage(double distance, double width) {
  const double w = std::max(width, 1.0);
  return std::min(1.0, width) * std::clamp(0.5 * w + 0.5 - distance, 0.0, 1.0);
}

struct PngFile {
  std::FILE* file = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngFile() {
    if (png) png_destroy_write_struct(&png, &info);
    if (file) std::fclose(file);
  }
};

// Plain C inside: libpng exits by longjmp, so nothing with a destructor may live here.
bool write_rows(PngFile& out, const Image& image, std::vector<png_bytep>& rows, png_textp text, int texts,
                int compression) {
  if (setjmp(png_jmpbuf(out.png))) return false;
  png_init_io(out.png, out.file);
  png_set_IHDR(out.png, out.info, image.width, image.height, 8,
               image.cover.empty() ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(out.png, out.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_text(out.png, out.info, text, texts);
  png_set_compression_level(out.png, compression);
  png_set_rows(out.png, out.info, rows.data());
  png_write_png(out.png, out.info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

[[noreturn]] void cannot_write(const std::string& file, int error) {
  throw Error(ErrorKind::file_trouble, file + ": cannot be written: " + std::strerror(error ? error : EIO));
}

}  // namespace

void draw(Image& image, const Stroke& stroke) {
  if (stroke.points.empty()) return;
  const double pad = 0.5 * std::max(1.0, stroke.width) + 1;
  Box2 box;
  for (const Point2& p : stroke.points) box.add({p.x - pad, p.y - pad, p.x + pad, p.y + pad});
  const int x0 = std::max(0.0, std::floor(box.x0)), x1 = std::min<double>(image.width, std::ceil(box.x1));
  const int y0 = std::max(0.0, std::floor(box.y0)), y1 = std::min<double>(image.height, std::ceil(box.y1));
  if (x1 <= x0 || y1 <= y0) return;
  std::vector<float> cover(static_cast<std::size_t>(x1 - x0) * (y1 - y0));
  for (std::size_t i = 0; i < stroke.points.size(); ++i) {
    const Point2 &a = stroke.points[i], &b = stroke.points[std::min(i + 1, stroke.points.size() - 1)];
    const int ax = std::max<double>(x0, std::min(a.x, b.x) - pad),
              bx = std::min<double>(x1, std::max(a.x, b.x) + pad + 1);
    const int ay = std::max<double>(y0, std::min(a.y, b.y) - pad),
              by = std::min<double>(y1, std::max(a.y, b.y) + pad + 1);
    for (int y = ay; y < by; ++y)
      for (int x = ax; x < bx; ++x) {
        float& c = cover[static_cast<std::size_t>(y - y0) * (x1 - x0) + (x - x0)];
        c = std::max(c, static_cast<float>(coverage(distance_to_segment({x + 0.5, y + 0.5}, a, b), stroke.width)));
      }
  }
  const Vec3<float> colour{static_cast<float>(stroke.colour.x), static_cast<float>(stroke.colour.y),
                           static_cast<float>(stroke.colour.z)};
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const float c =
          static_cast<float>(stroke.opacity) * cover[static_cast<std::size_t>(y - y0) * (x1 - x0) + (x - x0)];
      if (c <= 0) continue;
      image.at(x, y) += c * (colour - image.at(x, y));
      if (!image.cover.empty()) {
        float& cover_here = image.cover[static_cast<std::size_t>(y) * image.width + x];
        cover_here += c * (1 - cover_here);
      }
    }
}

void in_parallel(int n, int threads, const std::function<void(int)>& work) {
  if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<int> next{0};
  const auto loop = [&] {
    for (int i = next++; i < n; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < std::min(threads, n); ++i) helpers.emplace_back(loop);
  loop();
}

std::vector<std::uint8_t> srgb_bytes(const Image& image, bool with_cover) {
  const std::size_t channels = with_cover ? 4 : 3;
  std::vector<std::uint8_t> bytes(image.pixels.size() * channels);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const float cover = with_cover && !image.cover.empty() ? image.cover[i] : 1;
    for (int k = 0; k < 3; ++k)
      bytes[channels * i + k] = cover > 0 ? to_srgb_byte(image.pixels[i][k] / cover) : std::uint8_t{0};
    if (with_cover)
      bytes[channels * i + 3] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(cover, 0.0f, 1.0f)));
  }
  return bytes;
}

void write_png(const Image& image, const std::string& file, const std::string& title, int compression) {
  const std::size_t channels = image.cover.empty() ? 3 : 4;
  std::vector<png_byte> bytes = srgb_bytes(image, channels == 4);
  std::vector<png_bytep> rows;
  rows.reserve(image.height);
  for (int y = 0; y < image.height; ++y)
    rows.push_back(bytes.data() + static_cast<std::size_t>(y) * image.width * channels);
  std::string title_text = title, software = std::string("Marey ") + version;
  char title_key[] = "Title", software_key[] = "Software";
  png_text text[2] = {};
  for (png_text& t : text) t.compression = PNG_TEXT_COMPRESSION_NONE;
  text[0].key = software_key, text[0].text = software.data();
  text[1].key = title_key, text[1].text = title_text.data();

  PngFile out;
  errno = 0;
  out.file = std::fopen(file.c_str(), "wb");
  if (!out.file) cannot_write(file, errno);
  const auto silent = [](png_structp png, png_const_charp) { png_longjmp(png, 1); };
  out.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, silent, [](png_structp, png_const_charp) {});
  out.info = out.png ? png_create_info_struct(out.png) : nullptr;
  if (!out.info || !write_rows(out, image, rows, text, title.empty() ? 1 : 2, compression)) cannot_write(file, errno);
  const int closed = std::fclose(out.file);
  out.file = nullptr;
  if (closed != 0) cannot_write(file, errno);
}

}  // namespace marey::render
