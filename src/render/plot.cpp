// Plots: panels by unit → a gnuplot script with the data inside. Where every text stands is settled here, from how wide it is:
// left to itself, gnuplot drops a label for which there is no room.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

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
  panel.name = panel.series.size() == 1 ? panel.series[0]->name : joined(shared);
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
void mind_rounding(Panel& panel) {
  const double largest = std::max(std::abs(panel.least), std::abs(panel.most));
  const PlotSeries& first = *panel.series[0];
  const auto differs = [](const PlotSeries* s) {
    return is_a_difference(*s) || std::ranges::all_of(s->y, [](double y) { return y == 0; });
  };
  if (!(largest > 0)) return;
  if (largest <= rounding * first.largest_of_unit && std::ranges::all_of(panel.series, differs))
    panel.remark =
        fmt::format("nothing but rounding: {} {:.3g} {}", first.largest_said, first.largest_of_unit, panel.unit);
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

double largest_in(const PlotSeries& s) {
  double largest = 0;
  for (const double y : s.y)
    if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
  return largest;
}
// Numbers without a unit are not alike for that: how many points touch, and by how much of their sizes. Of other channels and another order
// of magnitude they have a panel of their own.
bool goes_with(const PlotSeries& s, const PlotSeries& other) {
  constexpr double another_order = 1e3;
  const auto channel = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
  if (s.unit != other.unit) return false;
  if (!s.unit.empty() || channel(s.name) == channel(other.name)) return true;
  const double a = largest_in(s), b = largest_in(other);
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

// ------------------------------------------------------------------------------------- where things stand
// Pixels: at the edges, for ticks, for a line of the legend, between panels.
constexpr double margin = 8, tick_room = 14, line_sample = 28, between = 22;
constexpr std::size_t most_lines = 40;  // of a legend

struct Layout {
  int width = 0, height = 0;
  double left = 0, right = 26, top = 26, bottom = 66;
  std::vector<std::string> title;
  Axis x;
  ScaledUnit x_unit;
  std::string x_label;
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
    p.height = std::max(panels.size() == 1 ? 380.0 : 220.0, text_height * static_cast<double>(lines_of(p)) + 4);
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

Layout lay_out(std::vector<Panel>& panels, const PlotOptions& options, std::span<const double> x) {
  Layout l;
  l.width = options.width, l.height = options.height;
  if (!options.title.empty()) {
    constexpr double larger = 1.55, most_left = 110;  // than other letters; where it begins
    l.title = broken_into_lines(options.title, (l.width - most_left - margin) / larger);
    l.top = 30 + 24 * static_cast<double>(l.title.size());
  }
  const double legend_width = std::max(0.4 * l.width - line_sample - 3 * margin, 40.0);
  lay_out_heights(panels, legend_width, l);
  double ticks = 0, legend = 0;
  for (Panel& p : panels) {
    p.axis = render::axis_over(p.scale.factor * (p.least - p.offset), p.scale.factor * (p.most - p.offset),
                               std::clamp(p.height / 28, 2.0, 10.0), !p.constant);
    ticks = std::max(ticks, p.axis.widest_label());
    for (const auto& entry : p.legend_lines)
      for (const std::string& line : entry) legend = std::max(legend, text_width(line));
  }
  l.left = margin + text_height + margin + ticks + tick_room;
  double least = 1e300, most = -1e300;
  for (const double t : x)
    if (std::isfinite(t)) least = std::min(least, t), most = std::max(most, t);
  if (least > most) least = most = 0;
  l.x_unit = render::unit_for(std::max(std::abs(least), std::abs(most)), options.x_unit);
  least *= l.x_unit.factor, most *= l.x_unit.factor;
  const auto x_axis = [&](double count) { return render::axis_over(least, most, count, false); };
  const double half_label = 0.5 * x_axis(10).widest_label();
  l.right = std::max(half_label + margin, legend > 0 ? legend + line_sample + 3 * margin : 0);
  const double room = std::max(l.width - l.left - l.right, 1.0);
  l.x = x_axis(std::clamp(room / (2 * half_label + 24), 1.0, 10.0));
  l.x_label = with_unit(options.x_name, l.x_unit.unit);
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

void write_data(std::ostream& out, const std::vector<Panel>& panels, double x_factor, int width) {
  int block = 0;
  for (const Panel& p : panels)
    for (const PlotSeries* s : p.series) {
      out << "$d" << block++ << " << EOD\n";
      for (const std::size_t i : kept_points(*s, width))
        out << number_text(x_factor * s->x[i]) << ' ' << number_text(p.scale.factor * (s->y[i] - p.offset)) << '\n';
      out << "EOD\n";
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
    for (std::size_t k = 0; k < p.series.size(); ++k)
      out << (k ? ", " : "") << "$d" << block++ << " using 1:2 with lines " << line_style(k);
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
  const Layout layout = lay_out(panels, options, series[0].x);
  std::ostringstream script;
  write_style(script, layout, svg);
  write_data(script, panels, layout.x_unit.factor, options.width);
  write_panels(script, panels, layout);
  render::run_gnuplot(script.str(), file);
}

}  // namespace marey
