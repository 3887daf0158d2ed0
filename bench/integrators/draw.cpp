// Work–precision diagrams by gnuplot: error over evaluations on the left, over processor time on the right.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "integrators/parts.h"
#include "marey/render/gnuplot.h"

namespace marey::bench {
namespace {

// Marey's own methods in strong colours and solid lines, other engines in thin broken ones, a colour for each engine.
struct Style {
  const char* colour;
  int sign;
};
Style style_of(const Curve& curve, std::size_t rival) {
  static const std::map<std::string, Style> ours{{"euler", {"#9a9a9a", 1}},         {"euler_second", {"#9a9a9a", 2}},
                                                 {"semi_implicit", {"#56b4e9", 4}}, {"midpoint", {"#009e73", 6}},
                                                 {"rk4", {"#0072b2", 7}},           {"rk45", {"#d55e00", 5}},
                                                 {"adams", {"#cc79a7", 9}},         {"bdf", {"#e69f00", 11}}};
  static constexpr int signs[] = {8, 10, 12, 14, 4, 6, 2, 1, 3, 13};
  if (!curve.rival) return ours.at(curve.method);
  return {curve.method.starts_with("simbody") ? "#6b4f9e" : "#222222", signs[rival % std::size(signs)]};
}

void write_data(std::ostream& out, const std::vector<Curve>& curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    out << "$c" << i << " << EOD\n";
    for (const Point& p : curves[i].points)
      if (std::isfinite(p.error) && p.error > 0)
        out << fmt::format("{:.7g} {:.7g} {:.7g}\n", p.work, 1e3 * p.seconds, p.error);
    out << "EOD\n";
  }
}

void write_panel(std::ostream& out, const std::vector<Curve>& curves, int column, const char* label, bool key) {
  out << "set xlabel '" << label << "'\nplot ";
  std::size_t rival = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& c = curves[i];
    const Style style = style_of(c, rival);
    if (c.rival) ++rival;
    out << (i ? ", " : "") << "$c" << i << " using " << column << ":3 with linespoints lw " << (c.rival ? 1 : 1.8)
        << " lc '" << style.colour << "' dt " << (c.rival ? "(6,4)" : "solid") << " pt " << style.sign << " ps "
        << (c.rival ? 0.45 : 0.6) << (key ? " title " + render::quoted(c.method) : std::string(" notitle"));
  }
  out << '\n';
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return "integrators-" + name;
}

}  // namespace

void draw(const Problem& problem, const std::vector<Curve>& all, const std::string& folder) {
  std::vector<Curve> curves;
  for (const Curve& c : all)
    if (std::any_of(c.points.begin(), c.points.end(), [](const Point& p) { return p.error < 10 && p.error > 0; }))
      curves.push_back(c);
  std::ostringstream out;
  out << "set terminal svg size 1180,560 dynamic enhanced background '#ffffff' font 'Helvetica,13'\n";
  out << "set encoding utf8\nset output picture\nset border 3 lc '#9a9a9a' lw 1\n"
         "set tics nomirror out scale 0.5 textcolor '#444444'\nset grid lc '#e4e4e4' lw 1 lt 1 dt solid\n"
         "set logscale xy\nset mxtics 1\nset mytics 1\nset format x '10^%T'\nset format y '10^%T'\nset yrange "
         "[1e-13:10]\n";
  write_data(out, curves);
  out << "set label 99 " << render::quoted(problem.name + ": " + problem.scene.title)
      << " at screen 0.085, screen 0.955 left font ',16' textcolor '#222222' noenhanced\nset multiplot\nset key "
         "noenhanced\n"
         "set tmargin at screen 0.9\nset bmargin at screen 0.12\n"
         "set lmargin at screen 0.085\nset rmargin at screen 0.43\nset ylabel 'error at the end' offset -1\nunset "
         "key\n";
  write_panel(out, curves, 1, "evaluations", false);
  out << "unset label 99\nunset ylabel\nset lmargin at screen 0.46\nset rmargin at screen 0.81\n"
         "set key noenhanced at screen 0.825, screen 0.9 left top Left reverse samplen 1.6 spacing 1.1 textcolor "
         "'#222222'\n";
  write_panel(out, curves, 2, "processor time [ms]", true);
  out << "unset multiplot\nset output\n";
  render::run_gnuplot(out.str(), folder + "/" + file_name(problem.name) + ".svg");
}

}  // namespace marey::bench
