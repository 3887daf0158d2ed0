// Keyframes from comma-separated values: a heading with names and units, then numbers. Fields may be quoted (RFC 4180); empty lines
// are passed over.
#include "marey/io/keyframes.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "marey/core.h"
#include "marey/core/text.h"
#include "marey/spec/units.h"

namespace marey {

namespace {

constexpr std::size_t most_columns = 10'000;

struct CsvField {
  std::string text;
  int line = 1, column = 1;
};

// The fields of the next line that holds any; false at the end of the text.
class CsvLines {
 public:
  CsvLines(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }
  bool next(std::vector<CsvField>& fields) {
    do {
      if (at_ >= text_.size()) return false;
      read_line(fields);
    } while (fields.size() == 1 && fields[0].text.empty());
    return true;
  }
  [[noreturn]] void refuse(const CsvField& field, const std::string& expected) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}:{}:{}: found '{}'; expected {}", file_, field.line, field.column,
                                                  printable(field.text), expected));
  }
  CsvField end() const { return {"its end", line_, 1}; }

 private:
  void read_line(std::vector<CsvField>& fields) {
    fields.assign(1, {"", line_, 1});
    const std::size_t start = at_;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quoted && c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"')
        fields.back().text += text_[++at_];
      else if (c == '"')
        quoted = !quoted;
      else if (!quoted && c == ',') {
        if (fields.size() == most_columns) refuse(fields.back(), fmt::format("at most {} columns", most_columns));
        fields.push_back({"", line_, static_cast<int>(at_ - start) + 2});
      } else if (!quoted && c == '\n')
        break;
      else if (c != '\r')
        fields.back().text += c;
    }
    if (quoted) refuse(fields.back(), "a quote that is closed on its line");
    ++at_, ++line_;
    for (CsvField& field : fields) {
      const std::size_t first = field.text.find_first_not_of(" \t"), last = field.text.find_last_not_of(" \t");
      field.text = first == std::string::npos ? "" : field.text.substr(first, last - first + 1);
    }
  }
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

// What a number in this unit is multiplied by; none: it is no unit of this kind.
std::optional<double> factor_of(const std::string& unit, const QuantityKind& kind) {
  const QuantityReading reading = read_quantity("1 " + unit, kind);
  if (!reading.problem.empty()) return std::nullopt;
  return reading.quantity.value;
}

// "left_shank [deg]": the name, and what a number in this unit is multiplied by.
struct Heading {
  std::string name;
  KeyframeTable::Kind kind = KeyframeTable::Kind::unknown;
  double unit = 1;
};
Heading heading_of(const CsvField& field, const CsvLines& lines) {
  Heading h{field.text};
  const std::size_t bracket = field.text.rfind('[');
  if (bracket == std::string::npos || !field.text.ends_with("]")) return h;
  const std::string unit = field.text.substr(bracket + 1, field.text.size() - bracket - 2);
  h.name = field.text.substr(0, field.text.find_last_not_of(" \t", bracket - 1) + 1);
  if (bracket == 0) lines.refuse(field, "a name before its unit");
  if (h.name == "frame") lines.refuse(field, "frame without a unit, as it is a number");
  if (h.name == "time") {
    const std::optional<double> factor = factor_of(unit, kinds::time);
    if (!factor) lines.refuse(field, "a unit of time, such as [s] or [ms]");
    h.unit = *factor;
    return h;
  }
  for (const auto& [kind, is] :
       {std::pair{&kinds::angle, KeyframeTable::Kind::angle}, {&kinds::length, KeyframeTable::Kind::length}})
    if (const std::optional<double> factor = factor_of(unit, *kind)) {
      h.kind = is, h.unit = *factor;
      return h;
    }
  lines.refuse(field, "a unit of angles or lengths, such as [deg] or [cm]");
}

double number_in(const CsvField& field, const CsvLines& lines) {
  double x = 0;
  const char* const last = field.text.data() + field.text.size();
  const auto [end, error] = std::from_chars(field.text.data(), last, x);
  if (error != std::errc{} || end != last || !(std::abs(x) <= 1e9)) lines.refuse(field, "a number");
  return x;
}

}  // namespace

KeyframeTable parse_keyframes(std::string_view text, const std::string& file) {
  CsvLines lines(text, file);
  std::vector<CsvField> fields;
  if (!lines.next(fields)) lines.refuse(lines.end(), "a heading: time [s], then joints");
  KeyframeTable table;
  std::vector<Heading> headings;
  std::set<std::string> names;
  for (const CsvField& field : fields) {
    headings.push_back(heading_of(field, lines));
    if (headings.back().name.empty()) lines.refuse(field, "the name of a column");
    if (!names.insert(headings.back().name).second) lines.refuse(field, "each column once");
  }
  table.by_frames = headings[0].name == "frame";
  if (!table.by_frames && headings[0].name != "time") lines.refuse(fields[0], "'time' or 'frame' as the first column");
  if (headings.size() < 2) lines.refuse(fields[0], "columns of joints beside it");
  for (std::size_t c = 1; c < headings.size(); ++c) table.columns.push_back({headings[c].name, headings[c].kind, {}});
  while (lines.next(fields)) {
    if (fields.size() != headings.size())
      lines.refuse(fields.back(), fmt::format("{} columns as in the heading, not {}", headings.size(), fields.size()));
    const double t = headings[0].unit * number_in(fields[0], lines);
    if (table.times.empty() && t > 0)
      lines.refuse(fields[0], "0 first: a motion is not known before its first keyframe");
    if (t < 0 || (!table.times.empty() && !(t > table.times.back())))
      lines.refuse(fields[0], "times from 0 on that ascend");
    table.times.push_back(t);
    for (std::size_t c = 1; c < fields.size(); ++c)
      table.columns[c - 1].values.push_back(headings[c].unit * number_in(fields[c], lines));
  }
  if (table.times.size() < 2) lines.refuse(lines.end(), "two lines of numbers or more");
  return table;
}

}  // namespace marey
