// Keys of a scene as a whole: how it is solved, recorded, looked at, and what is wanted of it.
#include "marey/integrate.h"
#include "marey/sim/compare.h"
#include "scene/key_tables.h"

namespace marey {

namespace {

std::string integrators_by_name() {
  std::string form = "=";
  for (const Integrator i : all_integrators()) form += (form.size() > 1 ? "," : "") + std::string(name_of(i));
  return form;
}

KeyTable compare_keys() {
  KeyTable table{"compare", "Motions that closed forms know, held against the simulated ones: links by form.", {}};
  for (const ClosedFormKind* form : closed_forms()) table.keys.push_back({form->word, "name or names", form->meaning});
  return table;
}

}  // namespace

std::vector<KeyTable> keys_of_runs() {
  return {
      {"scene",
       "A scene of Marey.",
       {{"marey", "=1", "the version of the format", true},
        {"title", "text", "one line that says what is to be seen"},
        {"source", "text", "where the scene comes from: the id of a figure or example in a paper"},
        {"duration", "q:time", "how long to simulate", true},
        {"gravity", "q:acceleration or v:acceleration",
         "downwards as one number, or a vector; default: 9.81 m/s^2 downwards"},
        {"solver", "@solver", "how the equations are solved"},
        {"start", "=equilibrium,projected",
         "a start by name: at rest in the equilibrium near the given poses, or the given one put where floors and "
         "constraints allow"},
        {"frame", "@frame", "how the scene's world itself moves; default: not at all"},
        {"figures", "{@figure}", "the figures by name; a scene has figures, bodies or particles, or several of them"},
        {"bodies", "{@body}", "loose rigid bodies by name, as figures of one link called body"},
        {"particles", "{@particles}", "groups of particles by name"},
        {"torques", "[@torque]", "torques in joints"},
        {"forces", "[@force]", "forces and torques from outside"},
        {"contacts", "[@contact]", "points of links against floors"},
        {"scenery", "{@scenery}", "shapes that never move, by name: floors, stairs, bins"},
        {"collide", "=all or pairs or @collide", "whose shapes may touch whose; default: nobody's"},
        {"materials", "{@material}", "what links and scenery may be made of, by name; 'default': all others"},
        {"material_pairs", "[@material_pair]", "pairs of materials with a law of their own"},
        {"constraints", "[@constraint]", "loops, rods, paths, couplers, drives, rolling"},
        {"drives", "[@joint_drive]", "joints that follow scripts for a while"},
        {"record", "@record", "how often the motion is recorded, and what of it"},
        {"markers", "{@marker}", "named points of links, recorded as they move"},
        {"ledger", "@ledger", "what is asked of the account of energy and momentum"},
        {"want", "[@want]", "what is to come true: 'marey search' finds the numbers that the scene leaves open"}}},
      {"solver",
       "How the equations are solved.",
       {{"dynamics", "=armstrong,aba,crba,dense,multipliers,none",
         "the algorithm for accelerations; none: joints are moved by their scripts alone, without forces; default: "
         "aba"},
        {"integrator", integrators_by_name(), "how the state is advanced; default: rk4"},
        {"contact", "=events,stepping",
         "how contacts are met: each located in time (points on floors alone), or all of a fixed step together (shapes "
         "too); default: events, and stepping in a scene with collide"},
        {"accuracy", "=tight,fast,auto",
         "contact: stepping: contacts that hang together are solved to the last digits, or by sweeps, as heaps need "
         "it, or "
         "by how many they are; default: tight"},
        {"threads", "whole",
         "contact: stepping: how many share the work, with the same result; default: all cores in scenes of more than "
         "300 bodies, else 1"},
        {"sleep", "@sleep",
         "contact: stepping: loose bodies that have come to rest are left alone until something happens to them; "
         "default: none is"},
        {"step", "q:time", "the time step; default: 1 ms; of rk45, adams and bdf the longest one; default: any"},
        {"tolerance", "q:number or @tolerance", "rk45, adams, bdf: the error allowed in a step; default: 1e-6"},
        {"slow_band", "whole", "armstrong: the slow band is computed every so many steps; default: 1"},
        {"spread", "flag", "armstrong: the slow band's work is spread over these steps; default: false"},
        {"reuse", "q:number",
         "crba: the factored mass matrix serves until it has changed by this part, at most 0.5; default: factored "
         "every time"},
        {"weld", "@weld", "joints that have been still for a while are welded; default: none is"},
        {"stabilisation", "=projection,baumgarte,none",
         "multipliers: what keeps links on their joints; default: projection"},
        {"stabilisation_time", "q:time", "baumgarte: the time in which errors fade; default: 50 ms"}}},
      {"weld",
       "Joints that have been still for a while are welded until that takes force.",
       {{"below", "q:angular_rate",
         "a joint is still while its speed is below this; of sliding the same number in m/s; default: 0.01 rad/s"},
        {"for", "q:time", "how long it has to be still; default: 0.5 s"},
        {"wake", "q:torque",
         "what a weld may carry beyond what acts in the joint; of sliding the same number in N; default: 0.1 N m"}}},
      {"sleep",
       "Loose bodies and figures that have come to rest together are left alone until something touches or pushes one "
       "of them.",
       {{"below", "q:speed", "a body is quiet while no point of it is faster than this; default: 1 cm/s"},
        {"for", "q:time", "how long all that touch each other have to be quiet; default: 0.5 s"}}},
      {"tolerance",
       "The error allowed in a step.",
       {{"relative", "q:number", "as a part of each coordinate and velocity", true},
        {"absolute", "q:number", "in m, rad, m/s, rad/s; default: the same number"}}},
      {"record",
       "How often the motion is recorded, and what of it; default: everything usual, every 1/60 s.",
       {{"every", "q:time", "the time between frames"},
        {"per_second", "q:number", "frames per second"},
        {"channels", "names",
         "patterns of the channels to record, as for 'export --channels': link/*/position, energy; default: all"},
        {"paths", "name or names",
         "links, figure.link or figure.*: length, curvature and radius of curvature of the paths of their origins"},
        {"euler_zyz", "name or names", "links: Euler angles z-y'-z'' in the world, without jumps, and their rates"},
        {"compare", "@compare", "closed forms to be recorded beside the motion of links, and how far it is from them"},
        {"touch", "name or names",
         "sums of contacts: of a figure with all else, human-1; of two figures, links, pieces of scenery or floors, "
         "human-1+floor"}}},
      compare_keys(),
      {"ledger",
       "What is asked of the account of energy and momentum.",
       {{"closed_within", "q:number",
         "the relative residual at which it counts as closed, at most 1e-3; default: 1e-3, or 100 times the "
         "tolerance where that is less"}}},
      {"marker",
       "A named point of a link.",
       {{"link", "name", "the link: figure.link", true},
        {"point", "v:length", "the point, in the link's frame; default: its origin"},
        {"against", "name",
         "the link in whose frame its displacement since the start is measured, as that of skin against bone; default: "
         "the world"}}},
      {"want",
       "Something that is to come true.",
       {{"place", "@wanted_place", "a point of a link is at a place"},
        {"through", "@wanted_through", "a point goes through a hoop, at any time"},
        {"turns", "@wanted_turns", "a link has turned so often"},
        {"peak", "@wanted_peak", "the largest number that a channel ever has; of a vector its length"},
        {"value", "@wanted_value", "the number that a channel has at a time"},
        {"standing", "@wanted_standing", "a link is upright, so high, so quiet"},
        {"face", "@wanted_face", "an axis of a link points upwards, as that of the face of a die"}}},
      {"wanted_place",
       "A point of a link at a place.",
       {{"name", "text", "what the outcome is called"},
        {"link", "name", "the link: figure.link", true},
        {"point", "v:length", "its point, in the link's frame; default: its origin"},
        {"at", "v:length", "the place in the world", true},
        {"within", "q:length>0", "how far off it may be", true},
        {"time", "q:time>0", "when; default: at the end"}}},
      {"wanted_through",
       "A point that goes through a hoop.",
       {{"name", "text", "what the outcome is called"},
        {"link", "name", "the link: figure.link", true},
        {"point", "v:length", "its point, in the link's frame; default: its origin"},
        {"at", "v:length", "the hoop's centre in the world", true},
        {"along", "axis", "the way through it, in world axes: -z is downwards", true},
        {"within", "q:length>0", "how far off the centre it may pass", true},
        {"from", "q:time>=0", "what passes earlier does not count; default: 0"}}},
      {"wanted_turns",
       "How often a link turns about an axis, all turns from the start on added up.",
       {{"name", "text", "what the outcome is called"},
        {"link", "name", "the link: figure.link", true},
        {"about", "axis", "the axis, in world axes", true},
        {"own", "flag", "the axis is in the link's frame, as for a twist about the body's length; default: false"},
        {"least", "q:number", "at least so many turns"},
        {"most", "q:number", "at most so many"},
        {"equals", "q:number", "instead of these: so many"},
        {"within", "q:number>0", "beside equals: and so many more or less"},
        {"time", "q:time>0", "until when; default: the end"}}},
      {"wanted_peak",
       "The largest number that a channel ever has, at the ends of steps.",
       {{"name", "text", "what the outcome is called"},
        {"channel", "name", "the channel or its column: contact/heel/force, link/toe/position.z", true},
        {"above", "amount", "it is larger than this, in the channel's unit"},
        {"below", "amount", "it is smaller than this"},
        {"equals", "amount", "instead of these: it is this"},
        {"within", "amount", "beside equals: and so much more or less"},
        {"from", "q:time>=0", "what comes earlier does not count; default: 0"},
        {"until", "q:time>0", "what comes later does not count; default: the end"}}},
      {"wanted_value",
       "The number that a channel has at a time.",
       {{"name", "text", "what the outcome is called"},
        {"channel", "name", "the channel or its column: joint/knee/angle, link/toe/position.z", true},
        {"above", "amount", "it is larger than this, in the channel's unit"},
        {"below", "amount", "it is smaller than this"},
        {"equals", "amount", "instead of these: it is this"},
        {"within", "amount", "beside equals: and so much more or less"},
        {"time", "q:time>0", "when; default: at the end"}}},
      {"wanted_standing",
       "A link that stands.",
       {{"name", "text", "what the outcome is called"},
        {"link", "name", "the link: figure.link", true},
        {"point", "v:length", "its point, in the link's frame; default: its origin"},
        {"above", "q:length", "the point is higher than this; default: anywhere"},
        {"axis", "axis", "the axis of the link that is to point upwards; default: z"},
        {"within", "q:angle>0", "how far from upwards it may point; default: 15 deg"},
        {"slower", "q:speed>0", "the point is slower than this; default: however fast"},
        {"time", "q:time>0", "when; default: at the end"}}},
      {"wanted_face",
       "An axis of a link that points upwards.",
       {{"name", "text", "what the outcome is called"},
        {"link", "name", "the link: figure.link", true},
        {"axis", "axis", "the axis, in the link's frame: through the middle of a face", true},
        {"within", "q:angle>0", "how far from upwards it may point; default: 15 deg"},
        {"time", "q:time>0", "when; default: at the end"}}},
  };
}

}  // namespace marey
