// Values as YAML.
//
// What is short is written on one line, in { } and [ ]; what is longer, on lines of its own. Whether a word was in
// quotes is part of its meaning (a formula and not a number), and is kept: what needs quotes got them when the value
// was made.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "marey/spec/value.h"
#include "marey/spec/yaml_words.h"

namespace marey {
namespace {

constexpr std::size_t longest_line = 100;

// In single quotes only the quote itself is escaped; line breaks and tabs need double quotes.
std::string in_quotes(std::string_view text) {
  const bool simple = text.find_first_of("\n\t") == std::string_view::npos;
  std::string out(1, simple ? '\'' : '"');
  for (const char c : text) {
    if (simple ? c == '\'' : c == '"' || c == '\\') out += simple ? '\'' : '\\';
    if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += c;
  }
  return out + out[0];
}

std::string key_text(const std::string& key) {
  return can_stand_plain(key, true) && !is_yaml11_boolean(key) ? key : in_quotes(key);
}

// The value on one line; nothing if that is impossible, or would be longer than `most`.
std::optional<std::string> on_one_line(const Value& value, std::size_t most) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::nothing:
      return "~";
    case Value::Kind::scalar:
      if (!value.quoted && !can_stand_plain(value.text, true)) return std::nullopt;
      out = value.quoted ? in_quotes(value.text) : value.text;
      break;
    case Value::Kind::list:
      for (const ValuePtr& item : value.items) {
        const std::optional<std::string> text = on_one_line(*item, most);
        if (!text || out.size() > most) return std::nullopt;
        out += (out.empty() ? "" : ", ") + *text;
      }
      out = "[" + out + "]";
      break;
    case Value::Kind::map:
      for (const ValueEntry& entry : value.entries) {
        const std::optional<std::string> text = on_one_line(*entry.value, most);
        if (!text || out.size() > most) return std::nullopt;
        out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", key_text(entry.key), *text);
      }
      out = "{" + out + "}";
      break;
  }
  return out.size() <= most || value.kind == Value::Kind::scalar ? std::optional(out) : std::nullopt;
}

void write(const Value& value, std::size_t indent, std::string& out);

// After "key:" or "-".
void write_behind(const Value& value, std::size_t indent, std::string& out) {
  const std::size_t room =
      longest_line > out.size() - out.rfind('\n') ? longest_line - (out.size() - out.rfind('\n')) : 0;
  if (value.kind == Value::Kind::nothing) {
    out += '\n';
  } else if (value.kind == Value::Kind::scalar) {
    out += " " + (value.quoted ? in_quotes(value.text) : value.text) + "\n";
  } else if (const auto line = on_one_line(value, value.size > 1 ? room : longest_line)) {
    out += " " + *line + "\n";
  } else {
    out += '\n';
    write(value, indent, out);
  }
}

void write(const Value& value, std::size_t indent, std::string& out) {
  const std::string space(indent, ' ');
  for (const ValueEntry& entry : value.entries) {
    out += space + key_text(entry.key) + ":";
    write_behind(*entry.value, indent + 2, out);
  }
  for (const ValuePtr& item : value.items) {
    out += space + "-";
    write_behind(*item, indent + 2, out);
  }
}

}  // namespace

bool is_yaml11_boolean(std::string_view word) {
  constexpr std::array words{"y", "n", "yes", "no", "on", "off", "true", "false"};
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::find(words.begin(), words.end(), small) != words.end();
}

bool is_yaml_null(std::string_view text) {
  constexpr std::array words{"", "~", "null", "Null", "NULL"};
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool can_stand_plain(std::string_view text, bool in_flow) {
  if (is_yaml_null(text) || text.front() == ' ' || text.back() == ' ') return false;
  if (text == "---" || text == "..." || text.starts_with("--- ") || text.starts_with("... ")) return false;
  constexpr std::string_view indicators = "-?:,[]{}#&*!|>'\"%@`";
  const bool dash = text.size() > 1 && (text[0] == '-' || text[0] == '?' || text[0] == ':') && text[1] != ' ';
  if (indicators.find(text.front()) != std::string_view::npos && !dash) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return false;
    if (c == ':' && (i + 1 == text.size() || text[i + 1] == ' ' || in_flow)) return false;
    if (c == '#' && i > 0 && text[i - 1] == ' ') return false;
    if (in_flow && std::string_view(",[]{}?").find(text[i]) != std::string_view::npos) return false;
  }
  return true;
}

std::string to_yaml(const Value& value) {
  std::string out;
  const bool lines = (value.kind == Value::Kind::map && !value.entries.empty()) ||
                     (value.kind == Value::Kind::list && !value.items.empty());
  if (lines) {
    write(value, 0, out);
  } else {
    write_behind(value, 0, out);
    out.erase(0, 1);
  }
  return out;
}

}  // namespace marey
