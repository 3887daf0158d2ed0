// Source: Khronos Group, glTF 2.0 Specification, version 2.0.1 (2021): 3.6 (buffers, views, accessors), 4.4 (.glb).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/exchange/gltf.h"
#include "marey/core/text.h"

namespace marey {

using nlohmann::json;

namespace {

constexpr std::int64_t largest_whole = std::int64_t{1} << 53;
constexpr int deepest = 64;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Nobody writes a document that is nested so deeply, except to break its reader.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const std::size_t start = before.rfind('\n');
  return fmt::format("{}:{}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1);
}

std::string path_of(const GltfValue& object, const char* key) {
  return object.path.empty() ? key : object.path + "." + key;
}

std::size_t bytes_of_component(int type) {
  switch (type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

template <class T>
double component_at(const char* from, double largest) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return largest == 0 ? static_cast<double>(value) : std::max(-1.0, static_cast<double>(value) / largest);
}

std::string text_of(const json& value) {
  const std::string text = value.is_structured() ? (value.is_array() ? "a list" : "a mapping")
                                                 : value.dump(-1, ' ', false, json::error_handler_t::replace);
  return printable(text);
}

}  // namespace

// ----------------------------------------------------------------------------------------------- JSON
GltfDocument::GltfDocument(std::string_view bytes, std::string file, const FileBeside& beside)
    : file_(std::move(file)) {
  parse(unpack(bytes));
  if (!json_.is_object())
    throw Error(ErrorKind::bad_input, file_ + ": found " + text_of(json_) + "; expected a mapping");
  read_buffers(binary_, beside);
}

void GltfDocument::refuse(const std::string& path, const std::string& what) const {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}: {}", file_, path, what));
}

// The JSON within; remembers the binary chunk.
std::string_view GltfDocument::unpack(std::string_view bytes) {
  constexpr std::uint32_t magic = 0x46546c67, json_chunk = 0x4e4f534a, binary_chunk = 0x004e4942;
  if (bytes.size() < 4 || word_at(bytes, 0) != magic) return bytes;
  const auto need_that = [&](bool sound, const std::string& what) {
    if (!sound) throw Error(ErrorKind::bad_input, file_ + ": " + what);
  };
  need_that(bytes.size() >= 20, fmt::format("found {} bytes; expected a .glb of at least 20", bytes.size()));
  need_that(word_at(bytes, 4) == 2, fmt::format("found glTF version {}; expected 2", word_at(bytes, 4)));
  need_that(word_at(bytes, 8) == bytes.size(),
            fmt::format("found {} bytes; expected {}, as its head says", bytes.size(), word_at(bytes, 8)));
  std::string_view text;
  std::size_t at = 12;
  for (int chunk = 0; at < bytes.size(); ++chunk) {
    need_that(bytes.size() - at >= 8,
              fmt::format("found the head of a chunk cut off at byte {}; expected 8 bytes", at));
    const std::uint32_t length = word_at(bytes, at), type = word_at(bytes, at + 4);
    need_that(length <= bytes.size() - at - 8,
              fmt::format("found a chunk of {} bytes at byte {}; expected at most the {} that are left", length, at,
                          bytes.size() - at - 8));
    const std::string_view content = bytes.substr(at + 8, length);
    need_that(chunk > 0 || type == json_chunk, "found no JSON in the first chunk; expected it there");
    if (chunk == 0) text = content;
    if (chunk == 1 && type == binary_chunk) binary_ = content;
    at += 8 + std::size_t{length};
  }
  return text;
}

void GltfDocument::parse(std::string_view text) {
  if (is_too_deep(text))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: found brackets more than {} deep; expected a glTF document", file_, deepest));
  try {
    json_ = json::parse(text);
  } catch (const json::parse_error& e) {
    throw Error(ErrorKind::bad_input, fmt::format("{}:{}: found no JSON here; expected a glTF document", file_,
                                                  line_and_column(text, e.byte > 0 ? e.byte - 1 : 0)));
  } catch (const json::exception& e) {  // a number that is too large, for one
    throw Error(ErrorKind::bad_input, fmt::format("{}: found JSON that cannot be read ({}); expected a glTF document",
                                                  file_, printable(e.what(), 80)));
  }
}

bool GltfDocument::has(const GltfValue& object, const char* key) const { return object.json->contains(key); }

GltfValue GltfDocument::need(const GltfValue& object, const char* key) const {
  const auto found = object.json->find(key);
  const std::string path = path_of(object, key);
  if (found == object.json->end()) refuse(path, "is missing");
  return {&*found, path};
}
GltfValue GltfDocument::need_object(const GltfValue& object, const char* key) const {
  GltfValue value = need(object, key);
  if (!value.json->is_object()) refuse(value.path, "found " + text_of(*value.json) + "; expected a mapping");
  return value;
}
GltfValue GltfDocument::need_list(const GltfValue& object, const char* key) const {
  GltfValue value = need(object, key);
  if (!value.json->is_array()) refuse(value.path, "found " + text_of(*value.json) + "; expected a list");
  return value;
}
std::string GltfDocument::need_text(const GltfValue& object, const char* key) const {
  const GltfValue value = need(object, key);
  if (!value.json->is_string()) refuse(value.path, "found " + text_of(*value.json) + "; expected a text");
  return value.json->get<std::string>();
}
std::int64_t GltfDocument::need_whole(const GltfValue& object, const char* key, std::int64_t most) const {
  const GltfValue value = need(object, key);
  const double number = value.json->is_number() ? value.json->get<double>() : -1;
  if (!(number >= 0 && number <= static_cast<double>(most)) || number != std::floor(number))
    refuse(value.path, fmt::format("found {}; expected a whole number from 0 to {}", text_of(*value.json), most));
  return static_cast<std::int64_t>(number);
}
std::int64_t GltfDocument::whole_or(const GltfValue& object, const char* key, std::int64_t otherwise,
                                    std::int64_t most) const {
  return has(object, key) ? need_whole(object, key, most) : otherwise;
}
bool GltfDocument::flag_or(const GltfValue& object, const char* key, bool otherwise) const {
  if (!has(object, key)) return otherwise;
  const GltfValue value = need(object, key);
  if (!value.json->is_boolean()) refuse(value.path, "found " + text_of(*value.json) + "; expected true or false");
  return value.json->get<bool>();
}
GltfValue GltfDocument::item(const GltfValue& list, std::size_t i) const {
  return {&(*list.json)[i], fmt::format("{}[{}]", list.path, i)};
}
std::vector<double> GltfDocument::numbers(const GltfValue& object, const char* key, std::size_t count) const {
  const GltfValue list = need_list(object, key);
  std::vector<double> values;
  for (const json& v : *list.json)
    if (v.is_number()) values.push_back(v.get<double>());
  if (values.size() != count || size(list) != count ||
      !std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    refuse(list.path, fmt::format("expected a list of {} finite numbers", count));
  return values;
}
GltfValue GltfDocument::referred(const GltfValue& object, const char* key, const char* list) const {
  const std::int64_t number = need_whole(object, key, largest_whole);
  const std::string path = path_of(object, key);
  const std::size_t count = has(root(), list) ? size(need_list(root(), list)) : 0;
  if (static_cast<std::size_t>(number) >= count)
    refuse(path, fmt::format("found {}; expected the number of one of the {} {}, from 0", number, count, list));
  GltfValue value = item(need_list(root(), list), static_cast<std::size_t>(number));
  if (!value.json->is_object()) refuse(value.path, "found " + text_of(*value.json) + "; expected a mapping");
  return value;
}
bool GltfDocument::uses(const char* extension) const {
  if (!has(root(), "extensionsUsed")) return false;
  const GltfValue list = need_list(root(), "extensionsUsed");
  return std::ranges::any_of(*list.json, [&](const json& v) { return v.is_string() && v == extension; });
}

// ----------------------------------------------------------------------------------------------- buffers
void GltfDocument::read_buffers(std::string_view binary, const FileBeside& beside) {
  if (!has(root(), "buffers")) return;
  const GltfValue list = need_list(root(), "buffers");
  for (std::size_t i = 0; i < size(list); ++i) {
    const GltfValue buffer = item(list, i);
    if (!buffer.json->is_object()) refuse(buffer.path, "found " + text_of(*buffer.json) + "; expected a mapping");
    buffers_.push_back(buffer_of(buffer, i == 0 ? binary : std::string_view(), beside));
  }
}

std::string GltfDocument::buffer_of(const GltfValue& buffer, std::string_view binary, const FileBeside& beside) const {
  const std::int64_t length = need_whole(buffer, "byteLength", largest_whole);
  std::string bytes;
  if (!has(buffer, "uri")) {
    bytes = binary;
  } else {
    const std::string uri = need_text(buffer, "uri");
    const std::string path = buffer.path + ".uri";
    if (uri.starts_with("data:")) {
      const std::size_t comma = uri.find(',');
      if (comma == std::string::npos || !std::string_view(uri).substr(0, comma).ends_with(";base64"))
        refuse(path, "found '" + printable(uri) + "'; expected data in base64");
      bytes = decoded_base64(path, std::string_view(uri).substr(comma + 1));
    } else {
      bytes = beside(checked_name(path, uri));
    }
  }
  if (static_cast<std::int64_t>(bytes.size()) < length)
    refuse(buffer.path, fmt::format("found {} bytes; expected the {} that byteLength says", bytes.size(), length));
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

std::string GltfDocument::decoded_base64(const std::string& path, std::string_view text) const {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> value{};
  value.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    value[static_cast<unsigned char>(alphabet[i])] = static_cast<int>(i);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int six = value[static_cast<unsigned char>(text[i])];
    if (six < 0)
      refuse(path, fmt::format("found '{}' as character {} of its data; expected base64", printable(text.substr(i, 1)),
                               i + 1));
    bits = bits << 6 | static_cast<std::uint32_t>(six), count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  if (count == 6) refuse(path, "found base64 that ends within a byte; expected more of it");
  return bytes;
}

// A name relative to the document's folder that cannot lead out of it, with %20 and the like resolved.
std::string GltfDocument::checked_name(const std::string& path, const std::string& uri) const {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string name;
  bool sound = !uri.empty() && uri.size() < 1000;
  for (std::size_t i = 0; i < uri.size() && sound; ++i) {
    if (uri[i] != '%') {
      name += uri[i];
      continue;
    }
    sound = i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
    if (sound) name += static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2]));
    i += 2;
  }
  for (const char c : name) sound = sound && static_cast<unsigned char>(c) >= 32 && c != '\\' && c != ':';
  for (std::size_t begin = 0; begin <= name.size() && sound;) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    sound = !part.empty() && part != "." && part != "..";
    begin = end + 1;
  }
  if (!sound)
    refuse(path, "found '" + printable(uri) + "'; expected data in base64, or a file in the same folder or below");
  return name;
}

