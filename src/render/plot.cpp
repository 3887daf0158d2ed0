// Plots: panels by unit → a gnuplot script with the data inside.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "marey/render.h"
#include "marey/render/gnuplot.h"
#include "render/names.h"
#include "render/picture_file.h"

namespace marey {
namespace {

using render::ends_with, render::quoted, render::split;

// Okabe and Ito's colours, which colour-blind readers can tell apart, too; black first would be too loud.
constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555"};
constexpr std::size_t colours = sizeof palette / sizeof *palette;

struct Scale {
  double factor = 1;
  std::string prefix;
};
struct Panel {
  std::string unit, axis;
  Scale scale;
  std::vector<const PlotSeries*> series;
  std::vector<std::string> legend;  // empty for a single series: the axis names it
  std::string remark;               // about what the eye would take for a signal
  double low = 0, high = 0;         // of the axis, scaled; equal: fitted to the curves
};

// A prefix that brings the largest value between 1 and 1000, where the plain unit is hard to read.
Scale scale_for(double largest, const std::string& unit) {
  static const std::string takes_prefix[] = {"m",     "s",   "J",   "N",   "W",     "Pa",  "Hz",   "m/s",
                                             "m/s^2", "N m", "N s", "rad", "rad/s", "J s", "N m s"};
  const bool known = std::find(std::begin(takes_prefix), std::end(takes_prefix), unit) != std::end(takes_prefix);
  if (!known || !(largest > 0) || !std::isfinite(largest) || (largest >= 0.01 && largest < 1e4)) return {};
  static const std::map<int, std::string> names{{-18, "a"}, {-15, "f"}, {-12, "p"}, {-9, "n"}, {-6, "µ"},
                                                {-3, "m"},  {0, ""},    {3, "k"},   {6, "M"},  {9, "G"}};
  const int power = std::clamp(3 * static_cast<int>(std::floor(std::log10(largest) / 3 + 1e-9)), -18, 9);
  return {std::pow(10, -power), names.at(power)};
}

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
    if (!p.empty()) text += (text.empty() || p[0] == '.' ? "" : " ") + p;
  return !text.empty() && text[0] == '.' ? text.substr(1) : text;
}

// What all names share labels the axis, the rest goes into the legend.
void name_panel(Panel& panel) {
  std::vector<std::vector<std::string>> names;
  for (const PlotSeries* s : panel.series) names.push_back(segments(s->name));
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
  panel.axis = panel.series.size() == 1 ? panel.series[0]->name : joined(shared);
  if (panel.series.size() > 1)
    for (const auto& n : names) panel.legend.push_back(joined(n));
}

// Whether a quantity is a difference of large ones, and so limited by their rounding. A position is not, however far
// away others are.
bool is_a_difference(const PlotSeries& s) {
  const std::string last = s.name.substr(s.name.rfind('/') + 1), what = last.substr(0, last.find('.'));
  for (const char* word :
       {"residual", "error", "drift", "force", "force_magnitude", "torque", "torque_magnitude", "moment", "multiplier"})
    if (what == word || ends_with(what, std::string("_") + word)) return true;
  return s.name.starts_with("drift/") || s.name == "constraints/rate";
}

// Curves of nothing but rounding fill their panel like any others. The panel then says so; and a value that changes
// only in its last digits is drawn as the constant it is.
constexpr double rounding = 1e-13;  // of the largest
void mind_rounding(Panel& panel, double least, double most) {
  const double largest = std::max(std::abs(least), std::abs(most)), of_unit = panel.series[0]->largest_of_unit;
  if (!(largest > 0)) return;
  const auto differs = [](const PlotSeries* s) { return is_a_difference(*s); };
  if (largest <= rounding * of_unit && std::ranges::all_of(panel.series, differs)) {
    char text[160];
    std::snprintf(text, sizeof text, "nothing but rounding: the motion has values of up to %.3g %s", of_unit,
                  panel.unit.c_str());
    panel.remark = text;
  } else if (most - least <= rounding * largest) {
    const double middle = panel.scale.factor * 0.5 * (least + most);
    panel.low = middle - 0.1 * std::abs(middle), panel.high = middle + 0.1 * std::abs(middle);
  }
}

std::vector<Panel> make_panels(const std::vector<PlotSeries>& series) {
  std::vector<Panel> panels;
  for (const PlotSeries& s : series) {
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.unit == s.unit; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), Panel{s.unit, "", {}, {}, {}, "", 0, 0});
    panel->series.push_back(&s);
  }
  for (Panel& p : panels) {
    double least = 1e300, most = -1e300;
    for (const PlotSeries* s : p.series)
      for (const double y : s->y)
        if (std::isfinite(y)) least = std::min(least, y), most = std::max(most, y);
    if (least > most) least = most = 0;
    p.scale = scale_for(std::max(std::abs(least), std::abs(most)), p.unit);
    mind_rounding(p, least, most);
    name_panel(p);
    // A name longer than the axis is put beside the curve instead.
    if (p.legend.empty() && p.axis.size() > (panels.size() == 1 ? 44u : 24u)) {
      p.legend = {p.axis};
      p.axis.clear();
    }
  }
  return panels;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  if (unit.empty()) return name;
  return name.empty() ? "[" + unit + "]" : name + "  [" + unit + "]";
}

