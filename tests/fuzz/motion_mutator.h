// Damages motion files: bytes flipped, blocks zeroed, cut out, doubled or taken from another motion, files cut short,
// fields of HDF5's own structures changed; and, with sums made right again, Marey's own records and checkpoints, which
// no checksum then protects.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/random.h"
#include "io/motion/layout.h"

namespace marey::fuzz {

struct SoundMotion {
  std::string bytes;
  Layout layout;
};

class MotionMutator {
 public:
  explicit MotionMutator(std::vector<SoundMotion> corpus) : corpus_(std::move(corpus)) {}

  std::string motion(std::uint64_t seed, std::uint64_t number) const {
    Random r(seed, number);
    const SoundMotion& sound = corpus_[r.below(corpus_.size())];
    std::string bytes = sound.bytes;
    std::size_t rounds = 1;
    while (rounds < 6 && r.one_in(2)) ++rounds;
    for (; rounds > 0 && !bytes.empty(); --rounds) damage(r, sound.layout, bytes);
    return bytes;
  }

 private:
  void damage(Random& r, const Layout& layout, std::string& bytes) const {
    switch (r.below(12)) {
      case 0:
        return flip(r, bytes, r.below(bytes.size()));
      case 1:
      case 2:
      case 3:
      case 4:
        return flip(r, bytes, in_structures(r, bytes));
      case 5:
        return overwrite(r, bytes, r.one_in(2) ? in_structures(r, bytes) : r.below(bytes.size()));
      case 6:
        return blank(r, bytes);
      case 7:
        return move_block(r, bytes);
      case 8:
        if (r.one_in(3)) bytes.resize(r.below(bytes.size() + 1));
        return;
      case 9:
        return change_scene(r, bytes);
      case 10:
        return change_record(r, layout, bytes);
      default:
        return change_checkpoint(r, layout, bytes);
    }
  }

  static void flip(Random& r, std::string& bytes, std::size_t at) {
    bytes[at] = static_cast<char>(r.one_in(2) ? bytes[at] ^ (1 << r.below(8)) : static_cast<int>(r.below(256)));
  }
  // Near one of the marks with which HDF5 begins its structures, or in the first kilobytes, where headers lie.
  static std::size_t in_structures(Random& r, const std::string& bytes) {
    const std::string_view mark = r.of({"\x89HDF", "TREE", "HEAP", "SNOD", "GCOL", "OHDR", "marey", "columns", "unit"});
    std::vector<std::size_t> places;
    for (std::size_t at = 0; (at = bytes.find(mark, at)) != std::string::npos; ++at) places.push_back(at);
    const std::size_t from = places.empty() ? r.below(4096) : r.of(places);
    return std::min(from + r.below(200), bytes.size() - 1);
  }
  static void overwrite(Random& r, std::string& bytes, std::size_t at) {
    static const std::uint64_t numbers[] = {0,       1,          2,          0xff,       0xffff,     0x7fffffff,
                                            1 << 16, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 62, ~0ull};
    const std::uint64_t x = numbers[r.below(std::size(numbers))];
    const std::size_t size = std::size_t{1} << r.below(4);
    at -= at % size;
    std::memcpy(bytes.data() + at, &x, std::min(size, bytes.size() - at));
  }
  static void blank(Random& r, std::string& bytes) {
    const std::size_t at = r.below(bytes.size()), n = std::min(bytes.size() - at, r.below(512));
    std::memset(bytes.data() + at, r.one_in(3) ? 0xff : 0, n);
  }
  void move_block(Random& r, std::string& bytes) const {
    const std::string& from = corpus_[r.below(corpus_.size())].bytes;
    const std::size_t at = r.below(bytes.size()), n = r.below(256), source = r.below(from.size());
    if (r.one_in(3))
      bytes.erase(at, n);
    else if (r.one_in(2))
      bytes.insert(at, from, source, n);
    else
      bytes.replace(at, std::min(n, bytes.size() - at), from, source, n);
  }
  // The scene's text inside the motion is a scene as any other.
  static void change_scene(Random& r, std::string& bytes) {
    const std::size_t at = bytes.find("marey: 1\n");
    if (at == std::string::npos) return;
    bytes[std::min(at + r.below(400), bytes.size() - 1)] = "0123456789 :-eE\n{}[]az"[r.below(22)];
  }

  // ---- what is sealed
  static bool inside(const std::string& bytes, std::size_t at, std::size_t size) {
    return at <= bytes.size() && size <= bytes.size() - at;
  }
  static void change_record(Random& r, const Layout& layout, std::string& bytes) {
    for (std::uint64_t k = 0; k < 2; ++k) {
      const std::size_t at = layout.progress_record(k);
      if (!inside(bytes, at, sizeof(Progress))) return;
      Progress p;
      std::memcpy(&p, bytes.data() + at, sizeof p);
      std::uint64_t* fields[] = {&p.sequence,           &p.frames,          &p.end,
                                 &p.summary_bytes,      &p.checkpoint_slot, &p.checkpoint_bytes,
                                 &p.checkpoint_frames,  &p.checkpoint_sum,  &p.items[0],
                                 &p.checkpoint_items[0]};
      std::uint64_t& field = *fields[r.below(std::size(fields))];
      field = r.one_in(3) ? r.bits() : r.one_in(2) ? field + r.below(8) - 4 : r.below(4);
      if (r.one_in(4)) p.checkpoint_time = r.one_in(2) ? -1e300 : static_cast<double>(r.bits());
      seal(p);
      std::memcpy(bytes.data() + at, &p, sizeof p);
    }
  }
  static void change_checkpoint(Random& r, const Layout& layout, std::string& bytes) {
    for (std::uint64_t k = 0; k < 2; ++k) {
      const std::size_t at = layout.progress_record(k);
      if (!inside(bytes, at, sizeof(Progress))) return;
      Progress p;
      std::memcpy(&p, bytes.data() + at, sizeof p);
      if (p.checkpoint_slot != 1 && p.checkpoint_slot != 2) continue;
      const std::size_t slot = layout.checkpoint_slot(p.checkpoint_slot);
      if (p.checkpoint_bytes < 8 || !inside(bytes, slot, p.checkpoint_bytes)) continue;
      for (std::size_t n = 1 + r.below(3); n > 0; --n) {
        const std::size_t word = slot + 8 * r.below(p.checkpoint_bytes / 8);
        const double numbers[] = {0, -1, 1e308, 1e-308, std::nan(""), INFINITY, 0.5, 1e10};
        const double x = numbers[r.below(std::size(numbers))];
        if (r.one_in(3))
          bytes[word + r.below(8)] = static_cast<char>(r.below(256));
        else
          std::memcpy(bytes.data() + word, &x, sizeof x);
      }
      p.checkpoint_sum = checksum(bytes.data() + slot, p.checkpoint_bytes);
      seal(p);
      std::memcpy(bytes.data() + at, &p, sizeof p);
    }
  }

  std::vector<SoundMotion> corpus_;
};

}  // namespace marey::fuzz
