// Channels by patterns. Tried one after another, until one finds something:
//   1  the whole name, or that of a group, with stars for anything
//   2  the same from the subject on: finger.tip, finger.tip/position
//   3  and with the figure left out: tip, tip/position
// each with the words of words_for(), and at last without regard to capitals.
#include "marey/sim/channel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "marey/core/channel_pattern.h"
#include "marey/core/text.h"

namespace marey {
namespace {

struct SameWord {
  const char *from, *to;
  bool loosely;
};
constexpr SameWord same_words[] = {{"slide", "displacement", false},
                                   {"displacement", "slide", false},
                                   {"rate", "velocity", true},
                                   {"speed", "velocity", true}};

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// What there is of a name from the subject on; and of that without the figure. Empty: no such part.
enum class NameFrom { start, subject, link };
std::string part_of(const std::string& name, NameFrom from) {
  if (from == NameFrom::start) return name;
  std::size_t slash = name.find('/');
  if (name.starts_with("closed_form/")) slash = name.find('/', slash + 1);  // behind the kind, the form
  if (slash == std::string::npos || name.find('/', slash + 1) == std::string::npos) return {};
  if (from == NameFrom::subject) return name.substr(slash + 1);
  const std::size_t dot = name.find('.', slash + 1);
  return dot < name.find('/', slash + 1) ? name.substr(dot + 1) : std::string();
}

std::vector<ColumnIndex> found_by(std::span<const Channel> channels, const std::string& pattern, NameFrom from,
                                  bool any_capitals) {
  const std::string wanted = any_capitals ? in_small_letters(pattern) : pattern;
  const auto fits = [&](const std::string& whole) {
    const std::string name = part_of(whole, from);
    return !name.empty() && fits_channel(wanted, any_capitals ? in_small_letters(name) : name);
  };
  std::vector<ColumnIndex> found;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const bool whole = fits(channels[c].name);
    for (std::size_t i = 0; i < channels[c].columns.size(); ++i)
      if (whole || fits(column_name(channels[c], i))) found.push_back({c, i});
  }
  return found;
}

// Those that a pattern names, by whatever finds the columns of one word.
template <class Find>
std::vector<ColumnIndex> first_found(const std::string& pattern, const Find& find) {
  if (pattern.empty()) return {};
  for (const bool any_capitals : {false, true})
    for (const NameFrom from : {NameFrom::start, NameFrom::subject, NameFrom::link})
      for (const std::string& word : words_for(pattern, true))
        if (std::vector<ColumnIndex> found = find(word, from, any_capitals); !found.empty()) return found;
  return {};
}

// ---- near misses
// "link/finger.tip/position.x" as a person would ask for all such: "link/*/position.x".
std::string of_any_subject(const std::string& name) {
  const std::size_t first = name.find('/'), last = name.rfind('/');
  return first == last ? name : name.substr(0, first) + "/*" + name.substr(last);
}

constexpr std::size_t most_candidates = 50'000;  // edit distances of more take seconds

// Channels, the groups they lie in, their columns, and the same of any subject.
std::vector<std::string> selectable_names(std::span<const Channel> channels, bool stars) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  if (!stars && channels.size() < most_candidates) {
    for (const Channel& c : channels) add(c.name);
    for (const Channel& c : channels)
      for (std::size_t slash = c.name.find('/'); slash != std::string::npos; slash = c.name.find('/', slash + 1))
        add(c.name.substr(0, slash));
    for (const Channel& c : channels)
      for (std::size_t i = 0; i < c.columns.size() && names.size() < most_candidates; ++i) add(column_name(c, i));
  }
  for (const Channel& c : channels)
    for (std::size_t i = 0; i <= c.columns.size(); ++i) add(of_any_subject(i == 0 ? c.name : column_name(c, i - 1)));
  return names;
}

// "position" of "link/finger.tip/position.x".
std::string quantity_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);  // the whole name where there is no slash
  return last.substr(0, last.find('.'));
}

// A figure by its name alone, or a quantity: of what there are several, where there are.
std::string nearest_by_part(std::span<const Channel> channels, const std::string& pattern) {
  std::vector<std::string> quantities;
  for (const Channel& c : channels) {
    if (part_of(c.name, NameFrom::subject).starts_with(pattern + ".")) return pattern + ".*";
    quantities.push_back(quantity_of(c.name));
  }
  const std::string near = closest(pattern, quantities);
  std::string best;
  for (std::size_t i = 0; i < channels.size() && best.find('*') == std::string::npos; ++i)
    if (!near.empty() && quantities[i] == near &&
        (best.empty() || of_any_subject(channels[i].name) != channels[i].name))
      best = of_any_subject(channels[i].name);
  return best;
}

}  // namespace

std::string column_name(const Channel& channel, std::size_t column) {
  const std::string& name = channel.columns.at(column);
  return channel.columns.size() == 1 || name.empty() ? channel.name : channel.name + "." + name;
}