// ----------------------------------------------------------------------------------------------- accessors
double GltfDocument::Elements::at(std::size_t element, std::size_t i) const {
  const char* from = bytes.data() + element * stride + i * bytes_of_component(component);
  switch (component) {
    case 5120:
      return component_at<std::int8_t>(from, normalized ? 127 : 0);
    case 5121:
      return component_at<std::uint8_t>(from, normalized ? 255 : 0);
    case 5122:
      return component_at<std::int16_t>(from, normalized ? 32767 : 0);
    case 5123:
      return component_at<std::uint16_t>(from, normalized ? 65535 : 0);
    case 5125:
      return component_at<std::uint32_t>(from, 0);
    default:
      return component_at<float>(from, 0);
  }
}

// `from` names the view; `place` has the offset within it, and is what is to blame.
GltfDocument::Elements GltfDocument::elements(const GltfValue& from, const GltfValue& place, std::size_t count,
                                              std::size_t width, int component, bool may_stride) const {
  const GltfValue view = referred(from, "bufferView", "bufferViews");
  (void)referred(view, "buffer", "buffers");
  const std::string& buffer = buffers_[static_cast<std::size_t>(need_whole(view, "buffer", largest_whole))];
  const std::int64_t start = whole_or(view, "byteOffset", 0, largest_whole),
                     length = need_whole(view, "byteLength", largest_whole);
  if (start + length > static_cast<std::int64_t>(buffer.size()))
    refuse(view.path, fmt::format("found bytes {} to {}; expected them within the {} of its buffer", start,
                                  start + length, buffer.size()));
  const std::size_t element = width * bytes_of_component(component);
  const std::int64_t stride = may_stride ? whole_or(view, "byteStride", static_cast<std::int64_t>(element), 252)
                                         : static_cast<std::int64_t>(element);
  if (stride < static_cast<std::int64_t>(element))
    refuse(view.path + ".byteStride", fmt::format("found {}; expected at least {}", stride, element));
  const std::int64_t offset = whole_or(place, "byteOffset", 0, largest_whole);
  const std::int64_t end =
      count == 0 ? offset
                 : offset + stride * (static_cast<std::int64_t>(count) - 1) + static_cast<std::int64_t>(element);
  if (end > length)
    refuse(place.path, fmt::format("found {} elements up to byte {}; expected them within the {} of their view", count,
                                   end, length));
  return {std::string_view(buffer).substr(static_cast<std::size_t>(start + offset)),
          static_cast<std::size_t>(stride),
          count,
          width,
          component,
          false};
}

