// Which quantities a run records, and their values at an instant: pairs of a channel and of what writes its columns, so that
// no value can stand in another's place.
#pragma once

#include <functional>

#include "sim/continuous_turns.h"
#include "sim/hinge_forces.h"
#include "sim/world.h"

namespace marey {

// All that is known of an instant that is recorded.
struct Observed {
  Observed(const Scene&, const RateLayout&);

  const Scene& scene;
  State now;
  bool within_step = false;       // and not at its end
  std::vector<double> integrals;  // of the rates, since the start
  std::vector<double> followed;   // of ways and turns (sim/followed.h)
  Kinematics<double> kinematics;
  ContinuousTurns turns;
  ForceSum<double> forces;                   // on the figure, but for what acts through joints by constraints
  std::vector<double> powers;                // [elements, and then the caller's own sources]
  std::vector<Wrench<double>> outside_Wo_W;  // likewise: what they do to the figures from outside
  std::vector<double> vdot;                  // [nv]
  RneaWorkspace<double> joints;              // wrenches through the joints, accelerations of the links
  std::optional<HingeForces> hinges;         // the forces in these once more, where armstrong steps the scene
  Totals<double> total;
  Balance balance;
  Residual residual;
  JointError drift;                           // in maximal coordinates
  const PointContacts* contacts = nullptr;    // points on floors; null: none
  const SteppedContacts* touching = nullptr;  // of a world that goes on in steps
  const HeldConstraints* constraints = nullptr;
  const Welds* welds = nullptr;
};

// Where a row's numbers are put, one after another.
class RowWriter {
 public:
  explicit RowWriter(std::span<double> row) : row_(row) {}
  void put(double x) { row_[at_++] = x; }
  void put(const Vec3<double>& a) { put(a.x), put(a.y), put(a.z); }
  void put(const Quaternion<double>& q) { put(q.w), put(q.x), put(q.y), put(q.z); }
  std::size_t written() const { return at_; }

 private:
  std::span<double> row_;
  std::size_t at_ = 0;
};

// What a channel is made from, beyond the state, the integrals, and poses and twists of links: what no channel asks for is
// not worked out.
struct Needs {
  bool accelerations = true;  // forces, powers, vdot
  bool joint_forces = true;   // joints: needs accelerations, too
  bool account = true;        // totals, balance, residual, drift
  bool turns = true;
  bool operator==(const Needs&) const = default;
};
inline constexpr Needs needs_no_more{false, false, false, false};

struct RecordedChannel {
  Channel channel;
  std::function<void(const Observed&, RowWriter&)> write;  // as many numbers as the channel has columns
  Needs needs{};
  bool asked_for = false;  // by name, not by a pattern: paths, angles and closed forms of links
};
// One that is a number, vector or quaternion of what was observed.
template <class Value>
void add_channel(std::vector<RecordedChannel>& all, std::string name, std::string unit,
                 std::vector<std::string> columns, std::string meaning, Value value) {
  all.push_back({{std::move(name), std::move(unit), std::move(columns), std::move(meaning)},
                 [value = std::move(value)](const Observed& o, RowWriter& row) { row.put(value(o)); }});
}
// Those that a scene asks for (RecordOptions); each in its own file.
void add_followed_channels(const Scene&, std::vector<RecordedChannel>&);
void add_compared_channels(const Scene&, std::vector<RecordedChannel>&);
// Those of what `collide` calls sensors.
void add_sensor_channels(const Scene&, std::vector<RecordedChannel>&);
void add_touch_sums(const Scene&, std::vector<RecordedChannel>&);
// Those of contacts in a world that goes on in steps.
void add_touch_channels(const Scene&, std::vector<RecordedChannel>&);
// Those of markers; accelerations of all links; and, where nothing but scripts moves anything, those alone that know no forces.
void add_marker_channels(const Scene&, std::vector<RecordedChannel>&);
void add_link_accelerations(const Scene&, std::vector<RecordedChannel>&);
void keep_what_has_no_forces(std::vector<RecordedChannel>&);
// The items of an instant (marey/sim/touching_items.h).
void add_touching_items(const Observed&, std::vector<double>& items);
// All there are, in the order of a row.
std::vector<RecordedChannel> recorded_channels(const Scene&);
// Those that the scene asks for (RecordOptions::channels).
std::vector<RecordedChannel> chosen_channels(const Scene&);

class Recorder {
 public:
  Recorder(const Scene&, std::vector<RecordedChannel>);

  std::vector<Channel> channels() const;
  // Fills a row at time t, which lies within the step just done, or at the state the world is in. Valid until the next.
  std::span<const double> row_at(double t, World&);
  // The points that touch at the instant of the last row, if they are wanted; one after another.
  std::span<const double> touching() const { return touching_; }
  // The instant of the last row.
  const State& instant() const { return seen_.now; }

 private:
  void take_state(double t, World&);
  void solve(World&);
  void find_accelerations(const Instant<double>&, World&);
  void balance(World&);

  RateLayout layout_;
  std::vector<RecordedChannel> channels_;
  Needs needs_{needs_no_more};  // of all channels together
  Observed seen_;
  ReducedPlant plant_;  // in the joints' coordinates, by aba
  std::vector<double> tau_;
  std::vector<double> row_;
  bool wants_touching_;
  std::vector<double> touching_;
};

}  // namespace marey
