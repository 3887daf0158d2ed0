// Where the texts of a plot stand: none is cut off, none lies on another, whatever there is to say. An SVG tells the place of
// each; how wide one is follows from the widths of Helvetica's letters, in which it is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "pictures.h"

namespace marey::plot_layout_test {

using pictures::Folder, pictures::read_text;

struct Text {
  std::string says;
  double left = 0, right = 0, top = 0, bottom = 0;
};

// Parts of an em, from Adobe's metrics of Helvetica, by classes of which each takes its widest but for the capitals.
double wide(const std::string& text) {
  double ems = 0;
  for (const char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if ((u & 0xc0) == 0x80) continue;
    const std::string_view narrow = " ijlI.,:;'|!/[]ft", broad = "mwMW";
    ems += narrow.find(c) != std::string_view::npos ? 0.28 : broad.find(c) != std::string_view::npos ? 0.83 : 0.556;
  }
  return ems;
}

std::vector<Text> texts_of(const std::string& svg) {
  static const std::regex group(
      R"re(<g transform="translate\(([-0-9.]+),([-0-9.]+)\)( rotate\(([-0-9.]+)\))?"[^>]*font-size="([0-9.]+)"\s*text-anchor="(\w+)">\s*<text[^>]*>([^<]*)</text>)re");
  std::vector<Text> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), group), end; i != end; ++i) {
    const std::smatch& m = *i;
    const double x = std::stod(m[1]), y = std::stod(m[2]), size = std::stod(m[5]);
    const std::string anchor = m[6], says = m[7];
    const double width = size * wide(says), first = anchor == "start" ? 0 : anchor == "end" ? -width : -0.5 * width;
    const double up = 0.72 * size, down = 0.21 * size;  // of letters, from the line they stand on
    if (m[3].matched)                                   // upwards
      all.push_back({says, x - up, x + down, y - first - width, y - first});
    else
      all.push_back({says, x + first, x + first + width, y - up, y + down});
  }
  return all;
}

void expect_tidy(const std::vector<PlotSeries>& series, PlotOptions o, const std::string& what) {
  const Folder folder;
  plot(series, o, folder / "p.svg");
  const std::string svg = read_text(folder / "p.svg");
  const std::vector<Text> all = texts_of(svg);
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex(R"re(viewBox="0 0 (\d+) (\d+)")re")));
  const double width = std::stod(size[1]), height = std::stod(size[2]);
  EXPECT_EQ(all.size(), pictures::count(svg, "<text")) << what << ": a text that this test does not understand";
  std::size_t units = 0;
  for (const Text& t : all) {
    EXPECT_TRUE(t.left >= 0 && t.right <= width && t.top >= 0 && t.bottom <= height) << what << ": cut off: " << t.says;
    units += t.says.find('[') != std::string::npos;
    for (const Text& u : all)
      if (&u < &t && !u.says.empty() && !t.says.empty()) {
        EXPECT_FALSE(t.left < u.right && u.left < t.right && t.top < u.bottom && u.top < t.bottom)
            << what << ": '" << t.says << "' lies on '" << u.says << "'";
      }
  }
  EXPECT_GE(units, 2u) << what << ": units beside both axes";
}

PlotSeries curve(const std::string& name, const std::string& unit, double low, double high) {
  PlotSeries s{name, unit, {}, {}};
  for (int i = 0; i <= 200; ++i)
    s.x.push_back(0.01 * i), s.y.push_back(low + (high - low) * (0.5 - 0.5 * std::cos(0.3 * i)));
  return s;
}

TEST(PlotLayout, WideNumbers) {
  const std::pair<double, double> ranges[] = {
      {-1e-12, 1e-12},  {123456.7, 123456.9},  {-123456.7, 123456.7}, {1e9, 7e9},
      {-0.001, 0.0013}, {1e-300, 3e-300},      {1e30, 1e30 + 1e20},   {0, 0},
      {1e15, 1e15},     {10.73, 10.73 + 1e-9}, {-9999, 9999},         {99.95, 100.05}};
  for (const auto& [low, high] : ranges) {
    std::vector<PlotSeries> series;
    for (const char* unit : {"m", "kg", "kg m^2/s", "m/s or rad/s", "1/m"})
      series.push_back(curve("link/arm.upper/position.z", unit, low, high));
    expect_tidy(series, {}, std::to_string(low));
  }
}

