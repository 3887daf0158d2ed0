// marey bench down_jump: R9's three links jump down from 1 m onto their heels (R12, figs. 4.3 and 4.7).
//
// Masses, moments, lengths and the split are printed; constants of the heel and of the coupling are not. Four of them are fitted here to
// two numbers alone, the height of the impact peak (8 body weights) and its width (20 ms, the mean of
// those at 0.4, 0.5 and 0.6 of the peak): the solution that is nearest
// to where the search begins. All else that is printed here is what came of that.
#include <cmath>
#include <cstring>
#include <vector>

#include "down_jump/jump.h"
#include "down_jump/simplex.h"
#include "marey/render/gnuplot.h"
#include "report.h"

namespace marey::bench {
namespace {

using namespace jump;

constexpr double wanted_peak = 8, wanted_width = 20e-3;

struct Fitted {
  const char *name, *unit;
  double Constants::*of;
};
constexpr Fitted fitted[] = {{"heel, stiffness a", "N/m^b", &Constants::heel_stiffness},
                             {"heel, damping d", "N s/m", &Constants::heel_damping},
                             {"tissue, stiffness c per kg", "1/(m^2 s^2)", &Constants::stiffness},
                             {"tissue, damping d per kg", "1/s", &Constants::damping}};

Constants with(const Constants& start, const std::vector<double>& logarithms) {
  Constants c = start;
  for (std::size_t k = 0; k < std::size(fitted); ++k) c.*(fitted[k].of) *= std::exp(logarithms[k]);
  return c;
}

Measure impact(const Constants& c, Jump j) {
  j.lasts = 0.06;
  return measure(run(c, j));
}

double square(double x) { return x * x; }

struct Fit {
  Constants constants;
  Lowest search;
};
Fit fit(const Constants& start) {
  const auto off = [&](const std::vector<double>& x) {
    const Measure m = impact(with(start, x), {});
    double far = 0;
    for (const double a : x) far += a * a;
    constexpr double leash = 1e-4;
    return square(std::log(m.peak / wanted_peak)) + square(std::log(m.width / wanted_width)) + leash * far;
  };
  const Lowest best = lowest_by_simplex(off, std::vector<double>(std::size(fitted), 0.0), 0.15, 1e-7, 300);
  return {with(start, best.x), best};
}

void put(Report& report, const std::string& which, const std::string& subject, const Measure& m) {
  report.row(which, subject, "peak", m.peak, "body weights (measured: about 8)");
  report.row(which, subject, "peak, after touch-down", m.at * 1e3, "ms");
  report.row(which, subject, "width", m.width * 1e3, "ms (measured: about 20)");
  report.row(which, subject, "width at 0.4 of it", m.lower_width * 1e3, "ms");
  report.row(which, subject, "width at 0.6 of it", m.upper_width * 1e3, "ms");
  report.row(which, subject, "horizontal force, largest", m.horizontal, "body weights");
  report.row(which, subject, "active phase, largest from 50 ms on", m.active, "body weights");
  report.row(which, subject, "knee, smallest angle", m.lowest_knee, "degrees");
  if (m.shift > 0)
    report.row(which, subject, "shift of the tissue, largest", m.shift * 1e3, "mm (estimated: 30 to 40)");
}

// ∂ ln y/∂ ln c by central differences; the peak moves smoothly with every constant.
void put_sensitivity(Report& report, const Constants& c) {
  struct Constant {
    const char* name;
    double Constants::*of;
  };
  for (const Constant& k :
       {Constant{"heel, stiffness", &Constants::heel_stiffness}, Constant{"heel, exponent", &Constants::heel_exponent},
        Constant{"heel, damping", &Constants::heel_damping}, Constant{"tissue, stiffness", &Constants::stiffness},
        Constant{"tissue, damping", &Constants::damping},
        Constant{"tissue, turning stiffness", &Constants::turning_stiffness},
        Constant{"tissue, turning damping", &Constants::turning_damping}, Constant{"knee, stiffness", &Constants::knee},
        Constant{"hip, stiffness", &Constants::hip}, Constant{"knee, damping", &Constants::knee_damping},
        Constant{"hip, damping", &Constants::hip_damping}}) {
    constexpr double by = 0.01;
    Constants more = c, less = c;
    more.*(k.of) *= 1 + by, less.*(k.of) /= 1 + by;
    const Measure a = impact(more, {}), b = impact(less, {});
    const double h = 2 * std::log(1 + by);
    report.row("sensitivity", k.name, "d ln peak / d ln constant", std::log(a.peak / b.peak) / h, "");
    report.row("sensitivity", k.name, "d ln width / d ln constant", std::log(a.width / b.width) / h, "");
    report.row("sensitivity", k.name, "d ln shift / d ln constant", std::log(a.shift / b.shift) / h, "");
  }
}

// Two numbers leave a family of constants: what comes of other beginnings.
void put_others(Report& report) {
  for (const auto& [stiffness, turning_damping] : {std::pair{1e6, 15.0}, std::pair{7e7, 12.0}, std::pair{1e7, 40.0}}) {
    Constants start;
    start.stiffness = stiffness, start.turning_damping = turning_damping;
    const Constants c = fit(start).constants;
    const Measure m = impact(c, {}), r = impact(c, {.wobbling = false});
    const std::string subject = fmt::format("from {:g} and {:g}", stiffness, turning_damping);
    report.row("other beginning", subject, "peak", m.peak, "body weights");
    report.row("other beginning", subject, "width", m.width * 1e3, "ms");
    report.row("other beginning", subject, "tissue, stiffness c per kg", c.stiffness, "1/(m^2 s^2)");
    report.row("other beginning", subject, "tissue, damping d per kg", c.damping, "1/s");
    report.row("other beginning", subject, "shift of the tissue, largest", m.shift * 1e3, "mm");
    report.row("other beginning", subject, "rigid over wobbling, peak", r.peak / m.peak, "");
  }
}

void plot(const std::string& file, const Course& soft, const Course& rigid) {
  std::string script = "set terminal svg size 900,640 font 'sans,13' background 'white'\nset output picture\n";
  const auto data = [&](const char* name, const Course& c, const std::vector<double>& y, double unit) {
    script += fmt::format("${} << end\n", name);
    for (std::size_t i = 0; i < c.time.size(); ++i)
      script += fmt::format("{:.6g} {:.6g}\n", c.time[i] * 1e3, y[i] * unit);
    script += "end\n";
  };
  data("z", soft, soft.vertical, 1), data("x", soft, soft.horizontal, 1), data("s", soft, soft.shift, 1e3);
  data("rz", rigid, rigid.vertical, 1), data("rx", rigid, rigid.horizontal, 1);
  script +=
      "set multiplot layout 2,1\nset grid\nset xrange [-5:200]\nset ylabel 'force of the ground [body weights]'\n"
      "plot $rz with lines lw 1 lc 'gray50' title 'vertical, rigid', $z with lines lw 2 lc 1 title 'vertical, with "
      "wobbling masses', "
      "$x with lines lw 2 lc 2 title 'horizontal, with wobbling masses'\n"
      "set xlabel 'after touch-down [ms]'\nset ylabel 'force [body weights]'\nset yrange [-3:10]\nset y2tics\nset "
      "y2label 'shift of the "
      "tissue [mm]'\nset y2range [-18:60]\nset ytics nomirror\n"
      "plot $z with lines lw 2 lc 1 title 'vertical', $x with lines lw 2 lc 2 title 'horizontal', $s axes x1y2 with "
      "lines lw 1 lc 3 "
      "title 'largest shift of a tissue'\nunset multiplot\n";
  render::run_gnuplot(script, file);
}

int run_benchmark(int argc, char** argv) {
  std::string file;
  bool scene = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) continue;
    scene = scene || std::strcmp(argv[i], "--scene") == 0;
    if (std::strcmp(argv[i], "--scene") == 0) continue;
    if (std::strcmp(argv[i], "--plot") != 0 || i + 1 == argc)
      throw Error(ErrorKind::bad_input,
                  fmt::format("found '{}'; expected --json, --scene or --plot FILE.svg", argv[i]));
    file = argv[++i];
  }
  Report report(argc, argv, true);
  report.title("A jump down from 1 m onto the heels, three links of 75 kg with the printed masses");
  const Fit found = fit({});
  const Constants& c = found.constants;
  report.title(fmt::format("fitted in {} jumps to peak and width alone; what is left: {:.1e}", found.search.evaluations,
                           found.search.value));
  for (const Fitted& f : fitted) report.row("fitted", f.name, "", c.*(f.of), f.unit);
  report.row("chosen", "heel, exponent b", "", c.heel_exponent, "");
  if (scene) fmt::print(stderr, "{}\n{}\n", scene_of(c, {}), scene_of(c, {.wobbling = false}));
  const Course soft = run(c, {}), rigid = run(c, {.wobbling = false});
  const Measure m = measure(soft), r = measure(rigid);
  put(report, "1 m", "with wobbling masses", m);
  put(report, "1 m", "rigid, the same heel", r);
  report.row("1 m", "rigid over wobbling", "peak", r.peak / m.peak, "(goal: at least 3)");
  report.row("1 m", "rigid over wobbling", "width", r.width / m.width, "(goal: at most 0.5)");
  for (const double knee : {105.0, 113.0, 121.0, 129.0, 137.0, 145.0})
    for (const bool wobbling : {true, false})
      report.row("knee", fmt::format("{:g} degrees, {}", knee, wobbling ? "wobbling" : "rigid"), "peak",
                 impact(c, {.wobbling = wobbling, .knee = knee}).peak, "body weights");
  for (const double height : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5})
    for (const bool wobbling : {true, false})
      report.row("height", fmt::format("{:g} m, {}", height, wobbling ? "wobbling" : "rigid"), "peak",
                 impact(c, {.wobbling = wobbling, .height = height}).peak, "body weights");
  put_sensitivity(report, c);
  put_others(report);
  if (!file.empty()) plot(file, soft, rigid);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run_benchmark, argc, argv); }
