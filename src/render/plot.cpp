// Plots: panels by unit → a gnuplot script with the data inside. Where every text stands is settled here, from how wide it is:
// left to itself, gnuplot drops a label for which there is no room.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <sstream>
#include <utility>

#include "marey/render.h"
#include "marey/render/gnuplot.h"
#include "render/names.h"
#include "render/picture_file.h"
#include "render/plot_axes.h"

namespace marey {
namespace {

using render::Axis, render::ScaledUnit, render::broken_into_lines, render::ends_with, render::quoted, render::split,
    render::text_height, render::text_width;

// Okabe and Ito's colours, which colour-blind readers can tell apart, too; black first would be too loud.
constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555"};
constexpr std::size_t colours = sizeof palette / sizeof *palette;

struct Panel {
  std::string unit;  // plain
  std::string name;  // what the series have in common
  ScaledUnit scale;
  double least = 0, most = 0;  // of the values
  double offset = 0;           // taken from all of them
  std::vector<const PlotSeries*> series;
  std::vector<std::string> legend;  // empty for a single series: its name is the panel's
  std::string remark;               // about what the eye would take for a signal
  bool constant = false;            // but for the last digits
  bool zero = false;                // but for less than anybody can see beside what else there is
  // ---- where it stands, by lay_out()
  Axis axis;                              // scaled
  bool captioned = false;                 // the name is above the panel: beside the axis there is no room for it
  std::vector<std::string> remark_lines;  // above the panel, too
  double top = 0, height = 0;             // pixels
  std::vector<std::vector<std::string>> legend_lines;  // of as many as there is room for
};

std::vector<std::string> segments(const std::string& name) {
  std::vector<std::string> parts = split(name, '/');
  const std::size_t dot = parts.back().rfind('.');
  if (dot != std::string::npos && parts.size() > 2) {
    const std::string column = parts.back().substr(dot + 1);
    parts.back().resize(dot);
    parts.push_back("." + column);
  } else {
    parts.emplace_back("");
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& p : parts)
    if (!p.empty())
      text += text.ends_with(':') ? " " + p.substr(p[0] == '.') : (text.empty() || p[0] == '.' ? "" : " ") + p;
  return !text.empty() && text[0] == '.' ? text.substr(1) : text;
}

std::string full_name(const PlotSeries& s) { return s.motion.empty() ? s.name : s.motion + ": " + s.name; }

// What all names share labels the axis, the rest goes into the legend.
void name_panel(Panel& panel) {
  std::vector<std::vector<std::string>> names;
  for (const PlotSeries* s : panel.series) {
    names.push_back(segments(s->name));
    names.back().insert(names.back().begin(), s->motion.empty() ? "" : s->motion + ":");
  }
  const bool alike =
      std::all_of(names.begin(), names.end(), [&](const auto& n) { return n.size() == names[0].size(); });
  std::vector<std::string> shared;
  if (alike)
    for (std::size_t i = 0; i < names[0].size(); ++i) {
      const bool same = std::all_of(names.begin(), names.end(), [&](const auto& n) { return n[i] == names[0][i]; });
      if (!same) continue;
      shared.push_back(names[0][i]);
      if (panel.series.size() > 1)
        for (auto& n : names) n[i].clear();
    }
  panel.name = panel.series.size() == 1 ? full_name(*panel.series[0]) : joined(shared);
  if (panel.series.size() > 1)
    for (const auto& n : names) panel.legend.push_back(joined(n));
}

// Whether a quantity is a difference of large ones, and so limited by their rounding. A position is not, however far
// away others are.
std::string quantity_of(const PlotSeries& s) {
  const std::string last = s.name.substr(s.name.rfind('/') + 1);
  return last.substr(0, last.find('.'));
}
bool is_a_difference(const PlotSeries& s) {
  const std::string what = quantity_of(s);
  for (const char* word :
       {"residual", "error", "drift", "force", "force_magnitude", "torque", "torque_magnitude", "moment", "multiplier"})
    if (what == word || ends_with(what, std::string("_") + word)) return true;
  return s.name.starts_with("drift/") || s.name == "constraints/rate";
}

// Curves of nothing but rounding fill their panel like any others. The panel then says so; and a value that changes
// only in its last digits is drawn as the constant it is.
constexpr double rounding = 1e-13, last_digit = 2.3e-16;  // of the largest

// Nobody has seen a velocity of attometres a second beside one of metres. (Numbers without a unit are of many kinds; and a place is far
// away by the choice of an origin alone.)
bool is_as_good_as_zero(const std::string& quantity, const std::string& unit, double largest, double largest_of_unit) {
  return !unit.empty() && largest > 0 && largest <= (quantity == "position" ? last_digit : rounding) * largest_of_unit;
}

double largest_in(std::span<const double> values) {
  double largest = 0;
  for (const double y : values)
    if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
  return largest;
}

void mind_rounding(Panel& panel) {
  const double largest = std::max(std::abs(panel.least), std::abs(panel.most));
  const PlotSeries& first = **std::ranges::max_element(panel.series, {}, &PlotSeries::largest_of_unit);
  const auto is_nothing = [&](const PlotSeries* s) {
    const double own = largest_in(s->y);
    return own == 0 || is_as_good_as_zero(quantity_of(*s), s->unit, own, first.largest_of_unit);
  };
  const auto differs = [](const PlotSeries* s) {
    return is_a_difference(*s) || std::ranges::all_of(s->y, [](double y) { return y == 0; });
  };
  if (!(largest > 0)) return;
  if (largest <= rounding * first.largest_of_unit && std::ranges::all_of(panel.series, differs))
    panel.remark =
        fmt::format("nothing but rounding: {} {:.3g} {}", first.largest_said, first.largest_of_unit, panel.unit);
  else if ((panel.zero = std::ranges::all_of(panel.series, is_nothing)))
    panel.remark = fmt::format("as good as zero: {} {:.3g} {}", first.largest_said, first.largest_of_unit, panel.unit),
    panel.least = panel.most = 0;
  else
    panel.constant = panel.most - panel.least <= rounding * largest;
}

void scale(Panel& p) {
  double least = 1e300, most = -1e300;
  for (const PlotSeries* s : p.series)
    for (const double y : s->y)
      if (std::isfinite(y)) least = std::min(least, y), most = std::max(most, y);
  const bool none = least > most;
  if (none) least = most = 0;
  p.least = least, p.most = most;
  mind_rounding(p);
  if (none) p.remark = "no number in this time";
  if (p.constant) p.least = p.most = 0.5 * (least + most);
  p.offset = render::common_offset(p.least, p.most);
  p.scale =
      render::unit_for(std::max(std::abs(p.least - p.offset), std::abs(p.most - p.offset)), p.unit, !p.remark.empty());
}

// Numbers without a unit are not alike for that: how many points touch, and by how much of their sizes. Of other channels and another order
// of magnitude they have a panel of their own.
bool goes_with(const PlotSeries& s, const PlotSeries& other) {
  constexpr double another_order = 1e3;
  const auto channel = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
  if (s.unit != other.unit) return false;
  if (!s.unit.empty() || channel(s.name) == channel(other.name)) return true;
  const double a = largest_in(s.y), b = largest_in(other.y);
  return a == 0 || b == 0 || (a < another_order * b && b < another_order * a);
}

std::vector<Panel> make_panels(const std::vector<PlotSeries>& series) {
  std::vector<Panel> panels;
  for (const PlotSeries& s : series) {
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return goes_with(s, *p.series[0]); });
    if (panel == panels.end()) {
      panel = panels.insert(panels.end(), Panel{});
      panel->unit = s.unit;
    }
    panel->series.push_back(&s);
  }
  for (Panel& p : panels) {
    scale(p);
    name_panel(p);
    if (p.offset != 0)
      p.name += fmt::format("{}{} {:.12g} {}", p.name.empty() ? "" : ", ", p.offset > 0 ? "less" : "plus",
                            std::abs(p.offset), p.unit);
  }
  return panels;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  if (unit.empty()) return name;
  return name.empty() ? "[" + unit + "]" : name + "  [" + unit + "]";
}

