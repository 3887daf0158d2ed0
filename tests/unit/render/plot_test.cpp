#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "pictures.h"

namespace marey {
namespace {

using pictures::Ending, pictures::ending_of, pictures::Folder, pictures::Pixels, pictures::count, pictures::read_png,
    pictures::read_text, pictures::xml_fault;

Motion swing() {
  Motion m;
  m.title = "A swing";
  m.channels = {{"time", "s", {""}, "time since the start"},
                {"energy/kinetic", "J", {""}, "kinetic energy"},
                {"energy/residual", "J", {""}, "the integrator's error"},
                {"link/arm.upper/position", "m", {"x", "y", "z"}, "origin in the world"},
                {"link/arm.lower/position", "m", {"x", "y", "z"}, "origin in the world"},
                {"joint/base/velocity", "rad/s, m/s", {"wx", "wy", "wz", "vx", "vy", "vz"}, "of the base"}};
  m.values.resize(m.channels.size());
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.1 * i;
    m.values[0].push_back(t);
    m.values[1].push_back(std::cos(t) * std::cos(t));
    m.values[2].push_back(2e-7 * t);
    for (int k = 0; k < 3; ++k) m.values[3].push_back(k + t), m.values[4].push_back(10 * k + t);
    for (int k = 0; k < 6; ++k) m.values[5].push_back(k);
  }
  return m;
}

std::vector<std::string> names_of(const std::vector<std::string>& patterns) {
  PlotOptions o;
  std::vector<std::string> names;
  for (const PlotSeries& s : choose_series(swing(), patterns, "", o)) names.push_back(s.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(PlotChoice, ChannelsColumnsGroupsAndStars) {
  EXPECT_EQ(names_of({"energy/kinetic"}), (Names{"energy/kinetic"}));
  EXPECT_EQ(names_of({"energy"}), (Names{"energy/kinetic", "energy/residual"}));
  EXPECT_EQ(names_of({"link/arm.lower/position"}),
            (Names{"link/arm.lower/position.x", "link/arm.lower/position.y", "link/arm.lower/position.z"}));
  EXPECT_EQ(names_of({"link/*/position.z"}), (Names{"link/arm.upper/position.z", "link/arm.lower/position.z"}));
  EXPECT_EQ(names_of({"link/arm.lower/position.z", "link/*/position.z"}),
            (Names{"link/arm.lower/position.z", "link/arm.upper/position.z"}))
      << "in the order asked for, each once";
}

TEST(PlotChoice, ValuesAndUnits) {
  PlotOptions o;
  auto s =
      choose_series(swing(), {"link/arm.lower/position.y", "joint/base/velocity.wz", "joint/base/velocity.vx"}, "", o);
  EXPECT_EQ(o.x_name, "time");
  EXPECT_EQ(o.x_unit, "s");
  EXPECT_EQ(s[0].unit, "m");
  EXPECT_EQ(s[1].unit, "rad/s");
  EXPECT_EQ(s[2].unit, "m/s");
  ASSERT_EQ(s[0].x.size(), 101u);
  EXPECT_NEAR(s[0].x[20], 2.0, 1e-12);
  EXPECT_NEAR(s[0].y[20], 12.0, 1e-12);
  o.begin = 2, o.end = 3;
  s = choose_series(swing(), {"energy/kinetic"}, "link/arm.upper/position.z", o);
  EXPECT_EQ(o.x_name, "link/arm.upper/position.z");
  EXPECT_EQ(o.x_unit, "m");
  EXPECT_EQ(s[0].x.size(), 11u);
  EXPECT_NEAR(s[0].x[0], 4.0, 1e-12);
}

TEST(PlotChoice, UnknownNamesGetTheNearest) {
  PlotOptions o;
  const auto trying = [&](const std::string& pattern, const std::string& against = "") {
    return ending_of([&] { choose_series(swing(), {pattern}, against, o); });
  };
  EXPECT_EQ(trying("energy/kinetc").kind, ErrorKind::bad_input);
  EXPECT_NE(trying("energy/kinetc").says.find("did you mean 'energy/kinetic'"), std::string::npos);
  EXPECT_NE(trying("kinetic").says.find("did you mean 'energy/kinetic'"), std::string::npos);
  EXPECT_NE(trying("link/arm.lowr/position.z").says.find("'link/arm.lower/position.z'"), std::string::npos);
  EXPECT_NE(trying("qqqqqqqqqqqq").says.find("--list"), std::string::npos);
  EXPECT_EQ(trying("energy", "link/arm.upper/position").kind, ErrorKind::bad_input) << "three columns for one axis";
  o.begin = 50;
  EXPECT_EQ(trying("energy").kind, ErrorKind::bad_input) << "no frames there";
}

// Several for the x axis go with as many, each over that of its own link.
TEST(PlotChoice, EachOverItsOwn) {
  PlotOptions o;
  const auto pairs = choose_series(swing(), {"link/*/position.z"}, "link/*/position.x", o);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(o.x_name, "link/*/position.x");
  EXPECT_TRUE(o.phase);
  for (const PlotSeries& s : pairs)
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const double t = 0.1 * static_cast<double>(i), of = s.name == "link/arm.upper/position.z" ? 1 : 10;
      EXPECT_NEAR(s.x[i], t, 1e-12);
      EXPECT_NEAR(s.y[i], 2 * of + t, 1e-12);
    }
  const auto alike = choose_series(swing(), {"link/arm.lower/position.z"}, "link/*/position", o);
  EXPECT_EQ(alike.at(0).x, alike.at(0).y) << "of three of its own, that of the same name";
  const auto crossed =
      ending_of([&] { choose_series(swing(), {"energy"}, "link/*/position.x", o); });  // two over two, of other things
  EXPECT_EQ(crossed.kind, ErrorKind::bad_input);
  EXPECT_NE(crossed.says.find("one for each curve"), std::string::npos) << crossed.says;
}

TEST(PlotChoice, ListNamesEverything) {
  const std::string list = list_quantities(swing().channels);
  EXPECT_EQ(count(list, "\n"), 7u);
  EXPECT_NE(list.find("link/arm.upper/position  x y z "), std::string::npos) << list;
  EXPECT_NE(list.find("the integrator's error\n"), std::string::npos);
}

TEST(Plot, SvgHasUnitsTitleAndLegend) {
  const Folder folder;
  PlotOptions o;
  o.title = "Energy & 'more' of a_b^c";
  plot(choose_series(swing(), {"energy/kinetic", "link/*/position.z"}, "", o), o, folder / "p.svg");
  const std::string text = read_text(folder / "p.svg");
  EXPECT_EQ(xml_fault(text), "");
  for (const char* part : {"[J]", "[m]", "[s]", "arm.upper", "arm.lower", "a_b^c"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(count(text, "arm.upper"), 1u) << "in the legend, not in the axis";
}

TEST(Plot, SmallValuesGetAPrefix) {
  const Folder folder;
  PlotOptions o;
  plot(choose_series(swing(), {"energy/residual"}, "", o), o, folder / "p.svg");
  EXPECT_NE(read_text(folder / "p.svg").find("[µJ]"), std::string::npos);
}

// Noise fills a panel like any signal; what else the motion holds in that unit tells it apart.
TEST(Plot, RoundingIsCalledThat) {
  Motion m = swing();
  for (std::size_t i = 0; i < m.values[2].size(); ++i) m.values[2][i] = 1e-16 * std::sin(1e3 * static_cast<double>(i));
  m.channels.push_back({"constraints/error", "rad/s, m", {""}, "in one of two units"});
  m.values.push_back(m.values[2]);
  m.channels.push_back({"momentum/linear", "kg m/s", {"x", "y"}, ""});
  m.channels.push_back({"momentum/linear_residual", "kg m/s", {"x", "y"}, ""});
  m.values.emplace_back(2 * m.values[2].size(), 7.0), m.values.emplace_back(2 * m.values[2].size(), 1e-16);
  const Folder folder;
  const std::string remark = "nothing but rounding: the motion has values of up to ";
  const auto text_of = [&](const Names& names) {
    PlotOptions o;
    plot(choose_series(m, names, "", o), o, folder / "p.svg");
    return read_text(folder / "p.svg");
  };
  EXPECT_EQ(count(text_of({"energy/residual"}), remark + "1 J"), 1u);
  EXPECT_EQ(count(text_of({"constraints/error"}), remark + "30 rad/s or m"), 1u);
  EXPECT_EQ(count(text_of({"momentum/linear_residual"}), remark + "7 kg m/s"), 1u);
  EXPECT_EQ(count(text_of({"energy/residual", "energy/kinetic"}), remark), 0u) << "beside the signal it lies flat";
  EXPECT_EQ(count(text_of({"energy/residual", "link/arm.lower/position"}), remark), 1u) << "in its own panel alone";
  for (double& x : m.values[2]) x += 1;
  const std::string constant = text_of({"energy/residual"});
  EXPECT_EQ(count(constant, remark), 0u);
  EXPECT_NE(constant.find("1.05"), std::string::npos) << "the axis is wider than the last digits";
}

// Far out on one axis, a body that goes along another moves for all that.
TEST(Plot, WhatMovesIsNotCalledRounding) {
  Motion m = swing();
  for (std::size_t i = 0; i < m.values[4].size(); i += 3) {
    const double t = m.values[0][i / 3];
    m.values[4][i] = 2e11, m.values[4][i + 1] = 6e-4 * t, m.values[4][i + 2] = 6e-4 * std::sin(t);
  }
  const Folder folder;
  const auto text_of = [&](const std::string& name) {
    PlotOptions o;
    plot(choose_series(m, {name}, "", o), o, folder / "p.svg");
    return read_text(folder / "p.svg");
  };
  for (const char* name : {"link/arm.lower/position.y", "link/arm.lower/position.z"})
    EXPECT_EQ(count(text_of(name), "nothing but rounding"), 0u) << name;
}

TEST(Plot, PngOfTheSizeAsked) {
  const Folder folder;
  PlotOptions o;
  o.width = 500, o.height = 300;
  plot(choose_series(swing(), {"energy/kinetic"}, "", o), o, folder / "p.png");
  const Pixels image = read_png(folder / "p.png");
  EXPECT_EQ(image.width, 500);
  EXPECT_EQ(image.height, 300);
  int blue = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) blue += image.at(x, y)[2] > image.at(x, y)[0] + 80;
  EXPECT_GT(blue, 300) << "the curve";
}

// A long record is thinned, but a single spike in it stays.
TEST(Plot, ThinningKeepsSpikes) {
  PlotSeries s{"a/b", "m", {}, {}};
  for (int i = 0; i < 200000; ++i) s.x.push_back(i), s.y.push_back(i == 123456 ? 7.5 : 0.25 * std::sin(i));
  const Folder folder;
  plot({s}, {}, folder / "p.svg");
  const std::string text = read_text(folder / "p.svg");
  EXPECT_LT(text.size(), 400000u);
  PlotSeries flat = s;
  flat.y[123456] = 0;
  plot({flat}, {}, folder / "q.svg");
  EXPECT_GT(count(text, " 8<"), 0u) << "the axis reaches up to the spike";
  EXPECT_EQ(count(read_text(folder / "q.svg"), " 8<"), 0u);
}

TEST(Plot, GapsForWhatIsNotFinite) {
  PlotSeries s{"a/b", "m", {0, 1, 2, 3}, {0, NAN, INFINITY, 1}};
  const Folder folder;
  EXPECT_EQ(ending_of([&] { plot({s}, {}, folder / "p.svg"); }).says, "");
}

TEST(Plot, TroubleIsNamed) {
  const Folder folder;
  PlotOptions o;
  const auto series = choose_series(swing(), {"energy/kinetic"}, "", o);
  EXPECT_EQ(ending_of([&] { plot(series, o, folder / "no/such/p.svg"); }).kind, ErrorKind::file_trouble);
  EXPECT_EQ(ending_of([&] { plot(series, o, folder / "p.pdf"); }).kind, ErrorKind::bad_input);
  EXPECT_EQ(ending_of([&] { plot({}, o, folder / "p.svg"); }).kind, ErrorKind::bad_input);
  const std::string path = getenv("PATH");
  setenv("PATH", (folder / "nothing").c_str(), 1);
  const Ending missing = ending_of([&] { plot(series, o, folder / "p.svg"); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(missing.kind, ErrorKind::file_trouble);
  EXPECT_NE(missing.says.find("gnuplot"), std::string::npos) << missing.says;
  EXPECT_NE(missing.says.find("not installed"), std::string::npos) << missing.says;
}

TEST(Plot, GnuplotsOwnWordsAreShown) {
  const Folder folder;
  const std::string fake = folder / "gnuplot";
  std::ofstream(fake) << "#!/bin/sh\necho 'no more ink' >&2\nexit 3\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  PlotOptions o;
  const auto series = choose_series(swing(), {"energy/kinetic"}, "", o);
  const std::string path = getenv("PATH");
  setenv("PATH", (folder / "").c_str(), 1);
  const Ending e = ending_of([&] { plot(series, o, folder / "p.svg"); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(e.kind, ErrorKind::file_trouble);
  EXPECT_NE(e.says.find("no more ink"), std::string::npos) << e.says;
  EXPECT_FALSE(std::filesystem::exists(folder / "p.svg"));
}

}  // namespace
}  // namespace marey
