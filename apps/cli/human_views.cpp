#include "human_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/render/gnuplot.h"

namespace marey::cli {
namespace {

// A source, and of Shan & Bohn's a population.
struct Choice {
  BodySource source;
  std::optional<Population> population;
  const char* called;
};
constexpr Choice choices[] = {{BodySource::shan_bohn, Population::german, "Shan & Bohn, German"},
                              {BodySource::shan_bohn, Population::chinese, "Shan & Bohn, Chinese"},
                              {BodySource::de_leva, {}, "de Leva"},
                              {BodySource::jensen, {}, "Jensen (boys)"},
                              {BodySource::pavol, {}, "Pavol (elderly)"}};

Person with(const Person& p, const Choice& c) {
  Person out = p;
  out.source = c.source, out.population = c.population;
  return out;
}

SourceAnswer ask(const Person& p, const Choice& c) {
  SourceAnswer answer{c.source, c.called, {}, {}};
  try {
    answer.body = measure(with(p, c));
  } catch (const ImpossibleBody& e) {
    answer.refusal = e.what();
  }
  return answer;
}

RangeResult go_through(const Choice& c, Sex sex) {
  RangeResult r;
  r.group = fmt::format("{}, {}", c.called, sex == Sex::female ? "women" : "men");
  r.range = range_of(c.source, sex, c.population.value_or(Population::german));
  const auto steps = [](double least, double greatest, double by) {
    return static_cast<int>(std::lround((greatest - least) / by));
  };
  constexpr double centimetre = 0.01, half = 0.5;
  for (int i = 0; i <= steps(r.range.least_height, r.range.greatest_height, centimetre); ++i)
    for (int k = 0; k <= steps(r.range.least_index, r.range.greatest_index, half); ++k) {
      const double height = r.range.least_height + centimetre * i, index = r.range.least_index + half * k;
      ++r.persons;
      Person p;
      p.sex = sex, p.mass = index * height * height, p.height = height;
      try {
        const Body body = measure(with(p, c));
        ++r.sound;
        r.worst_closure = std::max(r.worst_closure, std::abs(body.table_sum / p.mass - 1));
      } catch (const ImpossibleBody& e) {
        const std::string what = e.segment() ? name_of(*e.segment()) : "lengths";
        const auto known = std::ranges::find(r.refused, what, &std::pair<std::string, int>::first);
        known == r.refused.end() ? r.refused.emplace_back(what, 1) : (++known->second, *known);
      }
    }
  return r;
}

}  // namespace

std::vector<SourceAnswer> ask_all_sources(const Person& p) {
  std::vector<SourceAnswer> answers;
  for (const Choice& c : choices) answers.push_back(ask(p, c));
  return answers;
}

std::vector<RangeResult> go_through_ranges() {
  std::vector<RangeResult> results;
  for (const Choice& c : choices) {
    if (c.source != BodySource::shan_bohn && c.source != BodySource::de_leva) continue;
    for (const Sex sex : {Sex::female, Sex::male}) results.push_back(go_through(c, sex));
  }
  return results;
}

void plot_masses(const Person& p, const std::string& file) {
  constexpr double least = 18.5, greatest = 30;  // kg/m²
  constexpr int steps = 46, between_points = 6;
  std::string script =
      file.ends_with(".svg")
          ? "set terminal svg size 1500,900 dynamic noenhanced background '#ffffff' font 'Helvetica,12'\n"
          : "set terminal pngcairo size 1500,900 noenhanced background '#ffffff' font 'Sans,9.5'\n";
  script +=
      "set encoding utf8\nset output picture\nset border 3 lc '#9a9a9a'\nset tics nomirror textcolor '#444444'\n"
      "set grid lc '#e4e4e4' lt 1\nset datafile missing 'NaN'\n";
  std::vector<std::string> called;
  for (const Choice& choice : choices) {
    std::string lines, points;
    bool any = false;
    for (int k = 0; k <= steps; ++k) {
      Person who = p;
      who.mass = (least + (greatest - least) * k / steps) * p.height * p.height;
      const SourceAnswer a = ask(who, choice);
      std::string line = fmt::format("{:.6g}", who.mass), point = line;
      for (std::size_t s = 0; s < segment_count; ++s) {
        const double mass = a.refusal.empty() ? a.body.segments[s].mass : std::nan("");
        line += fmt::format(" {:.6g}", mass), point += fmt::format(" {:.6g}", mass / a.body.scaled_by);
      }
      any = any || a.refusal.empty();
      lines += line + "\n";
      if (k % between_points == 0) points += point + "\n";
    }
    if (!any) continue;
    called.emplace_back(choice.called);
    script +=
        fmt::format("$lines{} << END\n{}END\n$points{} << END\n{}END\n", called.size(), lines, called.size(), points);
  }
  constexpr const char* colors[] = {"#3b6fb6", "#c0504d", "#4f8a4f", "#8a6bb0", "#c08a2e"};
  script += fmt::format("set multiplot layout 2,5 title {}\n",
                        render::quoted(fmt::format("Masses of segments, {} of {:g} m (lines: figures; points: tables)",
                                                   p.sex == Sex::female ? "women" : "men", p.height)));
  for (std::size_t s = 0; s < segment_count; ++s) {
    std::string name = segment_names[s];
    std::ranges::replace(name, '_', ' ');
    script += fmt::format("set title {}\nset xlabel 'mass of the body, kg'\nset ylabel 'kg'\n", render::quoted(name));
    script += s == 0 ? "set key top left samplen 1 spacing 0.9\n" : "unset key\n";
    std::string plots;
    for (std::size_t c = 0; c < called.size(); ++c)
      plots += fmt::format(
          "{}$lines{} using 1:{} with lines lw 1.6 lc '{}' title {}, $points{} using 1:{} with points pt 7 ps 0.5 lc "
          "'{}' notitle",
          c == 0 ? "plot " : ", ", c + 1, s + 2, colors[c], render::quoted(called[c]), c + 1, s + 2, colors[c]);
    script += plots + "\n";
  }
  script += "unset multiplot\nset output\n";
  if (called.empty())
    throw Error(ErrorKind::bad_input, "found no source that has such a person; expected another height");
  render::run_gnuplot(script, file);
}

}  // namespace marey::cli