std::string number_text(double x) { return std::isfinite(x) ? fmt::format("{:.9g}", x) : "NaN"; }

// Of a curve that goes to and fro, what is a quarter of a pixel away from the last point that was kept.
std::vector<std::size_t> kept_on_the_way(const PlotSeries& s, double pixel_x, double pixel_y) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const std::size_t last = kept.empty() ? i : kept.back();
    const double way = std::hypot((s.x[i] - s.x[last]) / pixel_x, (s.y[i] - s.y[last]) / pixel_y);
    if (kept.empty() || i + 1 == s.y.size() || !(way < 0.25)) kept.push_back(i);
  }
  return kept;
}

// A curve finer than the picture is thinned: the smallest and the largest value of each bin stay, in their order.
std::vector<std::size_t> kept_points(const PlotSeries& s, int width, double pixel_x, double pixel_y) {
  const std::size_t n = s.y.size(), bins = 2 * static_cast<std::size_t>(width);
  std::vector<std::size_t> kept;
  if (n <= 4 * bins) {
    for (std::size_t i = 0; i < n; ++i) kept.push_back(i);
    return kept;
  }
  if (!std::is_sorted(s.x.begin(), s.x.end())) return kept_on_the_way(s, pixel_x, pixel_y);
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t first = b * n / bins, last = (b + 1) * n / bins;
    const auto [low, high] = std::minmax_element(s.y.begin() + first, s.y.begin() + last);
    std::size_t i = low - s.y.begin(), j = high - s.y.begin();
    if (i > j) std::swap(i, j);
    kept.push_back(i);
    if (j != i) kept.push_back(j);
  }
  kept.front() = 0, kept.back() = n - 1;
  return kept;
}

