// Running a scene: World combines model, elements, solver and stepper, keeps the ledger, and records to a Sink.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "marey/constraint.h"
#include "marey/contact.h"
#include "marey/contact/collide.h"
#include "marey/contact/materials.h"
#include "marey/force.h"
#include "marey/inputs.h"
#include "marey/integrate.h"
#include "marey/model.h"
#include "marey/sim/want.h"
#include "marey/solver.h"
#include "marey/source.h"

namespace marey {

// ---- Scene
// Tens of gigabytes of the smallest figure; scenes that ask for more are refused.
inline constexpr double most_frames = 1e7;
// A closed form held against the motion of a link: one of closed_forms() (marey/sim/compare.h).
struct Comparison {
  std::string form;  // "kepler"
  int link = 0;
};
// All that touches between some bodies and others, as one: bodies by the names of touching_list() (marey/sim/touching_items.h).
struct TouchSum {
  std::string name;       // "human-1+floor"
  std::vector<int> a, b;  // of b none: everybody else
  bool operator==(const TouchSum&) const = default;
};
struct RecordOptions {
  double every = 1.0 / 60;  // s
  // Patterns of the channels to record: "energy", "link/*/position" (marey/sim/channel_names.h); none: all there are.
  std::vector<std::string> channels{};
  // Beside what is recorded of every scene:
  std::vector<int> paths;           // links: length and curvature of the paths of their origins
  std::vector<int> euler_zyz;       // links: the angles of R_WB = Rz(alpha) Ry(beta) Rz(gamma), without jumps
  std::vector<Comparison> compare;  // motions beside what closed forms say of them
  std::vector<TouchSum> touch;      // sums of contacts
};
// A named point of a link, recorded as it moves in the world and against another link.
struct Marker {
  std::string name;
  int link = 0;
  Vec3<double> point;  // in B
  int against = 0;     // the link in whose frame the displacement since the start is measured; 0: the world
};
// A file that a scene names, as the scene names it.
struct NamedBytes {
  std::string name;
  std::shared_ptr<const std::string> bytes;
};
struct Scene {
  // Defined in the library, so that clients need not compile the code for copying everything below.
  Scene();
  Scene(const Scene&);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&);
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  std::string file;               // as given by the user
  std::string text;               // the scene as read, kept inside the motion
  std::vector<NamedBytes> files;  // what the text refers to, kept there too
  std::string title, source;
  double duration = 1;  // s
  Model model;
  State start;
  std::vector<Element> elements;
  std::vector<std::shared_ptr<const Source>> sources;  // from the caller's own code; a scene's text has none
  bool kinematic = false;     // moved by its scripts alone, without forces (sim/kinematic_run.cpp)
  bool takes_inputs = false;  // whether it may be pushed and driven while it runs
  std::vector<FloorContact> contacts;
  std::vector<Constraint> constraints;
  std::vector<SceneryPiece> scenery;
  std::vector<Marker> markers;
  std::optional<CollideRule> collide;  // none: shapes go through each other
  MaterialRule materials;              // of links and scenery
  SolverOptions solver;
  RecordOptions record;
  std::optional<double> closed_within;  // relative residual at which the ledger counts as closed
  std::vector<Want> wants;              // what is to come true (marey/search.h); a run does not mind
  std::vector<std::string> warnings;    // what the reader of the scene warns of
  std::vector<std::string> remarks;     // what it says and does nothing, each with its place
  std::vector<std::string> notes;       // what it did that is no cause for concern
};
// A ledger with a larger relative residual is never called closed.
inline constexpr double loosest_ledger = 1e-3;
// What the scene asks for; otherwise 1e-3 with fixed steps, and 100 × the tolerance, at most 1e-3, with chosen ones.
double closed_within(const Scene&);
inline constexpr double largest_reuse = 0.5;
// Warnings before a run: steps too long for the forces or the ground, a method too expensive for the figure.
std::vector<std::string> warnings_before(const Scene&);
// Of these, the one about cost, which must come first since nobody would wait to read it at the end of such a long run;
// empty for none.
std::string warning_of_cost(const Scene&);
// Why the contact is impossible with this model; empty when there is no objection.
std::string refusal(const Model&, const FloorContact&);
// Why this solver cannot run this figure, and which one can; empty when there is no objection.
std::string refusal(const Model&, const SolverOptions&);
// Why these constraints are impossible with this model and solver; empty when there is no objection.
std::string refusal_of_constraints(const Model&, std::span<const Constraint>, const SolverOptions&);
// Why joints cannot be welded on the fly in such a scene, and what can be done; empty when there is no objection, or no
// welding is asked for.
std::string refusal_of_welding(const SolverOptions&);
// Why a scene cannot go on in steps (SolverOptions::contact), and what can be done; empty when there is no objection, or it does not.
std::string refusal_of_stepping(const Scene&);
// Why two of that name can never touch, or there are none; empty when there is no objection. And of all that the scene asks about.
std::string refusal_of_touching(const Scene&, const TouchingNames&);
std::string refusal_of_touching(const Scene&);
// Why elements cannot change masses with this solver, or change one of them twice (marey/force/mass_flow.h); empty when there is
// no objection.
std::string refusal_of_mass_flows(const Model&, std::span<const Element>, const SolverOptions&);
// Why this element's delay, or that of a source of this name, cannot be combined with these steps; empty when it can.
std::string refusal_of_delay(const Element&, const SolverOptions&);
std::string refusal_of_delay(const std::string& name, double delay, const SolverOptions&);

