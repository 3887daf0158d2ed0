#include "io/exchange/mesh_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "marey/core.h"
#include "marey/core/text.h"

namespace marey {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

MeshText::MeshText(std::string_view text, const std::string& file) : text_(text), file_(file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

std::string_view MeshText::word() {
  for (;;) {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (!continues || at_ >= text_.size() || text_[at_] != '\\') break;
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && text_[end] != '\n') break;
    at_ = std::min(end + 1, text_.size());
    line_start_ = at_, ++line_;
  }
  if (comments && at_ < text_.size() && text_[at_] == '#')
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n' && !(comments && text_[at_] == '#') &&
         !(continues && text_[at_] == '\\' && at_ > begin))
    ++at_;
  word_line_ = line_, word_column_ = begin - line_start_ + 1;
  return last_ = text_.substr(begin, at_ - begin);
}

bool MeshText::next_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ >= text_.size()) return false;
  line_start_ = ++at_, ++line_;
  return true;
}

std::string_view MeshText::word_anywhere() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty() || !next_line()) return found;
  }
}

void MeshText::refuse(const std::string& expected) const {
  const std::string found = !last_.empty()        ? "'" + printable(last_) + "'"
                            : at_ >= text_.size() ? "the end of the file"
                                                  : "the end of the line";
  throw Error(ErrorKind::bad_input,
              fmt::format("{}:{}:{}: found {}; expected {}", file_, word_line_, word_column_, found, expected));
}

double MeshText::number(std::string_view word, const char* what) const {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) refuse(what);
  return value;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char p, char q) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(p) == lower(q);
  });
}

}  // namespace marey
