// Mesh files that are damaged: numbers and words of texts, lines, bytes; containers of glTF are mended afterwards, so that
// not all is lost at their door.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/random.h"

namespace marey::fuzz {

struct MeshFile {
  std::string name, bytes;
};

class MeshMutator {
 public:
  explicit MeshMutator(std::vector<MeshFile> corpus) : corpus_(std::move(corpus)) {}

  MeshFile file(std::uint64_t seed, std::uint64_t number) const {
    Random r(seed, number);
    MeshFile file = r.of(corpus_);
    const bool is_container = file.name.ends_with(".glb");
    std::string binary = is_container ? taken_out(file.bytes) : "";
    for (std::size_t n = r.below(5); n > 0; --n) {
      std::string& victim = is_container && r.one_in(4) ? binary : file.bytes;
      change(victim, file.name.ends_with("b.stl") || &victim == &binary, r);
    }
    if (is_container && !r.one_in(8)) file.bytes = put_together(file.bytes, binary);
    return file;
  }

 private:
  void change(std::string& bytes, bool is_binary, Random& r) const {
    switch (is_binary ? r.below(5) : r.below(11)) {
      case 0:  // one bit
        if (!bytes.empty()) bytes[r.below(bytes.size())] ^= static_cast<char>(1 << r.below(8));
        break;
      case 1:  // cut off
        bytes.resize(r.below(bytes.size() + 1));
        break;
      case 2: {  // a piece twice, or away
        const std::size_t at = r.below(bytes.size()), n = std::min(r.below(60), bytes.size() - at);
        if (r.one_in(2))
          bytes.insert(at, bytes.substr(at, n));
        else
          bytes.erase(at, n);
        break;
      }
      case 3:  // four bytes, a number of any meaning
        if (bytes.size() >= 4) put_number(bytes, r.below(bytes.size() / 2) * 2, r);
        break;
      case 4: {  // a piece of another file
        const std::string& other = r.of(corpus_).bytes;
        bytes.insert(r.below(bytes.size() + 1), other.substr(r.below(other.size() + 1), r.below(100)));
        break;
      }
      case 5:
      case 6:
      case 7:
        change_number(bytes, r);
        break;
      case 8:
        change_line(bytes, r);
        break;
      case 9:
        change_word(bytes, r);
        break;
      default:
        bytes.insert(r.below(bytes.size() + 1),
                     r.of({" ", "\n", "\t", "#", "\\\n", "{", "}", "[", "]", "\"", ",", "/", "-"}));
    }
  }
  static void put_number(std::string& bytes, std::size_t at, Random& r) {
    if (at + 4 > bytes.size()) return;
    static const std::vector<std::uint32_t> numbers{0,          1,          2,          3,          0xffffffff,
                                                    0x80000000, 0x7fffffff, 0x7f800000, 0x7fc00000, 0xff800000,
                                                    0x3f800000, 0x00000001, 0x7149f2ca, 0x4e4f534a};
    const std::uint32_t value = r.one_in(3) ? static_cast<std::uint32_t>(r.bits()) : r.of(numbers);
    std::memcpy(bytes.data() + at, &value, 4);
  }
  // Where a run of characters for which `is` holds begins, from some place on, and how long it is.
  template <class Is>
  static std::pair<std::size_t, std::size_t> run(const std::string& text, Random& r, Is is) {
    std::size_t at = r.below(text.size());
    while (at < text.size() && !is(text[at])) ++at;
    while (at > 0 && at < text.size() && is(text[at - 1])) --at;
    std::size_t end = at;
    while (end < text.size() && is(text[end])) ++end;
    return {at, end - at};
  }
  static void change_number(std::string& text, Random& r) {
    const auto [at, n] = run(text, r, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
    if (n == 0) return;
    const std::string by = r.one_in(2) ? std::to_string(static_cast<int>(r.below(20)) - 4)
                                       : r.of({"0",
                                               "-0",
                                               "1",
                                               "0.5",
                                               "-1",
                                               "1e-300",
                                               "1e-61",
                                               "1e8",
                                               "1e30",
                                               "1e308",
                                               "1e999",
                                               "nan",
                                               "inf",
                                               "2147483647",
                                               "2147483648",
                                               "-2147483648",
                                               "4294967295",
                                               "9007199254740993",
                                               "5120",
                                               "5121",
                                               "5122",
                                               "5125",
                                               "5126",
                                               "1e-9",
                                               "0.000000000000001",
                                               "--",
                                               "3.5"});
    text.replace(at, n, by);
  }
  static void change_word(std::string& text, Random& r) {
    const auto [at, n] =
        run(text, r, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; });
    if (n == 0) return;
    text.replace(
        at, n,
        r.of({"v",       "f",          "vn",         "solid",      "endsolid",   "facet",  "vertex",   "endfacet",
              "endloop", "mesh",       "children",   "nodes",      "matrix",     "scale",  "rotation", "translation",
              "sparse",  "normalized", "byteStride", "byteOffset", "mode",       "skin",   "uri",      "null",
              "true",    "SCALAR",     "VEC3",       "count",      "bufferView", "scenes", "weights",  ""}));
  }
  static void change_line(std::string& text, Random& r) {
    const auto line = [&] { return run(text, r, [](char c) { return c != '\n'; }); };
    const auto [at, n] = line();
    const auto [other, m] = line();
    const std::string piece = text.substr(other, m) + "\n";
    if (r.one_in(3))
      text.erase(at, n);
    else
      text.insert(at, piece);
  }

  // The JSON of a container, without the rest; what is cut out is its binary chunk.
  static std::string taken_out(std::string& bytes) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    const std::string binary = bytes.substr(20 + length + 8);
    bytes = bytes.substr(20, length);
    return binary;
  }
  static std::string put_together(const std::string& json, const std::string& binary) {
    const auto word = [](std::size_t n) {
      const auto value = static_cast<std::uint32_t>(n);
      return std::string(reinterpret_cast<const char*>(&value), 4);
    };
    return "glTF" + word(2) + word(28 + json.size() + binary.size()) + word(json.size()) + "JSON" + json +
           word(binary.size()) + std::string("BIN\0", 4) + binary;
  }
  std::vector<MeshFile> corpus_;
};

}  // namespace marey::fuzz
