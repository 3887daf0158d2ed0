#include "marey/core/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace marey {

namespace {
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr std::size_t longest_word = 64;  // nobody mistypes longer words by a letter or two
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest_word), b = b.substr(0, longest_word);
  // Three rows of the table of distances between prefixes: the swap looks two rows back.
  std::array<std::array<int, longest_word + 1>, 3> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto &now = row[i % 3], &before = row[(i + 2) % 3], &two_before = row[(i + 1) % 3];
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
  }
  return row[a.size() % 3][b.size()];
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() < 2) return best;  // every letter is close to every other
  int nearest = std::max<int>(1, static_cast<int>(std::min(word.size(), longest_word)) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < nearest) nearest = distance, best = candidate;
  }
  if (!best.empty()) return best;
  for (const std::string& candidate : candidates)  // a part of a name: euler, for euler_zyz
    if (candidate.starts_with(std::string(word) + "_")) return candidate;
  return best;
}

namespace {

// How many bytes a letter of UTF-8 has here; 0: this is none, or a control character of two bytes.
std::size_t letter_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t count = first >= 0xF0 && first <= 0xF4   ? 4
                            : first >= 0xE0 && first <= 0xEF ? 3
                            : first >= 0xC2 && first <= 0xDF ? 2
                                                             : 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  const bool control = first == 0xC2 && byte(1) < 0xA0;
  return overlong || beyond || control ? 0 : count;
}

}  // namespace

// What is no letter is shown by its number: a terminal would obey it, and a reader of UTF-8 stumble.
std::string printable(std::string_view text, std::size_t longest) {
  std::string out;
  for (std::size_t at = 0, shown = 0; at < text.size(); ++shown) {
    if (shown == longest) return out + "…";
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = letter_bytes(text.substr(at));
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (bytes == 0 || c < 0x20 || c == 0x7F)
      out += fmt::format("\\x{:02x}", c);
    else
      out += text.substr(at, bytes);
    at += std::max<std::size_t>(bytes, 1);
  }
  return out;
}

std::string either(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto c = static_cast<unsigned char>(s[i]);
  const std::size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
  if (n == 0 || i + n > s.size()) return 0;
  const auto continues = [](char x) { return (static_cast<unsigned char>(x) & 0xC0) == 0x80; };
  for (std::size_t k = 1; k < n; ++k)
    if (!continues(s[i + k])) return 0;
  const auto next = n > 1 ? static_cast<unsigned char>(s[i + 1]) : 0;
  const bool overlong = (c == 0xE0 && next < 0xA0) || (c == 0xF0 && next < 0x90);
  const bool beyond = (c == 0xED && next > 0x9F) || (c == 0xF4 && next > 0x8F);
  return overlong || beyond ? 0 : n;
}

}  // namespace marey