// ------------------------------------------------------------------------------------- where things stand
// Pixels: at the edges, for ticks, for a line of the legend, between panels.
constexpr double margin = 8, tick_room = 14, line_sample = 28, between = 22;
constexpr std::size_t most_lines = 40;  // of a legend

struct Layout {
  int width = 0, height = 0;
  double left = 0, right = 26, top = 26, bottom = 66;
  double single = 380;  // height of a panel that is alone
  std::vector<std::string> title;
  Axis x;
  ScaledUnit x_unit;
  std::string x_label;
  bool x_is_zero = false;  // but for less than anybody can see beside what else there is
  bool phase = false;
};

// The names of the legend in lines, as many of them as there is room for.
void break_legend(Panel& p, double width, std::size_t room) {
  p.legend_lines.clear();
  std::size_t lines = 0;
  for (std::size_t k = 0; k < p.legend.size(); ++k) {
    std::vector<std::string> entry = broken_into_lines(p.legend[k], width);
    const bool last = k + 1 == p.legend.size();
    if (lines + entry.size() + (last ? 0 : 1) > std::max<std::size_t>(room, 1)) {
      p.legend_lines.push_back({fmt::format("… and {} more", p.legend.size() - k)});
      return;
    }
    lines += entry.size();
    p.legend_lines.push_back(std::move(entry));
  }
}
std::size_t lines_of(const Panel& p) {
  std::size_t lines = 0;
  for (const auto& entry : p.legend_lines) lines += entry.size();
  return lines;
}

