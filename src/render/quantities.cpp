// Quantities of a recording, to be plotted or listed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "marey/render.h"

namespace marey {
namespace {

std::vector<double> values_of(const Motion& motion, const ColumnIndex& q, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t f = first; f < last; ++f) values.push_back(motion.at(q.channel, f)[q.column]);
  return values;
}

// The largest value of anything in the motion with this unit, or with one of several: "m or rad".
double largest_of_unit(const Motion& motion, const std::string& unit) {
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
  for (std::size_t c = 0; c < motion.channels.size(); ++c)
    for (std::size_t k = 0; k < motion.channels[c].columns.size(); ++k) {
      const std::string own = unit_of(motion.channels[c], k);
      if (own != unit && std::find(wanted.begin(), wanted.end(), own) == wanted.end()) continue;
      for (std::size_t f = 0; f < motion.time().size(); ++f)
        if (const double y = std::abs(motion.at(c, f)[k]); std::isfinite(y)) largest = std::max(largest, y);
    }
  return largest;
}

// Moments are forces on arms: theirs is a rounding of that product, even where no moment is.
struct Largest {
  double value = 0;
  std::string said;
};
Largest yardstick(const Motion& motion, const std::string& unit) {
  const Largest own{largest_of_unit(motion, unit), PlotSeries{}.largest_said};
  const auto product = [&](const char* a, const char* said) {
    return Largest{largest_of_unit(motion, a) * largest_of_unit(motion, "m"), said};
  };
  Largest of_arms;
  if (unit == "N m") of_arms = product("N", "forces times lengths are up to");
  if (unit == "kg m^2/s") of_arms = product("kg m/s", "momenta times lengths are up to");
  return of_arms.value > own.value ? of_arms : own;
}

// "finger.tip", of "joint/finger.tip/angle.y".
std::string subject_of(const std::string& name) {
  const std::size_t first = name.find('/'), last = name.rfind('/');
  return first == last ? "" : name.substr(first + 1, last - first - 1);
}

std::string column_of(const std::string& name) {
  const std::size_t slash = name.rfind('/'), dot = name.rfind('.');
  return dot == std::string::npos || dot < slash ? "" : name.substr(dot);
}

// Of several columns for the x axis a series goes with that of its own link, joint or element; of several of these, with that which is
// called as its own: y with y.
ColumnIndex x_for(const Motion& motion, const std::string& x_name, const std::vector<ColumnIndex>& x,
                  const std::string& series) {
  if (x.size() == 1) return x[0];
  const auto name = [&](const ColumnIndex& q) { return column_name(motion.channels[q.channel], q.column); };
  std::vector<ColumnIndex> own, alike;
  for (const ColumnIndex& q : x)
    if (subject_of(name(q)) == subject_of(series)) own.push_back(q);
  for (const ColumnIndex& q : own)
    if (column_of(name(q)) == column_of(series)) alike.push_back(q);
  if (own.size() == 1) return own[0];
  if (alike.size() == 1) return alike[0];
  throw Error(
      ErrorKind::bad_input,
      fmt::format("'{}' names {} columns, but the x axis takes one, for example '{}', or one for each curve, of "
                  "the same link or joint; for '{}' there {}",
                  x_name, x.size(), name(x[0]), series, own.empty() ? "is none" : fmt::format("are {}", own.size())));
}

}  // namespace

std::vector<PlotSeries> choose_series(const Motion& motion, const std::vector<std::string>& patterns,
                                      const std::string& against, PlotOptions& options) {
  const auto name_of = [&](const ColumnIndex& q) { return column_name(motion.channels[q.channel], q.column); };
  const auto unit_of_column = [&](const ColumnIndex& q) { return unit_of(motion.channels[q.channel], q.column); };
  const std::string x_name = against.empty() ? "time" : against;
  const std::vector<ColumnIndex> x = columns_like(motion, x_name);
  options.x_name = x.size() == 1 ? name_of(x[0]) : x_name, options.x_unit = unit_of_column(x[0]);
  options.phase = !against.empty();
  if (options.phase) options.largest_of_x = std::max(options.largest_of_x, largest_of_unit(motion, options.x_unit));

  const auto time = motion.time();
  constexpr double slack = 1e-9;
  std::size_t first = 0, last = time.size();
  while (first < last && time[first] < options.begin - slack) ++first;
  while (last > first && time[last - 1] > options.end + slack) --last;
  if (first == last) {
    const std::string lasts =
        time.empty() ? "" : fmt::format("; it lasts from {:.4g} s to {:.4g} s", time.front(), time.back());
    throw Error(ErrorKind::bad_input, "the motion holds no frames in the span of time asked for" + lasts);
  }

  std::vector<PlotSeries> series;
  std::set<std::pair<std::size_t, std::size_t>> taken;
  for (const std::string& pattern : patterns)
    for (const ColumnIndex& q : columns_like(motion, pattern)) {
      if (!taken.insert({q.channel, q.column}).second) continue;
      const std::string unit = unit_of_column(q);
      const auto same = std::find_if(series.begin(), series.end(), [&](const auto& s) { return s.unit == unit; });
      const Largest largest =
          same != series.end() ? Largest{same->largest_of_unit, same->largest_said} : yardstick(motion, unit);
      series.push_back({name_of(q), unit, {}, values_of(motion, q, first, last), largest.value, largest.said});
    }
  for (PlotSeries& s : series) {
    const ColumnIndex q = x_for(motion, x_name, x, s.name);
    if (unit_of_column(q) != options.x_unit)
      throw Error(ErrorKind::bad_input, fmt::format("'{}' names columns in {} and in {}, but the x axis has one unit",
                                                    x_name, options.x_unit, unit_of_column(q)));
    s.x = values_of(motion, q, first, last);
  }
  return series;
}

std::vector<PlotSeries> side_by_side(const std::vector<std::string>& motions,
                                     std::vector<std::vector<PlotSeries>> of_each) {
  std::vector<PlotSeries> all;
  std::map<std::string, std::size_t> place;  // of a quantity, as it was first come by
  for (std::size_t m = 0; m < of_each.size(); ++m)
    for (PlotSeries& s : of_each[m]) {
      place.emplace(s.name, place.size());
      s.motion = motions[m];
      all.push_back(std::move(s));
    }
  std::ranges::stable_sort(all, {}, [&](const PlotSeries& s) { return place[s.name]; });
  return all;
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