std::string number_text(double x) {
  if (!std::isfinite(x)) return "NaN";
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return text;
}

// A curve finer than the picture is thinned: the smallest and the largest value of each bin stay, in their order.
std::vector<std::size_t> kept_points(const PlotSeries& s, int width) {
  const std::size_t n = s.y.size(), bins = 2 * static_cast<std::size_t>(width);
  std::vector<std::size_t> kept;
  const bool simple = n <= 4 * bins || !std::is_sorted(s.x.begin(), s.x.end());
  if (simple) {
    for (std::size_t i = 0; i < n; ++i) kept.push_back(i);
    return kept;
  }
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

struct Layout {
  int width, height;
  double left, right, top, bottom, gap;  // pixels
  std::vector<double> panel_heights;
};

Layout lay_out(const std::vector<Panel>& panels, const PlotOptions& options) {
  Layout l{options.width, options.height, 84, 26, options.title.empty() ? 26.0 : 56.0, 66, 20, {}};
  std::size_t longest = 0;
  double total = 0;
  for (const Panel& p : panels) {
    for (const std::string& s : p.legend) longest = std::max(longest, s.size());
    l.panel_heights.push_back(std::max(panels.size() == 1 ? 380.0 : 220.0, 19.0 * p.legend.size() + 12));
    total += l.panel_heights.back();
  }
  if (longest > 0) l.right = std::min(0.4 * l.width, 56 + 8.6 * longest);
  const double frame = l.top + l.bottom + l.gap * (panels.size() - 1);
  if (l.height <= 0) l.height = static_cast<int>(frame + total);
  for (double& h : l.panel_heights) h *= std::max(0.1 * l.height, l.height - frame) / total;
  return l;
}

void write_style(std::ostream& out, const Layout& l, const PlotOptions& options, bool svg) {
  const std::string size = std::to_string(l.width) + "," + std::to_string(l.height);
  if (svg)
    out << "set terminal svg size " << size << " dynamic noenhanced background '#ffffff' font 'Helvetica,13'\n";
  else
    out << "set terminal pngcairo size " << size << " noenhanced background '#ffffff' font 'Sans,10.5'\n";
  out << "set encoding utf8\nset output picture\n"
         "set border 3 lc '#9a9a9a' lw 1\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
         "set grid lc '#e4e4e4' lw 1 lt 1 dt solid\nset datafile missing 'NaN'\nset samples 2\n"
         "set autoscale xfix\nset xzeroaxis lc '#bdbdbd' lw 1 dt solid\n";
  if (!options.title.empty())
    out << "set label 99 " << quoted(options.title) << " at screen " << l.left / l.width << ", screen "
        << 1 - 24.0 / l.height << " left font ',16' textcolor '#222222'\n";
}

void write_data(std::ostream& out, const std::vector<Panel>& panels, double x_factor, int width) {
  int block = 0;
  for (const Panel& p : panels)
    for (const PlotSeries* s : p.series) {
      out << "$d" << block++ << " << EOD\n";
      for (const std::size_t i : kept_points(*s, width))
        out << number_text(x_factor * s->x[i]) << ' ' << number_text(p.scale.factor * s->y[i]) << '\n';
      out << "EOD\n";
    }
}

void write_panels(std::ostream& out, const std::vector<Panel>& panels, const Layout& l, const std::string& x_label) {
  out << "set multiplot\n";
  double top = l.top;
  int block = 0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& p = panels[i];
    const double bottom = top + l.panel_heights[i];
    const bool lowest = i + 1 == panels.size();
    out << "set lmargin at screen " << l.left / l.width << "\nset rmargin at screen " << 1 - l.right / l.width
        << "\nset tmargin at screen " << 1 - top / l.height << "\nset bmargin at screen " << 1 - bottom / l.height
        << '\n';
    out << (lowest ? "set xlabel " + quoted(x_label) + " textcolor '#222222'\nset format x\n"
                   : "unset xlabel\nset format x ''\n");
    out << "set ylabel " << quoted(with_unit(p.axis, p.scale.prefix + p.unit)) << " textcolor '#222222'\n";
    out << (p.low < p.high ? "set yrange [" + number_text(p.low) + ":" + number_text(p.high) + "]\n"
                           : std::string("set autoscale y\n"));
    out << "unset label 98\n";
    if (!p.remark.empty())
      out << "set label 98 " << quoted(p.remark) << " at graph 0.01, graph 0.96 left front textcolor '#b00020'\n";
    if (p.legend.empty())
      out << "unset key\n";
    else
      out << "set key at screen " << 1 - (l.right - 12) / l.width << ", screen " << 1 - (top - 6) / l.height
          << " left top Left reverse samplen 1.4 spacing 1.15 width 0 textcolor '#222222'\n";
    out << "plot ";
    for (std::size_t k = 0; k < p.series.size(); ++k) {
      out << (k ? ", " : "") << "$d" << block++ << " using 1:2 with lines lw 1.8 lc '" << palette[k % colours]
          << "' dt "
          << (k / colours == 0   ? "solid"
              : k / colours == 1 ? "(8,4)"
                                 : "(2,3)")
          << (p.legend.empty() ? " notitle" : " title " + quoted(p.legend[k]));
    }
    out << '\n';
    if (i == 0) out << "unset label 99\n";
    top = bottom + l.gap;
  }
  out << "unset multiplot\nset output\n";
}

}  // namespace

void plot(const std::vector<PlotSeries>& series, const PlotOptions& options, const std::string& file) {
  const bool svg = ends_with(file, ".svg");
  render::check_picture_name(file, "a plot");
  if (series.empty())
    throw Error(ErrorKind::bad_input, "no quantity to plot was named; --list shows what the motion holds");
  const std::vector<Panel> panels = make_panels(series);
  const Layout layout = lay_out(panels, options);
  double x_largest = 0;
  for (const double x : series[0].x)
    if (std::isfinite(x)) x_largest = std::max(x_largest, std::abs(x));
  const Scale x_scale = scale_for(x_largest, options.x_unit);
  std::ostringstream script;
  write_style(script, layout, options, svg);
  write_data(script, panels, x_scale.factor, options.width);
  write_panels(script, panels, layout, with_unit(options.x_name, x_scale.prefix + options.x_unit));
  render::run_gnuplot(script.str(), file);
}

}  // namespace marey