void lay_out_heights(std::vector<Panel>& panels, double legend_width, Layout& l) {
  double total = 0;
  for (Panel& p : panels) {
    break_legend(p, legend_width, most_lines);
    if (!p.remark.empty()) p.remark_lines = broken_into_lines(p.remark, 0.5 * l.width);
    p.height = std::max(panels.size() == 1 ? l.single : 220.0, text_height * static_cast<double>(lines_of(p)) + 4);
    total += p.height;
  }
  const auto heading = [](const Panel& p) {
    return text_height * static_cast<double>(p.remark_lines.size() + (p.captioned ? 1 : 0));
  };
  const auto frame = [&] {
    double all = l.top + l.bottom + between * static_cast<double>(panels.size() - 1);
    for (const Panel& p : panels) all += heading(p);
    return all;
  };
  const double wanted = total;
  // With the height given, panels share what is left of it; a name may then need to go above its panel, which takes some more.
  for (int round = 0; round < 2; ++round) {
    const double room = l.height > 0 ? std::max(0.1 * l.height, l.height - frame()) : wanted;
    for (Panel& p : panels) {
      p.height *= room / total;
      p.captioned = p.captioned || (!p.name.empty() && text_width(with_unit(p.name, p.scale.unit)) > p.height);
    }
    // Where one name stands above its panel, all do.
    if (std::ranges::any_of(panels, &Panel::captioned))
      for (Panel& p : panels) p.captioned = !p.name.empty();
    total = room;
  }
  if (l.height <= 0) l.height = static_cast<int>(frame() + total);
  double top = l.top;
  for (Panel& p : panels) {
    p.top = top + heading(p);
    top = p.top + p.height + between;
    break_legend(p, legend_width, static_cast<std::size_t>((p.height + 8) / text_height));
  }
}

struct Range {
  double least = 1e300, most = -1e300;
};
Range range_of_x(const std::vector<Panel>& panels) {
  Range r;
  for (const Panel& p : panels)
    for (const PlotSeries* s : p.series)
      for (const double x : s->x)
        if (std::isfinite(x)) r.least = std::min(r.least, x), r.most = std::max(r.most, x);
  return r.least > r.most ? Range{0, 0} : r;
}

// A metre is as long to the right as upwards: a path has its form.
bool is_map(const std::vector<Panel>& panels, const PlotOptions& o) {
  return o.phase && panels.size() == 1 && o.x_unit == "m" && panels[0].unit == "m" && panels[0].remark.empty();
}
void same_scale(Panel& p, Layout& l) {
  const double wide = l.width - l.left - l.right;
  const double x_pixel = (l.x.high - l.x.low) / (l.x_unit.factor * wide),
               y_pixel = (p.axis.high - p.axis.low) / (p.scale.factor * p.height);
  const auto widen = [](Axis& a, double by, double ticks) {
    const double more = 0.5 * (by - 1) * (a.high - a.low);
    a = render::axis_over(a.low - more, a.high + more, ticks, false);
  };
  if (x_pixel < y_pixel)
    widen(l.x, y_pixel / x_pixel, std::clamp(wide / (l.x.widest_label() + 24), 1.0, 10.0));
  else
    widen(p.axis, x_pixel / y_pixel, std::clamp(p.height / 28, 2.0, 10.0));
}

Layout lay_out(std::vector<Panel>& panels, const PlotOptions& options) {
  Layout l;
  l.phase = options.phase;
  l.width = options.width, l.height = options.height;
  if (!options.title.empty()) {
    constexpr double larger = 1.55, most_left = 110;  // than other letters; where it begins
    l.title = broken_into_lines(options.title, (l.width - most_left - margin) / larger);
    l.top = 30 + 24 * static_cast<double>(l.title.size());
  }
  const double legend_width = std::max(0.4 * l.width - line_sample - 3 * margin, 40.0);
  const Range x = range_of_x(panels);
  const bool map = is_map(panels, options);
  if (map && x.most > x.least)
    l.single =
        std::clamp(0.8 * l.width * (panels[0].most - panels[0].least) / (x.most - x.least), 200.0, 0.8 * l.width);
  lay_out_heights(panels, legend_width, l);
  double ticks = 0, legend = 0;
  for (Panel& p : panels) {
    p.axis = render::axis_over(p.scale.factor * (p.least - p.offset), p.scale.factor * (p.most - p.offset),
                               std::clamp(p.height / 28, 2.0, 10.0), !p.constant);
    ticks = std::max(ticks, p.axis.widest_label());
    for (const auto& entry : p.legend_lines)
      for (const std::string& line : entry) legend = std::max(legend, text_width(line));
  }
  if (map) ticks += text_width("0");  // its axes may yet become longer
  l.left = margin + text_height + margin + ticks + tick_room;
  const double largest_x = std::max(std::abs(x.least), std::abs(x.most));
  l.x_is_zero = options.phase && is_as_good_as_zero(quantity_of(PlotSeries{options.x_name, {}, {}, {}}), options.x_unit,
                                                    largest_x, options.largest_of_x);
  l.x_unit = render::unit_for(l.x_is_zero ? 0 : largest_x, options.x_unit);
  const double x_factor = l.x_is_zero ? 0 : l.x_unit.factor;
  const auto x_axis = [&](double count) {
    return render::axis_over(x_factor * x.least, x_factor * x.most, count, options.phase);
  };
  const double half_label = 0.5 * x_axis(10).widest_label() + (map ? 0.5 * text_width("0") : 0);
  l.right = std::max(half_label + margin, legend > 0 ? legend + line_sample + 3 * margin : 0);
  const double room = std::max(l.width - l.left - l.right, 1.0);
  l.x = x_axis(std::clamp(room / (2 * half_label + 24), 1.0, 10.0));
  l.x_label = with_unit(options.x_name, l.x_unit.unit);
  if (map && !l.x_is_zero) same_scale(panels[0], l);
  return l;
}