TEST(PlotLayout, LongNamesAndManyOfThem) {
  const std::string long_name =
      "constraint/the_left_hand_of_the_gymnast_on_the_upper_bar/force_magnitude_of_everything_there_is.first";
  expect_tidy({curve(long_name, "N", 0, 1)}, {}, "one long name");
  expect_tidy({curve(long_name, "N", 0, 1), curve("element/spring/power", "W", 0, 1)}, {}, "two panels");
  std::vector<PlotSeries> many;
  for (int i = 0; i < 60; ++i)
    many.push_back(curve("link/human-" + std::to_string(i) + ".the_left_lower_arm/position.z", "m", 0, i));
  expect_tidy(many, {}, "sixty names");
  std::vector<PlotSeries> differing{
      curve(long_name, "N", 0, 1),
      curve("joint/a_very_long_name_of_a_joint_that_has_no_blank_in_it/force.x", "N", 1, 2)};
  expect_tidy(differing, {}, "long names in the legend");
  PlotOptions o;
  o.title =
      "A title that goes on and on, since somebody thought that all of what a scene is about belongs into its "
      "title, which is then wider than the picture";
  expect_tidy(differing, o, "a long title");
  o.width = 400, o.height = 300;
  expect_tidy(many, o, "a small picture");
}

TEST(PlotLayout, PanelsAboveEachOther) {
  for (const std::size_t panels : {1, 2, 3, 6}) {
    std::vector<PlotSeries> series;
    const char* units[] = {"m", "kg m/s", "J", "rad/s^2", "N m", "kg m^2/s"};
    for (std::size_t i = 0; i < panels; ++i)
      for (const char* column : {".x", ".y", ".z"})
        series.push_back(
            curve("link/human.left_lower_arm/quantity_" + std::to_string(i) + column, units[i], -1e-7, 1e7));
    PlotOptions o;
    o.title = "Some panels";
    expect_tidy(series, o, std::to_string(panels) + " panels");
    o.height = 900;
    expect_tidy(series, o, std::to_string(panels) + " panels of a given height");
    o.x_name = "link/human.left_lower_arm/position.x", o.x_unit = "m";
    for (PlotSeries& s : series)
      for (double& x : s.x) x += 123456.7;
    expect_tidy(series, o, "wide numbers below");
  }
}

struct Frame {
  double left, top, right, bottom;
};
// Of the panels: the two lines that each has at its left and below.
std::vector<Frame> frames_of(const std::string& svg) {
  static const std::regex border(
      R"re(stroke='rgb\(154, 154, 154\)'\s+d='M([0-9.]+),([0-9.]+) L([0-9.]+),([0-9.]+) L([0-9.]+),([0-9.]+) M)re");
  std::vector<Frame> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), border), end; i != end; ++i)
    all.push_back({std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[5]), std::stod((*i)[4])});
  const auto same = [](const Frame& a, const Frame& b) { return a.top == b.top && a.bottom == b.bottom; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());  // gnuplot draws some of them twice
  return all;
}

TEST(PlotLayout, PanelsStandApart) {
  const char* units[] = {"m", "kg m/s", "J", "rad/s^2", "N m", "kg m^2/s"};
  for (const std::size_t panels : {1, 2, 6}) {
    std::vector<PlotSeries> series;
    for (std::size_t i = 0; i < panels; ++i)
      for (const char* name : {"joint/human.left_lower_arm/a_name_too_long_for_an_axis.x", "joint/b/force.y"})
        series.push_back(curve(name, units[i], -1e-7, i == 0 ? 1e7 : 3));
    PlotOptions o;
    o.title = "Some panels";
    for (const int height : {0, 700}) {
      o.height = height;
      const Folder folder;
      plot(series, o, folder / "p.svg");
      const std::string svg = read_text(folder / "p.svg");
      const std::vector<Frame> frames = frames_of(svg);
      ASSERT_EQ(frames.size(), panels);
      for (std::size_t i = 0; i < panels; ++i) {
        EXPECT_GE(frames[i].bottom - frames[i].top, 30);
        if (i > 0) EXPECT_GE(frames[i].top, frames[i - 1].bottom + 20);
        for (const Text& t : texts_of(svg))
          EXPECT_FALSE(t.left < frames[i].right && frames[i].left < t.right && t.top < frames[i].bottom &&
                       frames[i].top < t.bottom && !t.says.empty())
              << "'" << t.says << "' lies in a panel";
      }
    }
  }
}

// In the letters of a PNG as well: at its edges there is nothing.
TEST(PlotLayout, PngsHaveAnEdge) {
  std::vector<PlotSeries> series;
  for (const char* name : {"joint/leg.foot/coordinate.first", "joint/leg.foot/coordinate.second",
                           "constraint/right hand/torque_magnitude", "closed_form/symmetric_top/spindle.body/angle"})
    for (const char* unit : {"kg m^2/s", "mmmm/s"}) series.push_back(curve(name, unit, -123456.7, 123456.7));
  for (const int width : {500, 1000}) {
    PlotOptions o;
    o.title = "A stream between two stars, in the frame that turns with them", o.width = width;
    const Folder folder;
    plot(series, o, folder / "p.png");
    const pictures::Pixels image = pictures::read_png(folder / "p.png");
    int dark = 0;
    constexpr int edge = 2;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        if (x < edge || y < edge || x >= image.width - edge || y >= image.height - edge)
          dark += image.at(x, y)[0] < 250;
    EXPECT_EQ(dark, 0) << width;
  }
}

