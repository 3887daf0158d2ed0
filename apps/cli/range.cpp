// marey range: from where to where recorded quantities have gone, and when.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>

#include "commands.h"
#include "json.h"
#include "marey/io/motion.h"
#include "scenes.h"
#include "views.h"

namespace marey::cli {

namespace {

struct RangeArguments {
  std::string motion, from, to;
  std::vector<std::string> quantities;
  bool json = false;
};

struct Extent {
  std::string name, unit;
  double least = 0, least_at = 0, greatest = 0, greatest_at = 0;
  bool any = false;  // whether there was a number at all

  void take(double t, double x) {
    if (std::isnan(x)) return;
    if (!any || x < least) least = x, least_at = t;
    if (!any || x > greatest) greatest = x, greatest_at = t;
    any = true;
  }
};

// The three angles of an attitude are known up to whole turns and recorded within half of one: from frame to frame each is followed over
// that. Where the second one passes a quarter of a turn, the first and the third leap by half a turn each, which is none of anybody's
// turning: from there on they are again as recorded.
class Follower {
 public:
  Follower(const Channel& c, std::size_t column)
      : turns_(c.unit == "rad" && c.columns.size() == 3 && c.name.starts_with("joint/") && c.name.ends_with("/angle")),
        column_(column) {}
  double next(std::span<const double> values) {
    if (!turns_) return values[column_];
    if (leaps(values[0] - last_[0]) && leaps(values[2] - last_[2]))
      turned_ = 0;
    else
      turned_ -= whole * std::round((values[column_] - last_[column_]) / whole);
    std::copy_n(values.begin(), 3, last_.begin());
    return values[column_] + turned_;
  }

 private:
  static bool leaps(double change) { return !(std::abs(std::remainder(change, whole)) < most_turn); }
  static constexpr double whole = 2 * std::numbers::pi;
  static constexpr double most_turn = 1;  // rad from frame to frame, of two angles at once: more is a leap
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  bool turns_;
  std::size_t column_;
  double turned_ = 0;
  std::array<double, 3> last_{none, none, none};
};

std::vector<Extent> extents_of(const Motion& motion, std::span<const std::string> quantities, double begin,
                               double end) {
  std::vector<Extent> all;
  for (const ColumnIndex& c : select_columns(motion, quantities)) {
    const Channel& channel = motion.channels[c.channel];
    Extent& extent = all.emplace_back(Extent{column_name(channel, c.column), unit_of(channel, c.column)});
    Follower follower(channel, c.column);
    for (std::size_t frame = 0; frame < motion.frames; ++frame) {
      const double x = follower.next(motion.at(c.channel, frame));
      if (const double t = motion.time()[frame], close = 1e-9 * (1 + t); t >= begin - close && t <= end + close)
        extent.take(t, x);
    }
  }
  return all;
}

std::string quantity(double x, const std::string& unit) {
  if (unit == "rad") return fmt::format("{:.6g} rad = {:.6g} deg", x, x * 180 / std::numbers::pi);
  return unit.empty() ? fmt::format("{:.6g}", x) : fmt::format("{:.6g} {}", x, unit);
}

// Where the joints are; of what has none, as particles, where it is itself.
std::vector<std::string> usual_quantities(const MotionInfo& info) {
  std::vector<std::string> of_joints;
  for (const char* pattern : {"joint/*/angle", "joint/*/slide", "joint/*/coordinate"})
    if (!columns_named(info.channels, pattern).empty()) of_joints.emplace_back(pattern);
  return of_joints.empty() ? std::vector<std::string>{"link/*/position"} : of_joints;
}

void print_table(const std::vector<Extent>& all) {
  std::size_t name = 0, least = 0, greatest = 0;
  for (const Extent& e : all) {
    name = std::max(name, e.name.size());
    least = std::max(least, quantity(e.least, e.unit).size());
    greatest = std::max(greatest, quantity(e.greatest, e.unit).size());
  }
  for (const Extent& e : all) {
    if (!e.any) {
      fmt::print("{:<{}}  no number in this time\n", e.name, name);
      continue;
    }
    fmt::print("{:<{}}  from {:>{}} (at {:.6g} s) to {:>{}} (at {:.6g} s)\n", e.name, name, quantity(e.least, e.unit),
               least, e.least_at, quantity(e.greatest, e.unit), greatest, e.greatest_at);
  }
}

void print_json(const std::vector<Extent>& all) {
  Json rows = Json::array();
  for (const Extent& e : all) {
    Json row{{"quantity", e.name}, {"unit", e.unit}};
    if (e.any)
      row["least"] = e.least, row["least_at"] = e.least_at, row["greatest"] = e.greatest,
      row["greatest_at"] = e.greatest_at;
    rows.push_back(row);
  }
  fmt::print("{}\n", text_of(rows, 2));
}

ExitCode range(const RangeArguments& a) {
  check_span(a.from, a.to);
  const double begin = time_or(a.from, "--from", 0), end = time_or(a.to, "--to", forever);
  find_motion(a.motion);
  const std::vector<std::string> patterns =
      a.quantities.empty() ? usual_quantities(read_motion_info(a.motion)) : a.quantities;
  const Motion motion = read_motion(a.motion, patterns);
  const std::vector<Extent> all = extents_of(motion, patterns, begin, end);
  a.json ? print_json(all) : print_table(all);
  return ExitCode::done;
}

}  // namespace

void add_range(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("range", "Say from where to where recorded quantities have gone");
  auto a = std::make_shared<RangeArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option(
      "QUANTITY", a->quantities,
      "Columns, channels, groups or patterns; by default the coordinates of joints, of particles their places");
  command->add_option("--from", a->from, "First instant, e.g. '1 s'")->type_name("TIME");
  command->add_option("--to", a->to, "Last instant")->type_name("TIME");
  command->add_flag("--json", a->json, "As JSON, in the motion's own units");
  command->footer(R"(Examples:
  marey range out/limp-arm.h5
  marey range out/finger-tap.h5 link/finger.tip/position.z --from '2 s'

The least and the greatest value of each among the recorded frames, and when; angles in
radians, as everywhere, and in degrees. Those of ball and free joints, which are recorded within
half a turn, are followed from frame to frame, over whole turns.)");
  command->callback([a, &job] { job = [a] { return range(*a); }; });
}

}  // namespace marey::cli
