// Quantities of a recording by name: patterns, near misses, lists.
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "marey/render.h"
#include "render/names.h"

namespace marey {
namespace {

struct Quantity {
  std::string name;  // channel, or channel.column
  std::size_t channel, column;
};

std::vector<Quantity> quantities_of(const Motion& motion) {
  std::vector<Quantity> all;
  for (std::size_t c = 0; c < motion.channels.size(); ++c)
    for (std::size_t k = 0; k < motion.channels[c].columns.size(); ++k)
      all.push_back({column_name(motion.channels[c], k), c, k});
  return all;
}

bool matches(const std::string& pattern, const std::string& channel, const std::string& name) {
  const auto fits = [&](const std::string& n) { return fnmatch(pattern.c_str(), n.c_str(), FNM_PATHNAME) == 0; };
  return name == pattern || channel == pattern || fits(name) || fits(channel) ||
         name.compare(0, pattern.size() + 1, pattern + "/") == 0;
}

[[noreturn]] void unknown(const std::string& pattern, const Motion& motion, const std::vector<Quantity>& all) {
  std::vector<std::string> names;
  for (const Channel& c : motion.channels) names.push_back(c.name);
  for (const Quantity& q : all) names.push_back(q.name);
  std::string near = render::did_you_mean(pattern, names);
  if (near.empty()) near = "; --list shows what it holds";
  near += advice_on_missing(motion, pattern);
  throw Error(ErrorKind::bad_input, "the motion holds no quantity '" + pattern + "'" + near);
}

std::vector<const Quantity*> find_all(const std::string& pattern, const Motion& motion,
                                      const std::vector<Quantity>& all) {
  std::vector<const Quantity*> found;
  for (const Quantity& q : all)
    if (matches(pattern, motion.channels[q.channel].name, q.name)) found.push_back(&q);
  if (found.empty()) unknown(pattern, motion, all);
  return found;
}

std::vector<double> values_of(const Motion& motion, const Quantity& q, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t f = first; f < last; ++f) values.push_back(motion.at(q.channel, f)[q.column]);
  return values;
}

// The largest value of anything in the motion with this unit, or with one of several: "m or rad".
double largest_of_unit(const Motion& motion, const std::vector<Quantity>& all, const std::string& unit) {
  const auto parts = [](const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(" or ", at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end + 4;
    }
    return words;
  };
  const std::vector<std::string> wanted = parts(unit);
  double largest = 0;
  for (const Quantity& q : all) {
    const std::string own = unit_of(motion.channels[q.channel], q.column);
    if (own != unit && std::find(wanted.begin(), wanted.end(), own) == wanted.end()) continue;
    for (std::size_t f = 0; f < motion.time().size(); ++f)
      if (const double y = std::abs(motion.at(q.channel, f)[q.column]); std::isfinite(y))
        largest = std::max(largest, y);
  }
  return largest;
}

}  // namespace

std::vector<PlotSeries> choose_series(const Motion& motion, const std::vector<std::string>& patterns,
                                      const std::string& against, PlotOptions& options) {
  const std::vector<Quantity> all = quantities_of(motion);
  const std::string x_name = against.empty() ? "time" : against;
  const std::vector<const Quantity*> x = find_all(x_name, motion, all);
  if (x.size() > 1)
    throw Error(ErrorKind::bad_input, "'" + x_name + "' names " + std::to_string(x.size()) +
                                          " columns, but the x axis takes one: for example '" + x[0]->name + "'");
  options.x_name = x[0]->name, options.x_unit = unit_of(motion.channels[x[0]->channel], x[0]->column);

  const auto time = motion.time();
  constexpr double slack = 1e-9;
  std::size_t first = 0, last = time.size();
  while (first < last && time[first] < options.begin - slack) ++first;
  while (last > first && time[last - 1] > options.end + slack) --last;
  if (first == last) throw Error(ErrorKind::bad_input, "the motion holds no frames in the span of time asked for");

  std::vector<PlotSeries> series;
  std::vector<const Quantity*> taken;
  const std::vector<double> x_values = values_of(motion, *x[0], first, last);
  for (const std::string& pattern : patterns)
    for (const Quantity* q : find_all(pattern, motion, all)) {
      if (std::find(taken.begin(), taken.end(), q) != taken.end()) continue;
      taken.push_back(q);
      const std::string unit = unit_of(motion.channels[q->channel], q->column);
      const auto same = std::find_if(series.begin(), series.end(), [&](const auto& s) { return s.unit == unit; });
      const double largest = same != series.end() ? same->largest_of_unit : largest_of_unit(motion, all, unit);
      series.push_back({q->name, unit, x_values, values_of(motion, *q, first, last), largest});
    }
  return series;
}

std::string list_quantities(const std::vector<Channel>& channels) {
  std::vector<std::vector<std::string>> table{{"QUANTITY", "COLUMNS", "UNIT", "MEANING"}};
  for (const Channel& c : channels) {
    std::string columns;
    for (const std::string& column : c.columns) columns += (columns.empty() ? "" : " ") + column;
    table.push_back({c.name, columns.empty() ? "-" : columns, c.unit.empty() ? "-" : c.unit, c.meaning});
  }
  std::size_t wide[3] = {};
  for (const auto& row : table)
    for (int i = 0; i < 3; ++i) wide[i] = std::max(wide[i], row[i].size());
  std::string text;
  for (const auto& row : table) {
    for (int i = 0; i < 3; ++i) text += row[i] + std::string(wide[i] + 2 - row[i].size(), ' ');
    text += row[3];
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace marey