// ------------------------------------------------------------------------------------- the script
void write_style(std::ostream& out, const Layout& l, bool svg) {
  const std::string size = std::to_string(l.width) + "," + std::to_string(l.height);
  if (svg)
    out << "set terminal svg size " << size << " dynamic noenhanced background '#ffffff' font 'Helvetica,13'\n";
  else
    out << "set terminal pngcairo size " << size << " noenhanced background '#ffffff' font 'Sans,10.5'\n";
  out << "set encoding utf8\nset output picture\n"
         "set border 3 lc '#9a9a9a' lw 1\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
         "set grid lc '#e4e4e4' lw 1 lt 1 dt solid\nset datafile missing 'NaN'\nset samples 2\n"
         "set xzeroaxis lc '#bdbdbd' lw 1 dt solid\nunset key\n";
}

// An angle that comes to the end of its circle goes on at the other, and the curve is not drawn from one to the other.
bool goes_round(const PlotSeries& s, std::size_t before, std::size_t i) {
  constexpr double pi = std::numbers::pi, near = 1.0001 * pi;
  return s.unit == "rad" && std::abs(s.y[i] - s.y[before]) > 1.5 * pi && std::abs(s.y[i]) < near &&
         std::abs(s.y[before]) < near;
}

void write_data(std::ostream& out, const std::vector<Panel>& panels, const Layout& l) {
  int block = 0;
  const double x_factor = l.x_is_zero ? 0 : l.x_unit.factor, wide = l.width - l.left - l.right;
  for (const Panel& p : panels) {
    const double y_factor = p.zero ? 0 : p.scale.factor;
    const double pixel_x = (l.x.high - l.x.low) / (l.x_unit.factor * wide),
                 pixel_y = (p.axis.high - p.axis.low) / (p.scale.factor * p.height);
    for (const PlotSeries* s : p.series) {
      out << "$d" << block++ << " << EOD\n";
      std::size_t before = 0;
      for (const std::size_t i : kept_points(*s, l.width, pixel_x, pixel_y)) {
        if (goes_round(*s, std::exchange(before, i), i)) out << '\n';
        out << number_text(x_factor * s->x[i]) << ' ' << number_text(y_factor * (s->y[i] - p.offset)) << '\n';
      }
      out << "EOD\n";
    }
  }
}

std::string line_style(std::size_t k) {
  const std::size_t round = k / colours;
  return fmt::format("lw 1.8 lc '{}' dt {}", palette[k % colours],
                     round == 0   ? "solid"
                     : round == 1 ? "(8,4)"
                                  : "(2,3)");
}

// Texts and lines at places in pixels, from the upper left corner.
class Lettering {
 public:
  Lettering(std::ostream& out, const Layout& l) : out_(out), l_(l) {}
  void text(const std::string& text, double x, double y, const char* how) {
    if (!text.empty()) out_ << "set label " << quoted(text) << " at " << place(x, y) << ' ' << how << '\n';
  }
  void line(double x, double y, double length, const std::string& style) {
    out_ << "set arrow from " << place(x, y) << " to " << place(x + length, y) << " nohead " << style << '\n';
  }

