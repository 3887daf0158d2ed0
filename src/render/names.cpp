#include "render/names.h"

#include <algorithm>
#include <cstdio>

namespace marey {
namespace {

// Letters to change, add, drop or swap with a neighbour (optimal string alignment).
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

bool ends_with_part(const std::string& name, const std::string& word) {
  if (name.size() <= word.size() || name.compare(name.size() - word.size(), word.size(), word) != 0)
    return false;
  const char before = name[name.size() - word.size() - 1];
  return before == '.' || before == '/';
}

}  // namespace

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& n : names) {
    const std::size_t e = ends_with_part(n, word) ? 0 : edits(word, n);
    if (e <= std::max<std::size_t>(2, word.size() / 4)) near.emplace_back(e, n);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.empty()) return "";
  std::string text = "; did you mean '" + near[0].second + "'";
  for (std::size_t i = 1; i < std::min<std::size_t>(3, near.size()); ++i)
    text += " or '" + near[i].second + "'";
  return text + "?";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string short_length(double metres) {
  if (metres < 0.00999) return short_number(1000 * metres) + " mm";
  if (metres < 0.999) return short_number(100 * metres) + " cm";
  if (metres < 999) return short_number(metres) + " m";
  return short_number(metres / 1000) + " km";
}

}  // namespace marey