// ---- Motion
// One recorded quantity; a row of a motion is all channels' columns in order. Channel 0 is "time" [t].
struct Channel {
  std::string name;                  // "energy/kinetic", "link/tip/position", "joint/tip/angle" …
  std::string unit;                  // SI, "" for none
  std::vector<std::string> columns;  // "x", "y", "z" …; one unnamed column for a scalar
  std::string meaning;               // frames and signs in a sentence
};
// All that can be recorded of a scene, in the order of a row. Those that are recorded are time and what the patterns of
// record.channels name; throws Error(bad_input) if one of them names nothing.
std::vector<Channel> channels_of(const Scene&);
std::vector<Channel> recorded_channels_of(const Scene&);
// Those that a scene has which takes inputs (Scene::takes_inputs): a program may switch that on later.
std::vector<Channel> channels_of_inputs();
// What is recorded as it comes, any number from frame to frame: inputs, points that touch. An item is all fields' columns in order.
struct ItemList {
  std::string name;             // "inputs"
  std::vector<Channel> fields;  // "t", "values" …
  std::string meaning;
  std::vector<std::string> names{};  // what the numbers in fields of the unit unit_of_names stand for
  std::size_t width() const;
};
inline constexpr const char* unit_of_names = "name";
struct MotionHeader {
  std::string program_version;
  Scene scene;
  std::vector<Channel> channels;
  std::vector<ItemList> lists{};
  std::size_t row_width() const;
};
// Everything a run needs to continue bit for bit: written by World, opaque to files.
struct Checkpoint {
  double t = 0;
  std::size_t frames = 0;  // rows recorded before it
  std::vector<std::byte> bytes;
};
// Where a run writes to.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const MotionHeader&) = 0;
  virtual void frame(std::span<const double> row) = 0;
  // Items of one of the header's lists, one after another, that have come since the last frame.
  virtual void items(std::size_t /*list*/, std::span<const double> /*rows*/) {}
  virtual void checkpoint(const Checkpoint&) = 0;            // followed by a flush to the disk
  virtual void finish(const std::string& summary_json) = 0;  // also after an interrupt or a breakdown
};

