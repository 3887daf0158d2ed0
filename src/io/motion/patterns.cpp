// Channels of a motion by patterns. A channel is called KIND/SUBJECT/QUANTITY, where the subject (a link, a contact, an element) may
// have slashes of its own, and its columns QUANTITY.COLUMN; totals are called KIND/QUANTITY. Tried one after another, until one
// finds something:
//   1  the whole name, or that of a group, with stars for anything
//   2  the same from the subject on: finger.tip, finger.tip/position
//   3  and with the figure left out: tip, tip/position
// each with the words of words_for(), and at last without regard to capitals.
#include "io/motion/patterns.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <unordered_set>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/io/motion.h"

namespace marey {
namespace {

struct Same {
  const char *from, *to;
  bool loosely;
};
constexpr Same same_words[] = {{"slide", "displacement", false},
                               {"displacement", "slide", false},
                               {"rate", "velocity", true},
                               {"speed", "velocity", true}};

// With stars for anything, slashes included; also where the name goes on below the pattern.
bool fits(const std::string& pattern, const std::string& name, bool any_capitals) {
  if (name.starts_with(pattern) && (name.size() == pattern.size() || name[pattern.size()] == '/')) return true;
  const int flags = FNM_NOESCAPE | (any_capitals ? FNM_CASEFOLD : 0);
  return fnmatch(pattern.c_str(), name.c_str(), flags) == 0 ||
         fnmatch((pattern + "/*").c_str(), name.c_str(), flags) == 0;
}

// What there is of a name from the subject on; and of that without the figure. Empty: no such part.
enum class From { start, subject, link };
std::string part_of(const std::string& name, From from) {
  if (from == From::start) return name;
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos || name.find('/', slash + 1) == std::string::npos) return {};
  if (from == From::subject) return name.substr(slash + 1);
  const std::size_t dot = name.find('.', slash + 1);
  return dot < name.find('/', slash + 1) ? name.substr(dot + 1) : std::string();
}

std::vector<ColumnIndex> found_by(const MotionInfo& info, const std::string& pattern, From from, bool any_capitals) {
  std::vector<ColumnIndex> found;
  for (std::size_t c = 0; c < info.channels.size(); ++c) {
    const Channel& channel = info.channels[c];
    const std::string name = part_of(channel.name, from);
    if (name.empty()) continue;
    const bool whole = fits(pattern, name, any_capitals);
    for (std::size_t i = 0; i < channel.columns.size(); ++i)
      if (whole || fits(pattern, part_of(column_name(channel, i), from), any_capitals)) found.push_back({c, i});
  }
  return found;
}

// ---- near misses
// "link/finger.tip/position.x" as a person would ask for all such: "link/*/position.x".
std::string of_any_subject(const std::string& name) {
  const std::size_t first = name.find('/'), last = name.rfind('/');
  return first == last ? name : name.substr(0, first) + "/*" + name.substr(last);
}

constexpr std::size_t most_candidates = 50'000;  // edit distances of more take seconds

// Channels, the groups they lie in, their columns, and the same of any subject.
std::vector<std::string> selectable_names(const MotionInfo& info, bool stars) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  if (!stars && info.channels.size() < most_candidates) {
    for (const Channel& c : info.channels) add(c.name);
    for (const Channel& c : info.channels)
      for (std::size_t slash = c.name.find('/'); slash != std::string::npos; slash = c.name.find('/', slash + 1))
        add(c.name.substr(0, slash));
    for (const Channel& c : info.channels)
      for (std::size_t i = 0; i < c.columns.size() && names.size() < most_candidates; ++i) add(column_name(c, i));
  }
  for (const Channel& c : info.channels)
    for (std::size_t i = 0; i <= c.columns.size(); ++i) add(of_any_subject(i == 0 ? c.name : column_name(c, i - 1)));
  return names;
}

// The kinds of channels there are: "time, energy, link".
std::string kinds_in(const MotionInfo& info) {
  std::vector<std::string> kinds;
  for (const Channel& c : info.channels)
    if (const std::string kind = c.name.substr(0, c.name.find('/')); std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
  return fmt::format("{}", fmt::join(kinds, ", "));
}

[[noreturn]] void unknown(const MotionInfo& info, const std::string& pattern) {
  const std::vector<std::string> names = selectable_names(info, pattern.find('*') != std::string::npos);
  const auto ends_in_it = [&](const std::string& name) { return name.ends_with("/" + pattern) && !pattern.empty(); };
  const auto named = std::ranges::find_if(names, ends_in_it);
  const std::string near = named == names.end()                           ? closest(pattern, names)
                           : std::ranges::count_if(names, ends_in_it) > 1 ? of_any_subject(*named)
                                                                          : *named;
  throw Error(ErrorKind::bad_input,
              fmt::format("'{}' records no channel {}; {}", info.file, found_text(pattern),
                          near.empty() ? fmt::format("it records {}; 'plot --list' shows all of it", kinds_in(info))
                                       : fmt::format("did you mean '{}'?", near)));
}

}  // namespace

std::vector<std::string> words_for(std::string_view name, bool loosely) {
  std::vector<std::string> all{std::string(name)};
  const std::size_t slash = name.rfind('/'), begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t end = std::min(name.find('.', begin), name.size());
  const std::string_view last = name.substr(begin, end - begin);
  for (const Same& same : same_words)
    if (last == same.from && (loosely || !same.loosely))
      all.push_back(fmt::format("{}{}{}", name.substr(0, begin), same.to, name.substr(end)));
  return all;
}

std::vector<ColumnIndex> columns_like(const MotionInfo& info, const std::string& pattern) {
  if (!pattern.empty())
    for (const bool any_capitals : {false, true})
      for (const From from : {From::start, From::subject, From::link})
        for (const std::string& word : words_for(pattern, true))
          if (std::vector<ColumnIndex> found = found_by(info, word, from, any_capitals); !found.empty()) return found;
  unknown(info, pattern);
}

std::vector<ColumnIndex> select_columns(const MotionInfo& info, std::span<const std::string> patterns) {
  std::vector<ColumnIndex> chosen;
  for (const std::string& pattern : patterns)
    for (const ColumnIndex& column : columns_like(info, pattern)) chosen.push_back(column);
  const auto place = [](const ColumnIndex& c) { return std::pair{c.channel, c.column}; };
  const auto same = [&](const ColumnIndex& a, const ColumnIndex& b) { return place(a) == place(b); };
  std::ranges::sort(chosen, {}, place);
  chosen.erase(std::ranges::unique(chosen, same).begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> select_channels(const MotionInfo& info, std::span<const std::string> patterns) {
  std::vector<std::size_t> channels;
  for (const ColumnIndex& column : select_columns(info, patterns))
    if (channels.empty() || channels.back() != column.channel) channels.push_back(column.channel);
  return channels;
}

}  // namespace marey