std::vector<ColumnIndex> columns_named(std::span<const Channel> channels, const std::string& pattern) {
  return first_found(pattern, [&](const std::string& word, NameFrom from, bool any_capitals) {
    return found_by(channels, word, from, any_capitals);
  });
}

// ---- many patterns
std::vector<ColumnIndex> ColumnFinder::named(const std::string& pattern) const {
  if (pattern.find_first_of("*?") != std::string::npos) return columns_named(channels_, pattern);
  return first_found(pattern, [&](const std::string& word, NameFrom from, bool any_capitals) {
    return look_up(word, static_cast<int>(from), any_capitals);
  });
}

const ColumnFinder::Sorted& ColumnFinder::sorted(int from, bool any_capitals) const {
  Sorted& out = sorted_[any_capitals ? 1 : 0][from];
  if (!out.empty()) return out;
  for (std::size_t c = 0; c < channels_.size(); ++c)
    if (std::string part = part_of(channels_[c].name, static_cast<NameFrom>(from)); !part.empty())
      out.emplace_back(any_capitals ? in_small_letters(part) : part, c);
  std::ranges::sort(out);
  return out;
}

// What fits_channel() finds of a pattern without stars: the channel of that name, all in that group, and the column of that name.
std::vector<ColumnIndex> ColumnFinder::look_up(const std::string& name, int from, bool any_capitals) const {
  const Sorted& names = sorted(from, any_capitals);
  const std::string wanted = any_capitals ? in_small_letters(name) : name;
  std::vector<ColumnIndex> found;
  const auto take = [&](Sorted::const_iterator it, const auto& is_wanted, const auto& fits) {
    for (; it != names.end() && is_wanted(it->first); ++it)
      for (std::size_t i = 0; i < channels_[it->second].columns.size(); ++i)
        if (fits(channels_[it->second], i)) found.push_back({it->second, i});
  };
  const auto from_here = [&](const std::string& text) {
    return std::ranges::lower_bound(names, text, {}, &Sorted::value_type::first);
  };
  const auto all = [](const Channel&, std::size_t) { return true; };
  const std::string group = wanted + '/';
  take(
      from_here(wanted), [&](const std::string& x) { return x == wanted; }, all);
  take(
      from_here(group), [&](const std::string& x) { return x.starts_with(group); }, all);
  for (std::size_t dot = wanted.find('.'); dot != std::string::npos; dot = wanted.find('.', dot + 1)) {
    const std::string channel = wanted.substr(0, dot), column = wanted.substr(dot + 1);
    take(
        from_here(channel), [&](const std::string& x) { return x == channel; },
        [&](const Channel& c, std::size_t i) {
          return c.columns.size() > 1 && !c.columns[i].empty() &&
                 (any_capitals ? in_small_letters(c.columns[i]) : c.columns[i]) == column;
        });
  }
  const auto place = [](const ColumnIndex& c) { return std::pair(c.channel, c.column); };
  std::ranges::sort(found, {}, place);
  const auto [first, last] = std::ranges::unique(found, {}, place);
  found.erase(first, last);
  return found;
}

std::string nearest_pattern(std::span<const Channel> channels, const std::string& pattern) {
  const std::vector<std::string> names = selectable_names(channels, pattern.find('*') != std::string::npos);
  const auto ends_in_it = [&](const std::string& name) { return name.ends_with("/" + pattern) && !pattern.empty(); };
  const auto named = std::ranges::find_if(names, ends_in_it);
  if (named == names.end()) {
    if (std::string near = closest(pattern, names); !near.empty() || pattern.find('/') != std::string::npos)
      return near;
    return nearest_by_part(channels, pattern);
  }
  return std::ranges::count_if(names, ends_in_it) > 1 ? of_any_subject(*named) : *named;
}

std::string how_to_ask_for(const std::string& pattern) {
  if (pattern.starts_with("closed_form")) return "compare: {throw: figure.link}";
  const std::string near =
      closest(quantity_of(pattern), {"euler_zyz", "euler_zyz_rate", "path_length", "curvature", "radius_of_curvature"});
  if (near.empty()) return {};
  return near.starts_with("euler") ? "euler_zyz: figure.link" : "paths: figure.link";
}

std::vector<std::string> words_for(std::string_view name, bool loosely) {
  std::vector<std::string> all{std::string(name)};
  const std::size_t slash = name.rfind('/'), begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t end = std::min(name.find('.', begin), name.size());
  const std::string_view last = name.substr(begin, end - begin);
  for (const SameWord& same : same_words)
    if (last == same.from && (loosely || !same.loosely))
      all.push_back(fmt::format("{}{}{}", name.substr(0, begin), same.to, name.substr(end)));
  return all;
}

}  // namespace marey