// ---- Summary
struct Ledger {
  double energy_start = 0, energy_end = 0, energy_largest = 0;  // J: kinetic + potential
  std::vector<std::pair<std::string, double>> work_in;          // J by source
  double energy_residual = 0, energy_residual_relative = 0;
  double linear_momentum_residual_relative = 0, angular_momentum_residual_relative = 0;
  bool closed = false;
};
// How far the solvers that apply to a figure agree on the instants of a run (CONVENTIONS: agreement).
struct Verification {
  struct Entry {
    std::string solver;
    double backward = 0;  // ‖M v̇ + b − τ‖ over the size S of its terms
    double forward = 0;  // ‖v̇ − v̇ of the run‖ over ‖M⁻¹‖ ε times the size of all that M v̇ and S are made of
    double at = 0;  // s: where that was largest
  };
  long long instants = 0;
  double condition = 1;  // largest κ(M)
  std::vector<Entry> solvers;
  bool agree = true;  // each within 1e-12 and 10
};
// Something that happened, perhaps again and again, and is worth a line.
struct Noted {
  std::string what;  // "rest"
  std::string of;    // of which contact
  bool warning = false;
  long long count = 0;
  double first = 0, last = 0;  // s
};
// How exact the contacts of a run in steps were (marey/contact/cone_problem.h): the largest of all steps in which anything was near.
struct ContactCertificate {
  long long steps = 0;
  double natural_map = 0, natural_map_95 = 0;  // residual of the contact problem over its scale; what 95 % stay below
  double cone_excess = 0;                      // of an impulse from its cone
  double penetration = 0;                      // over the size of the smaller body
  double momentum = 0;                         // of M (v⁺ − v_free) − Jᵀ P, over its largest term
  long long not_converged = 0;                 // steps with a natural map above 1e-8
  long long corrected = 0;                     // steps in which positions were put apart
  int points = 0;                              // at once
  int bounds = 0;                              // ends and motors of joints, at once
  double at = 0;                               // s: of the largest natural map
  std::string pair;                            // likewise
  long long swept = 0;                         // steps in which contacts were swept (marey/contact/contact_sweeps.h)
  int asleep = 0, asleep_at_most = 0;          // bodies (marey/contact/sleeping.h), at the end and ever
};
struct RunSummary {
  std::string title, dynamics, integrator;
  double simulated = 0;  // s
  long long steps = 0, evaluations = 0, events = 0;
  long long impacts = 0;          // of contacts that were struck
  long long steps_this_time = 0;  // since the start, or since the checkpoint resumed from
  double wall = 0;                // s, of this time
  double realtime_factor = 0;     // simulated over wall time, of this time
  bool interrupted = false;
  std::string breakdown;  // empty, or: when, which body, why
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what one may want to know: how the start was found, what happened at contacts
  std::vector<Noted> noted;        // what happened, as numbers; it is among the warnings and notes, a line each
  Ledger ledger;
  std::optional<Verification> verification;  // where it was asked for
  double constraint_error = 0;               // m or rad: the largest |g| that a step left, before projection
  double constraint_drift = 0;               // J: the change of energy due to putting the state back on its constraints
  std::optional<ContactCertificate> certificate;  // of a run in steps
  std::vector<Input> inputs;                      // everything that was done to it from outside
  // Joints that are welded at the end, and the most at any one time; welds that were made, and welds that forces have
  // broken.
  int welded = 0, most_welded = 0;
  long long welds_made = 0, welds_woken = 0;
};
std::string to_json(const RunSummary&);

class Simulation;
struct RunHooks {
  std::function<void(double t, double duration)> progress;  // called now and then
  // Called before each step, for a scene that takes inputs: to push and drive the simulation, not to step it.
  std::function<void(Simulation&)> before_step;
  std::span<const Input> replay{};  // given again, each before the same step as originally
  std::function<bool()> stop;       // true: finish the file and return
  bool verify = false;              // every recorded instant is recomputed by all solvers that apply
};
// Runs a scene from its start, or from a checkpoint of the same scene.
RunSummary run(const Scene&, Sink&, const RunHooks& = {}, const Checkpoint* from = nullptr);

}  // namespace marey