std::string labels(double low, double high, const std::string& unit, double largest_of_unit = 0) {
  const Folder folder;
  PlotSeries s = curve("momentum/linear_residual.x", unit, low, high);
  s.largest_of_unit = largest_of_unit;
  plot({s}, {}, folder / "p.svg");
  return read_text(folder / "p.svg");
}
bool says(const std::string& svg, const std::string& part) { return svg.find(part) != std::string::npos; }

TEST(PlotLayout, UnitsSuitTheNumbers) {
  EXPECT_TRUE(says(labels(0, 2e-3, "kg"), "[g]"));
  EXPECT_TRUE(says(labels(0, 2e-6, "kg"), "[mg]"));
  EXPECT_TRUE(says(labels(0, 2e-3, "kg m/s"), "[g m/s]"));
  EXPECT_TRUE(says(labels(0, 2e-9, "kg m^2/s"), "[µg m^2/s]"));
  EXPECT_TRUE(says(labels(0, 2e6, "kg m/s"), "[10⁶ kg m/s]"));
  EXPECT_TRUE(says(labels(0, 2e-9, "m or rad"), "[10⁻⁹ m or rad]"));
  EXPECT_TRUE(says(labels(0, 2e4, "s"), "[10³ s]"));
  EXPECT_TRUE(says(labels(0, 20, "kg"), "[kg]"));
  // Rounding gets no prefix that would make something of it.
  EXPECT_TRUE(says(labels(-2e-16, 2e-16, "N m", 30), "[10⁻¹⁸ N m]"));
  EXPECT_TRUE(says(labels(-2e-14, 2e-14, "N m"), "[10⁻¹⁵ N m]"));
}

std::string plotted(const std::vector<PlotSeries>& series, const PlotOptions& o = {}) {
  const Folder folder;
  plot(series, o, folder / "p.svg");
  return read_text(folder / "p.svg");
}
// Points of the curves, in pixels: those of gnuplot's plots, in the colour given.
std::vector<std::pair<double, double>> points_of(const std::string& svg, const std::string& colour) {
  std::vector<std::pair<double, double>> all;
  const std::regex path("stroke='" + colour + R"re('\s+d='([^']*)')re"), point(R"re((-?[0-9.]+),(-?[0-9.]+))re");
  for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) {
    const std::string d = (*i)[1];
    for (std::sregex_iterator k(d.begin(), d.end(), point); k != end; ++k)
      all.emplace_back(std::stod((*k)[1]), std::stod((*k)[2]));
  }
  return all;
}
const std::string first_colour = R"re(rgb\(  0, 114, 178\))re";

// A velocity of attometres a second beside others of metres is none: it is drawn as zero, in metres per second. A small one that is
// no rounding stays.
TEST(PlotLayout, WhatIsBelowRoundingIsZero) {
  const auto velocity = [](double size) {
    PlotSeries s = curve("link/arm.upper/velocity.y", "m/s", -size, size);
    s.largest_of_unit = 2;
    return s;
  };
  const std::string nothing = plotted({velocity(3e-18)}), little = plotted({velocity(3e-9)});
  EXPECT_TRUE(says(nothing, "as good as zero: the motion has values of up to 2 m/s"));
  EXPECT_TRUE(says(nothing, "[m/s]"));
  EXPECT_FALSE(says(nothing, "10⁻"));
  double low = 1e9, high = 0;
  for (const auto& [x, y] : points_of(nothing, first_colour)) low = std::min(low, y), high = std::max(high, y);
  EXPECT_LT(high - low, 0.01) << "a straight line";
  EXPECT_FALSE(says(little, "as good as zero"));
  EXPECT_TRUE(says(little, "[nm/s]"));
  PlotSeries over = velocity(1);
  for (double& x : over.x) x *= 1e-19;
  PlotOptions o;
  o.x_name = "link/arm.upper/velocity.x", o.x_unit = "m/s", o.phase = true, o.largest_of_x = 2;
  EXPECT_FALSE(says(plotted({over}, o), "10⁻")) << "nor is there one below";
}

PlotSeries circle(double wide, double tall) {
  PlotSeries s{"link/arm.upper/position.z", "m", {}, {}};
  for (int i = 0; i <= 400; ++i)
    s.x.push_back(wide * std::cos(0.0157080 * i)), s.y.push_back(tall * std::sin(0.0157080 * i));
  return s;
}

