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
  const Channel* channel;
  std::size_t column;  // in a row
};

std::vector<Quantity> quantities_of(const Recording& rec) {
  std::vector<Quantity> all;
  std::size_t at = 0;
  for (const Channel& c : rec.channels)
    for (const std::string& column : c.columns)
      all.push_back({column.empty() || c.columns.size() == 1 ? c.name : c.name + "." + column, &c, at++});
  return all;
}

bool matches(const std::string& pattern, const Quantity& q) {
  const auto fits = [&](const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; };
  return q.name == pattern || q.channel->name == pattern || fits(q.name) || fits(q.channel->name) ||
         q.name.compare(0, pattern.size() + 1, pattern + "/") == 0;
}

[[noreturn]] void unknown(const std::string& pattern, const std::vector<Quantity>& all) {
  std::vector<std::string> names;
  for (const Quantity& q : all) {
    names.push_back(q.channel->name);
    if (q.name != q.channel->name) names.push_back(q.name);
  }
  std::string near = did_you_mean(pattern, names);
  if (near.empty()) near = "; --list shows what the motion holds";
  throw Error(ExitCode::bad_input, "the motion holds no quantity '" + pattern + "'" + near);
}

std::vector<const Quantity*> find_all(const std::string& pattern, const std::vector<Quantity>& all) {
  std::vector<const Quantity*> found;
  for (const Quantity& q : all)
    if (matches(pattern, q) && (q.channel->name != "time" || pattern == "time")) found.push_back(&q);
  if (found.empty()) unknown(pattern, all);
  return found;
}

std::vector<double> values_of(const Recording& rec, const Quantity& q, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t f = first; f < last; ++f) values.push_back(rec.rows[f * rec.width() + q.column]);
  return values;
}

}  // namespace

std::vector<PlotSeries> choose_series(const Recording& rec, const std::vector<std::string>& patterns,
                                      const std::string& against, PlotOptions& options) {
  const std::vector<Quantity> all = quantities_of(rec);
  const std::string x_name = against.empty() ? "time" : against;
  const std::vector<const Quantity*> x = find_all(x_name, all);
  if (x.size() > 1)
    throw Error(ExitCode::bad_input, "'" + x_name + "' names " + std::to_string(x.size()) +
                                         " columns, but the x axis takes one: for example '" + x[0]->name +
                                         "'");
  options.x_name = x[0]->name, options.x_unit = x[0]->channel->unit;

  std::size_t first = 0, last = rec.frames();
  const auto time = [&](std::size_t f) { return rec.rows[f * rec.width()]; };
  const double slack = 1e-9;
  while (first < last && time(first) < options.begin - slack) ++first;
  while (last > first && time(last - 1) > options.end + slack) --last;
  if (first == last)
    throw Error(ExitCode::bad_input, "the motion holds no frames in the span of time asked for");

  std::vector<PlotSeries> series;
  std::vector<const Quantity*> taken;
  const std::vector<double> x_values = values_of(rec, *x[0], first, last);
  for (const std::string& pattern : patterns)
    for (const Quantity* q : find_all(pattern, all)) {
      if (std::find(taken.begin(), taken.end(), q) != taken.end()) continue;
      taken.push_back(q);
      series.push_back({q->name, q->channel->unit, x_values, values_of(rec, *q, first, last)});
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