 private:
  std::string place(double x, double y) const {
    return fmt::format("screen {:.6f}, screen {:.6f}", x / l_.width, 1 - y / l_.height);
  }
  std::ostream& out_;
  const Layout& l_;
};

void write_texts(std::ostream& out, const Panel& p, const Layout& l) {
  Lettering put(out, l);
  constexpr const char* dark = "textcolor '#222222'";
  const std::string beside = with_unit(p.captioned ? "" : p.name, p.scale.unit);
  put.text(beside, margin + 0.5 * text_height, p.top + 0.5 * p.height, "center rotate by 90 textcolor '#222222'");
  double y = p.top - 0.6 * text_height;
  for (std::size_t k = p.remark_lines.size(); k-- > 0; y -= text_height)
    put.text(p.remark_lines[k], l.left, y, "textcolor '#b00020'");
  if (p.captioned) put.text(p.name, l.left, y, dark);
  const double x = l.width - l.right + 2 * margin;
  y = p.top + 0.3 * text_height;
  for (std::size_t k = 0; k < p.legend_lines.size(); ++k) {
    const bool rest = k + 1 == p.legend_lines.size() && k + 1 < p.legend.size();
    if (!rest) put.line(x, y, line_sample - margin, line_style(k));
    for (const std::string& line : p.legend_lines[k]) put.text(line, x + line_sample, y, dark), y += text_height;
  }
}

void write_panels(std::ostream& out, const std::vector<Panel>& panels, const Layout& l) {
  out << "set multiplot\n";
  int block = 0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& p = panels[i];
    const bool lowest = i + 1 == panels.size();
    out << fmt::format(
        "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n"
        "set bmargin at screen {:.6f}\n",
        l.left / l.width, 1 - l.right / l.width, 1 - p.top / l.height, 1 - (p.top + p.height) / l.height);
    out << fmt::format(
        "set xrange [{:.12g}:{:.12g}]\nset xtics {:.12g}\nset yrange [{:.12g}:{:.12g}]\nset ytics {:.12g}\n", l.x.low,
        l.x.high, l.x.step, p.axis.low, p.axis.high, p.axis.step);
    out << fmt::format("set format y '% .{}f'\n", p.axis.decimals)
        << (lowest ? fmt::format("set format x '%.{}f'\n", l.x.decimals) : "set format x ''\n");
    out << "unset label\nunset arrow\n";
    Lettering put(out, l);
    if (i == 0)
      for (std::size_t k = 0; k < l.title.size(); ++k)
        put.text(l.title[k], l.left, 24 + 24 * static_cast<double>(k), "left font ',16' textcolor '#222222'");
    if (lowest)
      put.text(l.x_label, l.left + 0.5 * (l.width - l.left - l.right), p.top + p.height + 46,
               "center textcolor '#222222'");
    write_texts(out, p, l);
    out << "plot ";
    for (std::size_t k = 0; k < p.series.size(); ++k, ++block) {
      out << (k ? ", " : "") << "$d" << block << " using 1:2 with lines " << line_style(k);
      if (l.phase)
        out << fmt::format(", $d{} every ::0:0:0:0 using 1:2 with points pt 7 ps 0.7 lc '{}'", block,
                           palette[k % colours]);
    }
    out << '\n';
  }
  out << "unset multiplot\nset output\n";
}

}  // namespace

void plot(const std::vector<PlotSeries>& series, const PlotOptions& options, const std::string& file) {
  const bool svg = ends_with(file, ".svg");
  render::check_picture_name(file, "a plot");
  if (series.empty())
    throw Error(ErrorKind::bad_input, "no quantity to plot was named; --list shows what the motion holds");
  std::vector<Panel> panels = make_panels(series);
  const Layout layout = lay_out(panels, options);
  std::ostringstream script;
  write_style(script, layout, svg);
  write_data(script, panels, layout);
  write_panels(script, panels, layout);
  render::run_gnuplot(script.str(), file);
}

}  // namespace marey