// A path is as it was: a circle is round, whatever the size of the picture, and an ellipse as flat as it is.
TEST(PlotLayout, PathsKeepTheirForm) {
  for (const auto& [wide, tall, height] : {std::tuple{0.3, 0.3, 0}, {0.3, 0.3, 300}, {5.0, 1.0, 0}, {0.01, 4.0, 0}}) {
    PlotOptions o;
    o.x_name = "link/arm.upper/position.x", o.x_unit = "m", o.phase = true, o.height = height;
    const std::string svg = plotted({circle(wide, tall)}, o);
    double low_x = 1e9, high_x = 0, low_y = 1e9, high_y = 0;
    for (const auto& [x, y] : points_of(svg, first_colour)) {
      low_x = std::min(low_x, x), high_x = std::max(high_x, x);
      low_y = std::min(low_y, y), high_y = std::max(high_y, y);
    }
    EXPECT_NEAR((high_x - low_x) * tall, (high_y - low_y) * wide, 1.5 * (tall + wide)) << wide << 'x' << tall;
    EXPECT_GT(high_y - low_y, 60);
    expect_tidy({circle(wide, tall)}, o, "a path");
  }
}

// Where an angle comes to half a turn it goes on at minus half a turn; no line is drawn across.
TEST(PlotLayout, AnglesGoRound) {
  PlotSeries s{"joint/arm.upper/angle.x", "rad", {}, {}};
  for (int i = 0; i <= 300; ++i) s.x.push_back(i), s.y.push_back(std::remainder(0.1 * i, 6.283185307179586));
  PlotSeries steps = s;
  steps.unit = "m";
  const auto moves = [](const std::string& svg) {
    std::size_t n = 0;
    const std::regex path("stroke='" + first_colour + R"re('\s+d='([^']*)')re");
    for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) n += pictures::count((*i)[1], "M");
    return n;
  };
  const std::size_t turns = 5;  // 30 rad
  EXPECT_EQ(moves(plotted({s})), moves(plotted({steps})) + turns);
}

TEST(PlotLayout, SeveralMotionsSideBySide) {
  const auto of = [](double high, double longer) {
    std::vector<PlotSeries> all;
    for (const char* column : {"x", "z"})
      all.push_back(curve(std::string("link/arm.upper/position.") + column, "m", 0, high));
    for (PlotSeries& s : all)
      for (double& x : s.x) x *= longer;
    return all;
  };
  const std::vector<PlotSeries> both = side_by_side({"soft", "stiff"}, {of(1, 1), of(2, 3)});
  std::vector<std::string> names;
  for (const PlotSeries& s : both) names.push_back(s.motion + " " + s.name.substr(s.name.size() - 1));
  EXPECT_EQ(names, (std::vector<std::string>{"soft x", "stiff x", "soft z", "stiff z"}));
  const std::string svg = plotted(both);
  for (const char* part : {">soft: x<", ">stiff: x<", ">soft: z<", ">stiff: z<", ">link arm.upper position  [m]<"})
    EXPECT_TRUE(says(svg, part)) << part;
  EXPECT_TRUE(says(svg, ">6<")) << "the axis is as long as the longer of the two";
  expect_tidy(both, {}, "two motions");
}

// What changes in its late digits alone is drawn without the others, which are said.
TEST(PlotLayout, LateDigits) {
  const std::string svg = labels(10.734, 10.734 + 2e-8, "J");
  EXPECT_TRUE(says(svg, "less 10.734 J")) << svg.substr(0, 3000);
  EXPECT_TRUE(says(svg, "[nJ]"));
  EXPECT_TRUE(says(labels(-3.5, -3.5 + 2e-8, "J"), "plus 3.5 J"));
}

// A moment that nothing should give is the rounding of forces times their arms, though there is no other moment in the motion.
TEST(PlotLayout, MomentsOfNothingAreRounding) {
  Motion m;
  m.channels = {{"time", "s", {""}, ""},
                {"link/a.b/position", "m", {""}, ""},
                {"joint/a.b/force", "N", {""}, ""},
                {"joint/a.b/applied", "N m", {""}, ""},
                {"joint/a.b/moment", "N m", {""}, ""}};
  m.values.resize(5);
  for (int i = 0; i < 50; ++i) {
    m.values[0].push_back(i), m.values[1].push_back(2), m.values[2].push_back(i), m.values[3].push_back(0);
    m.values[4].push_back(1e-15 * std::sin(i));
  }
  const Folder folder;
  PlotOptions o;
  plot(choose_series(m, {"*/applied", "*/moment"}, "", o), o, folder / "p.svg");
  EXPECT_TRUE(says(read_text(folder / "p.svg"), "nothing but rounding: forces times lengths are up to 98 N m"));
}

}  // namespace marey::plot_layout_test
