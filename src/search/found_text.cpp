// A mark in braces on the user's own lines gets "found: 4.2 m/s" before its brace closes, and the line on which a want begins a comment
// with its outcome. What comes of that is read again: if it does not say what it should, the scene is written anew.
#include "search/found_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "marey/core/text.h"
#include "marey/io/scene.h"

namespace marey {
namespace {

constexpr const char* remark_begins = "  # marey search: ";

// The tree with marks that have been found.
ValuePtr with_found(const ValuePtr& value, const std::vector<SearchMark>& marks,
                    const std::vector<std::string>& numbers) {
  Value out = *value;
  if (is_search_mark(*value)) {
    const auto at = std::ranges::find_if(
        marks, [&](const SearchMark& m) { return m.at.line == value->at.line && m.at.column == value->at.column; });
    const auto which = static_cast<std::size_t>(at - marks.begin());
    return std::make_shared<const Value>(
        Value::map({{"search", *value->find("search")->value}, {"found", Value(numbers[which])}}));
  }
  for (ValueEntry& entry : out.entries) entry.value = with_found(entry.value, marks, numbers);
  for (ValuePtr& item : out.items) item = with_found(item, marks, numbers);
  return std::make_shared<const Value>(std::move(out));
}

// Where a place is in the text, in bytes; the text's length: nowhere.
std::size_t offset_of(const std::string& text, int line, int column) {
  std::size_t at = 0;
  for (int l = 1; l < line; ++l) {
    at = text.find('\n', at);
    if (at == std::string::npos) return text.size();
    ++at;
  }
  for (int c = 1; c < column && at < text.size(); ++c) at += std::max<std::size_t>(1, utf8_length(text, at));
  return std::min(at, text.size());
}

// A mark that other places repeat begins with its name, "&speed {search: …}", which stays where it is.
std::size_t behind_anchor(const std::string& text, std::size_t at) {
  if (at >= text.size() || text[at] != '&') return at;
  return std::min(text.find_first_not_of(" \n", std::min(text.find_first_of(" \n", at), text.size())), text.size());
}

// Behind the brace that closes the one at `at`; npos: it is none, or none closes it. Numbers and words have no braces in them.
std::size_t end_of_braces(const std::string& text, std::size_t at) {
  if (at >= text.size() || text[at] != '{') return std::string::npos;
  const std::size_t end = text.find_first_of("{}", at + 1);
  return end != std::string::npos && text[end] == '}' ? end + 1 : std::string::npos;
}

// The marks as they are to stand there; false: not all could be put there.
bool put_numbers(std::string& text, const std::vector<SearchMark>& marks, const std::vector<std::string>& numbers) {
  struct Change {
    std::size_t from, to;
    std::string by;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::size_t from = behind_anchor(text, offset_of(text, marks[i].at.line, marks[i].at.column)),
                      to = end_of_braces(text, from);
    if (to == std::string::npos) return false;
    const std::string old = text.substr(from, to - from);
    const std::size_t open = old.find('['), close = old.find(']');
    if (open == std::string::npos || close == std::string::npos) return false;
    changes.push_back(
        {from, to, fmt::format("{{search: {}, found: {}}}", old.substr(open, close + 1 - open), numbers[i])});
  }
  std::ranges::sort(changes, std::greater<>(), &Change::from);
  for (const Change& c : changes) text.replace(c.from, c.to - c.from, c.by);
  return true;
}

void put_outcomes(std::string& text, const std::vector<Want>& wants, const std::vector<WantedOutcome>& outcomes) {
  for (std::size_t i = 0; i < wants.size() && i < outcomes.size(); ++i) {
    if (wants[i].line == 0) continue;
    const std::size_t begin = offset_of(text, wants[i].line, 1);
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line = line.substr(0, line.find(remark_begins));
    line += fmt::format("{}{}{}", remark_begins, outcomes[i].holds ? "" : "NOT REACHED: ", outcomes[i].text);
    text.replace(begin, end - begin, line);
  }
}

bool says(const std::string& text, const std::string& file, const Value& root) {
  try {
    return to_yaml(parse_spec(text, file).root()) == to_yaml(root);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string found_text(const SceneSpec& spec, const std::vector<SearchMark>& marks,
                       const std::vector<std::string>& numbers, const std::vector<Want>& wants,
                       const std::vector<WantedOutcome>& outcomes) {
  const SceneSpec placed = spec.places_are_in_file() ? spec : spec.numbered();
  const ValuePtr root = with_found(placed.root_ptr(), marks, numbers);
  std::string text = spec.text();
  if (spec.places_are_in_file() && put_numbers(text, marks, numbers)) {
    std::string remarked = text;
    put_outcomes(remarked, wants, outcomes);
    for (const std::string& candidate : {remarked, text})
      if (says(candidate, spec.file(), *root)) return candidate;
  }
  std::string anew = to_yaml(*root);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    anew += fmt::format("# {}: {}{}\n", wants[i].name, outcomes[i].holds ? "" : "NOT REACHED: ", outcomes[i].text);
  return anew;
}

}  // namespace marey