std::vector<double> GltfDocument::values(const GltfValue& accessor, std::size_t width, bool whole) const {
  const int component = static_cast<int>(need_whole(accessor, "componentType", 10000));
  const bool known =
      whole ? component == 5121 || component == 5123 || component == 5125
            : component == 5126 || (uses("KHR_mesh_quantization") && component >= 5120 && component <= 5123);
  if (!known)
    refuse(accessor.path + ".componentType",
           fmt::format("found {}; expected {}", component, whole ? "5121, 5123 or 5125" : "5126 (numbers of 4 bytes)"));
  const std::string type = need_text(accessor, "type"), wanted = whole ? "SCALAR" : "VEC3";
  if (type != wanted) refuse(accessor.path + ".type", "found '" + printable(type) + "'; expected " + wanted);
  const auto count = static_cast<std::size_t>(need_whole(accessor, "count", most_points));
  const bool normalized = flag_or(accessor, "normalized", false);
  std::vector<double> all;
  std::optional<Elements> given;
  if (has(accessor, "bufferView")) {
    given = elements(accessor, accessor, count, width, component, !whole);
    given->normalized = normalized;
  } else if (!has(accessor, "sparse")) {
    refuse(accessor.path, "has no bufferView; expected one");
  }
  all.resize(count * width, 0.0);
  for (std::size_t e = 0; given && e < count; ++e)
    for (std::size_t i = 0; i < width; ++i) all[e * width + i] = given->at(e, i);
  if (!has(accessor, "sparse")) return all;
  const GltfValue sparse = need_object(accessor, "sparse"), where = need_object(sparse, "indices"),
                  what = need_object(sparse, "values");
  const auto replaced = static_cast<std::size_t>(need_whole(sparse, "count", static_cast<std::int64_t>(count)));
  const int index_type = static_cast<int>(need_whole(where, "componentType", 10000));
  if (index_type != 5121 && index_type != 5123 && index_type != 5125)
    refuse(where.path + ".componentType", fmt::format("found {}; expected 5121, 5123 or 5125", index_type));
  const Elements places = elements(where, where, replaced, 1, index_type, false);
  Elements numbers_there = elements(what, what, replaced, width, component, false);
  numbers_there.normalized = normalized;
  for (std::size_t e = 0; e < replaced; ++e) {
    const auto to = static_cast<std::size_t>(places.at(e, 0));
    if (to >= count) refuse(where.path, fmt::format("found {}; expected one of the {} elements", to, count));
    for (std::size_t i = 0; i < width; ++i) all[to * width + i] = numbers_there.at(e, i);
  }
  return all;
}

std::vector<double> GltfDocument::positions(const GltfValue& accessor) const { return values(accessor, 3, false); }

std::vector<std::uint32_t> GltfDocument::indices(const GltfValue& accessor) const {
  std::vector<std::uint32_t> whole;
  for (const double x : values(accessor, 1, true)) whole.push_back(static_cast<std::uint32_t>(x));
  return whole;
}

}  // namespace marey
