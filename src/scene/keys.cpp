#include "marey/scene/keys.h"

#include <algorithm>
#include <stdexcept>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/human.h"
#include "marey/integrate.h"
#include "marey/model/joint_forms.h"
#include "marey/sim/compare.h"

namespace marey {

namespace {

// "=weld,ball …": those whose name is enough.
std::string joints_by_name() {
  std::string form = "=";
  for (const JointForm* joint : joint_forms())
    if (joint->needs.empty()) form += (form.size() > 1 ? "," : "") + std::string(joint->name);
  return form;
}

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

KeyTable measured_keys() {
  KeyTable table{"measured", "Segments of a person, by name.", {}};
  for (const char* segment : segment_names)
    table.keys.push_back({segment, "@measured_segment", "what was measured of it"});
  return table;
}

// The tables that no lower layer has.
std::vector<KeyTable> own_tables() {
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
        {"ledger", "@ledger", "what is asked of the account of energy and momentum"}}},
      {"solver",
       "How the equations are solved.",
       {{"dynamics", "=armstrong,aba,crba,dense,multipliers", "the algorithm for accelerations; default: aba"},
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
       "Loose bodies that have come to rest together are left alone until something touches or pushes one of them.",
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
        {"compare", "@compare",
         "closed forms to be recorded beside the motion of links, and how far it is from them"}}},
      compare_keys(),
      {"ledger",
       "What is asked of the account of energy and momentum.",
       {{"closed_within", "q:number",
         "the relative residual at which it counts as closed, at most 1e-3; default: 1e-3, or 100 times the "
         "tolerance where that is less"}}},
      {"figure",
       "A figure: links by name, or a chain of equal ones; once or several times.",
       {{"at", "v:length", "where the figure stands in the world; default: the origin"},
        {"turned", "rotation", "how it is turned in the world; default: not at all"},
        {"copies", "@copies", "that there are several of them: figures called NAME-1, NAME-2 …; default: one"},
        {"links", "{@link}",
         "the links by name, in any order; beside 'human': what is said of its links besides, and more links that hang "
         "on "
         "them"},
        {"human", "@human", "a person from measured tables, instead of links of one's own"},
        {"chain", "@chain", "equal links in a row, named 1, 2, 3 … from the root"},
        {"script", "@script", "a measured or drawn motion that its joints follow; not with copies"}}},
      {"script",
       "A motion from a file, which hinges, balls and a free root follow; other joints are moved by forces.",
       {{"bvh", "text", "a BVH file, in the folder of the scene"},
        {"keyframes", "text",
         "or comma-separated values: columns time [s] or frame, LINK [deg] of hinges, LINK.x, .y, .z of balls (turned "
         "about "
         "x, then y', then z''), of a free root also LINK.place.x, .y, .z [m]"},
        {"map", "groups",
         "bvh: links and the joints of the file that they follow; default: those that are called the same"},
        {"scale", "q:number>0", "bvh: metres to the file's unit of length (0.01 for centimetres); default: 1"},
        {"up", "=y,z", "bvh: which axis of the file points up; default: y"},
        {"pose", "rotations",
         "bvh: links, and how they are turned in the file's pose of rest, in world axes; default: as with all "
         "coordinates "
         "zero"},
        {"at", "v:length", "bvh: where the file's origin is in the world; default: the world's origin"},
        {"turned", "rotation",
         "bvh: how the file's axes are turned in the world once z is up, so that its figure faces as this one; "
         "default: "
         "not at all"},
        {"per_second", "q:number>0", "keyframes by number: how many there are in a second"},
        {"from", "q:time>=0", "when the motion begins; default: at the start, where the joints then are as it says"},
        {"until", "q:time>0", "when it is let go; default: at its end"}}},
      {"human",
       "A person: links, masses, joints and shapes by sex, age, mass and height.",
       {{"sex", "=female,male", "which tables; needed by all sources but ruder"},
        {"mass", "q:mass>0", "of the whole person", true},
        {"height", "q:length>0", "standing; needed by all sources but ruder"},
        {"age", "q:number>=0", "in years; default: an adult"},
        {"population", "=german,chinese", "of Shan & Bohn's regressions"},
        {"source", "=shan_bohn,de_leva,jensen,pavol,ruder",
         "whose tables; default: shan_bohn with a population, jensen below 18 years, pavol from 60 years on, otherwise "
         "de_leva"},
        {"form", "=whole,hands_and_feet,three_links,five_links",
         "12 links on balls, 16 links on balls, or a figure in the plane; default: whole"},
        {"limits", "=ranges,none", "whether torques and friction keep the joints within their ranges; default: ranges"},
        {"measured", "@measured", "what has been measured takes the place of what the tables say"}}},
      measured_keys(),
      {"measured_segment",
       "A segment of the body as it was measured; paired ones are alike on both sides.",
       {{"mass", "q:mass>0", "its mass; the others make up for the difference"},
        {"length", "q:length>0", "its length"},
        {"center", "q:length>0", "its centre of mass, from its upper end; of the foot from the heel"},
        {"inertia", "v:inertia>0",
         "moments about its centre of mass: about the lateral, the forward and the vertical axis of the standing "
         "person"}}},
      {"body",
       "A loose rigid body, once or several times: a figure NAME whose only link is NAME.body, and free.",
       {{"at", "v:length", "where its origin is at the start; default: the world's"},
        {"turned", "rotation", "how it is turned at the start; default: not at all"},
        {"velocity", "v:speed", "of its origin at the start, in the axes of the world (of its copy); default: 0"},
        {"spin", "v:angular_rate", "its angular velocity at the start, likewise; default: 0"},
        {"copies", "@copies", "that there are several of them: bodies called NAME-1, NAME-2 …; default: one"},
        {"shape", "@shape or [@shape]", "what it looks like, and where its mass is", true},
        {"mass", "q:mass", "spread over its shapes by volume"},
        {"density", "q:density", "instead of the mass: the density of its shapes; default: 1000 kg/m^3"},
        {"inertia", "@inertia or =point,bounding_box",
         "instead of the shapes' own moments of inertia; bounding_box: at the default density"},
        {"center_of_mass", "v:length", "with inertia: the centre of mass; default: that of the shapes"},
        {"material", "name", "what its surface is made of; default: the material 'default'"}}},
      {"copies",
       "A figure or a body several times: in a row or pile, named 1, 2, 3 …, in a grid, named 1-1, 2-1 … or 1-1-1 …, "
       "or in a "
       "pyramid, whose names end with the layer.",
       {{"count", "whole or wholes", "how many in a row, or along x, y and z: one to three numbers"},
        {"pyramid", "whole or wholes",
         "instead: how many in the lowest row, or along x and y in the lowest layer; each layer has one fewer along "
         "these, "
         "and stands over the gaps of the one below"},
        {"pile", "whole", "instead: how many in all, layer upon layer of as many as there is room for"},
        {"within", "lengths", "of a pile: the room along x and y, [1 m, 1 m]"},
        {"spacing", "v:length or q:length",
         "in a row: from one to the next; else: between neighbours, everywhere or along x, y and z", true},
        {"from", "v:length", "where the first one stands, in the figure's frame; default: its origin"},
        {"center", "v:length",
         "instead: where the middle is; of a pyramid or pile that of its lowest layer (a pile's default: the origin)"},
        {"turned_by", "rotation",
         "how each is turned against the one before, about where it stands; default: not at all"},
        {"random", "@random", "how they differ by chance; default: not at all"}}},
      {"random",
       "Differences by chance: in directions and by sizes that are all alike, and the same in every run.",
       {{"seed", "whole", "another one for other chances", true},
        {"place", "q:length", "how far each may stand from its place; default: 0"},
        {"turned", "q:angle", "how far each may be turned, at most 180 deg; default: 0"},
        {"velocity", "q:speed", "how fast each free root may move on top of its start; default: 0"},
        {"spin", "q:angular_rate", "how fast each free root may turn on top of its start; default: 0"}}},
      {"chain",
       "Equal links in a row, named 1, 2, 3 … from the root.",
       {{"links", "whole", "how many", true},
        {"spacing", "v:length", "from one joint to the next, in the link's frame", true},
        {"link", "@link", "what each link is; no parent, no at", true},
        {"first", "@link", "what the first link has instead"},
        {"last", "@link", "what the last link has instead"}}},
      {"link",
       "A rigid link and the joint on which it hangs.",
       {{"parent", "name", "the link it hangs on; default: the world"},
        {"joint", joints_by_name() + " or @joint",
         "the joint to the parent; default: free, for a link without a parent"},
        {"at", "v:length", "where the joint sits in the parent's frame; default: its origin"},
        {"turned", "rotation", "how the joint's frame is turned in the parent's; default: not at all"},
        {"shape", "@shape or [@shape]", "what the link looks like, and where its mass is"},
        {"mass", "q:mass", "the link's mass, spread over its shapes by volume"},
        {"density", "q:density", "instead of the mass: the density of its shapes; default: 1000 kg/m^3"},
        {"inertia", "@inertia or =point,bounding_box",
         "instead of the shapes' own moments of inertia; bounding_box: at the default density"},
        {"center_of_mass", "v:length", "with inertia: the centre of mass; default: that of the shapes"},
        {"enlarge", "@enlarge", "a moment of inertia falsely enlarged, against quick spinning about a long axis"},
        {"friction", "q:turning_damping or q:damping", "viscous friction of the joint"},
        {"support", "@support", "what holds the link up"},
        {"material", "name", "what its surface is made of; default: the material 'default'"},
        {"start", "@start", "where the joint is at the start, and how it moves"}}},
      {"material",
       "What a surface is made of.",
       {{"friction", "q:number>=0 or @grip", "Coulomb's; default: 0.5"},
        {"restitution", "q:number>=0", "of velocities along the normal, 0 to 1; default: 0"},
        {"rolling", "q:length>=0", "rolling friction: largest moment over the normal force; default: 0"},
        {"torsion", "q:length>=0", "the same about the normal; default: 0"},
        {"stiffness", "q:stiffness>0", "of a point of contact that gives way; default: it does not"},
        {"damping", "q:damping>=0", "of a point that gives way; default: 0"},
        {"sinks", "q:length>0",
         "instead of the stiffness: how deep a figure of it sinks by its own weight at one point"}}},
      {"material_pair",
       "Two materials, and what is another than their mixture.",
       {{"between", "names", "two materials", true},
        {"friction", "q:number>=0 or @grip", "default: the geometric mean of the two"},
        {"restitution", "q:number>=0", "default: the larger of the two"},
        {"rolling", "q:length>=0", "default: the larger of the two"},
        {"torsion", "q:length>=0", "default: the larger of the two"},
        {"stiffness", "q:stiffness>0", "default: that of the two springs in series"},
        {"damping", "q:damping>=0", "default: the larger of the two"}}},
      {"shape",
       "One solid, placed in the link.",
       {{"box", "v:length or @box", "a box"},
        {"sphere", "q:length or @sphere", "a sphere"},
        {"capsule", "@capsule", "a cylinder with two round caps"},
        {"cylinder", "@cylinder", "a cylinder"},
        {"ellipsoid", "v:length or @ellipsoid", "an ellipsoid"},
        {"cone", "@cone", "a cone"},
        {"hull", "text or @hull", "the convex hull of points; as text: of those in a file"},
        {"mesh", "text or @mesh", "what is within a closed surface; as text: the file it is in"},
        {"mass", "q:mass", "of this shape alone, where the link has neither mass nor density"},
        {"density", "q:density", "of this shape alone, where the link has neither mass nor density"}}},
      {"box",
       "A box.",
       {{"size", "v:length", "full edge lengths", true},
        {"along", "axis", "begin at the joint and extend this way"},
        {"center", "v:length", "its centre in the link's frame; default: the joint"},
        {"turned", "rotation", "how it is turned in the link"}}},
      {"sphere",
       "A sphere.",
       {{"radius", "q:length", "its radius", true},
        {"center", "v:length", "its centre in the link's frame; default: the joint"}}},
      {"capsule",
       "A cylinder with two round caps.",
       {{"radius", "q:length", "its radius", true},
        {"length", "q:length", "of the straight part, from one cap's centre to the other's"},
        {"along", "axis", "which way it points; it begins at the joint"},
        {"from", "v:length", "where it begins instead; the joint"},
        {"to", "v:length", "where it ends, instead of along and length"},
        {"center", "v:length", "its centre in the link's frame, instead of where it begins"},
        {"turned", "rotation", "how it is turned from lying along z"}}},
      {"cylinder",
       "A cylinder.",
       {{"radius", "q:length", "its radius", true},
        {"length", "q:length", "its length"},
        {"along", "axis", "which way it points; it begins at the joint"},
        {"from", "v:length", "where it begins instead; the joint"},
        {"to", "v:length", "where it ends, instead of along and length"},
        {"center", "v:length", "its centre in the link's frame, instead of where it begins"},
        {"turned", "rotation", "how it is turned from lying along z"}}},
      {"ellipsoid",
       "An ellipsoid.",
       {{"radii", "v:length", "half axes", true},
        {"along", "axis", "begin at the joint and extend this way"},
        {"center", "v:length", "its centre in the link's frame; default: the joint"},
        {"turned", "rotation", "how it is turned in the link"}}},
      {"scenery",
       "Something that never moves.",
       {{"shape", "@shape or [@shape]", "what it looks like, without mass and density"},
        {"plane", "q:length or @floor", "instead: everything below a height, or behind a plane"},
        {"at", "v:length", "where its frame is in the world; default: the origin"},
        {"turned", "rotation", "how it is turned in the world; default: not at all"},
        {"material", "name", "what its surface is made of; default: the material 'default'"}}},
      {"collide",
       "Whose shapes may touch whose. Names are those of links, figures, scenery and groups, or all.",
       {{"groups", "groups", "names for several: {hands: [figure.left, figure.right]}"},
        {"pairs", "pairs", "who may touch whom; default: all may touch all"},
        {"except", "pairs", "pairs that are left out"},
        {"self", "name or names",
         "figures whose own links may touch each other, where no joint joins them; default: none"},
        {"sensors", "name or names", "what feels others that do not feel it; default: nothing"}}},
      {"cone",
       "A cone.",
       {{"radius", "q:length", "of its base", true},
        {"length", "q:length", "from its base to its tip"},
        {"along", "axis", "which way its tip points; its base is at the joint"},
        {"from", "v:length", "where its base is instead; the joint"},
        {"to", "v:length", "where its tip is, instead of along and length"},
        {"center", "v:length", "the middle between base and tip in the link's frame, instead of where it begins"},
        {"turned", "rotation", "how it is turned from pointing along z"}}},
      {"hull",
       "The convex hull of points.",
       {{"points", "p:length", "the points, four or more"},
        {"file", "text", "instead: a mesh whose points they are (.obj, .stl, .gltf or .glb), beside the scene"},
        {"unit", "q:length>0", "what a length of 1 is in the file; default: 1 m"},
        {"rounding", "q:length>=0", "the hull is all that is within this distance of the points' own; default: 0"},
        {"at", "v:length", "where the origin of its points is in the link's frame; default: the joint"},
        {"center", "v:length", "instead: where its centre of mass is"},
        {"turned", "rotation", "how it is turned in the link"}}},
      {"mesh",
       "What is within a closed surface.",
       {{"file", "text", "the surface: .obj, .stl, .gltf or .glb, beside the scene"},
        {"unit", "q:length>0", "what a length of 1 is in the file; default: 1 m"},
        {"points", "p:length", "instead of a file: the corners of its faces"},
        {"faces", "faces",
         "with points: the corners of each by their numbers from 1, counterclockwise seen from outside"},
        {"at", "v:length", "where the origin of its points is in the link's frame; default: the joint"},
        {"center", "v:length", "instead: where its centre of mass is"},
        {"turned", "rotation", "how it is turned in the link"}}},
      {"inertia",
       "Moments of inertia about the centre of mass: those of a solid of the link's mass, or given ones.",
       {{"box", "v:length or @box", "as a box"},
        {"sphere", "q:length or @sphere", "as a sphere"},
        {"capsule", "@capsule", "as a capsule"},
        {"cylinder", "@cylinder", "as a cylinder"},
        {"ellipsoid", "v:length or @ellipsoid", "as an ellipsoid"},
        {"cone", "@cone", "as a cone"},
        {"hull", "text or @hull", "as a convex hull"},
        {"mesh", "text or @mesh", "as what is within a closed surface"},
        {"diagonal", "v:inertia", "about the axes of the link"},
        {"matrix", "m:inertia", "the matrix, in the axes of the link"},
        {"bounding_box", "q:density", "mass and inertia of the shapes' bounding boxes filled with this density"}}},
      {"enlarge",
       "A moment of inertia falsely enlarged.",
       {{"axis", "axis", "through the centre of mass, in the link's frame", true},
        {"factor", "q:number", "by how much, 1 or more", true}}},
      {"start",
       "Where a joint is at the start, and how it moves.",
       {{"position", "v:length", "free, point: of the link, in the joint's frame"},
        {"turned", "rotation", "free, ball, ellipsoid: of the link in the joint's frame"},
        {"velocity", "v:speed", "free, point: of the link's origin, in the axes of the joint's frame"},
        {"spin", "v:angular_rate", "free, ball, ellipsoid: angular velocity in the axes of the joint's frame"},
        {"angle", "q:angle", "hinge: its angle"},
        {"rate", "q:angular_rate", "hinge: its rate"},
        {"slide", "q:length", "slider: its displacement"},
        {"speed", "q:speed", "slider: its speed"},
        {"coordinates", "constants", "universal, cylindrical, planar, screw, custom: coordinates by their names"},
        {"rates", "constants", "the same: how fast they change"}}},
      {"particles",
       "A group of particles: points, a grid of them, or a ring.",
       {{"at", "v:length", "where the group's frame is in the world; default: the origin"},
        {"turned", "rotation", "how it is turned in the world; default: not at all"},
        {"points", "{@particle} or [@particle]", "particles by name, or in a list, then named 1, 2, 3 …"},
        {"grid", "@grid", "a cloth or block of them, named 1-1, 2-1 … or 1-1-1 …"},
        {"ring", "@ring", "a circle of them about z, named 1, 2, 3 …"},
        {"mass", "q:mass", "of each particle"},
        {"radius", "q:length", "of the spheres that are drawn; default: 1 cm"},
        {"velocity", "v:speed", "of the whole group at the start, in world axes"},
        {"spin", "v:angular_rate", "of the whole group at the start about its frame's origin, in world axes"},
        {"fixed", "name or names", "particles that are held in place"},
        {"springs", "@springs", "springs between neighbours"}}},
      {"particle",
       "One particle.",
       {{"position", "v:length", "in the group's frame", true},
        {"velocity", "v:speed", "in the group's axes, on top of the group's; default: 0"},
        {"mass", "q:mass", "its own mass; default: the group's"},
        {"radius", "q:length", "of its sphere; default: the group's"}}},
      {"grid",
       "Particles in rows: a line, a cloth or a block.",
       {{"count", "wholes", "how many along x, y and z: one to three numbers", true},
        {"spacing", "q:length or v:length", "between neighbours, everywhere or along x, y and z", true},
        {"from", "v:length", "where the first one is, in the group's frame; default: its origin"},
        {"center", "v:length", "instead: where the middle is"}}},
      {"ring",
       "Particles on a circle about z of the group's frame, the first one on x.",
       {{"count", "whole", "how many", true},
        {"radius", "q:length", "of the circle", true},
        {"speed", "q:speed", "along the circle, the way from x to y; default: 0"}}},
      {"springs",
       "Springs between neighbours of a grid or ring, or between pairs of points; at rest at the start.",
       {{"stiffness", "q:stiffness", "of each", true},
        {"damping", "q:damping", "of each; default: none"},
        {"diagonal", "q:stiffness", "grid: of those across the cells, against shear; default: none"},
        {"second", "q:stiffness", "grid: of those to every second neighbour, against bending; default: none"},
        {"pairs", "pairs", "points: which are joined, two by two"}}},
      {"contact",
       "Points of links that a floor keeps on its side.",
       {{"name", "text", "what the ledger calls it"},
        {"link", "name or names", "figure.link; several in a list; figure.* for all", true},
        {"at", "=joint,center,corners,ends or v:length or p:length",
         "the points: of the link's sphere, box, capsule or cylinder, or one or several in the link's frame; default: "
         "by "
         "its shape"},
        {"floor", "q:length or @floor", "the height of a level floor, or any plane; default: level, at 0"},
        {"radius", "q:length",
         "each point is the centre of a ball of that radius, which rolls; default: spheres, capsules and cylinders "
         "touch "
         "with their own surface, other points are points"},
        {"clearance", "q:length", "instead: points that stay that far from the floor, and do not roll"},
        {"friction", "q:number or @grip", "Coulomb's coefficient; default: 0"},
        {"restitution", "q:number", "0 to 1; default: 0"},
        {"impact", "=coulomb,smooth,rough,stick",
         "what an impact does along the floor: friction, nothing, reverse the motion, stop it; default: coulomb"},
        {"rule", "=stronge,poisson,newton",
         "what restitution relates: energies, impulses, velocities; default: stronge"},
        {"compliant", "@ground", "ground that gives way, instead of a rigid floor"}}},
      {"floor",
       "A plane; figures are on the side its normal points to.",
       {{"height", "q:length", "how far the plane is from the origin, along its normal; default: 0"},
        {"normal", "axis", "default: z"},
        {"through", "v:length", "a point of the plane, instead of its height"}}},
      {"grip",
       "Coulomb's friction, at rest and in motion.",
       {{"static", "q:number", "at rest", true}, {"kinetic", "q:number", "in motion, not larger", true}}},
      {"ground",
       "Ground that gives way: the force stiffness × depth^exponent + damping × its rate, never below zero.",
       {{"stiffness", "q:stiffness or q:number", "N/m; with another exponent than 1 a plain number", true},
        {"exponent", "q:number", "1 to 10; default: 1"},
        {"damping", "q:damping", "default: none"},
        {"tangential", "q:stiffness",
         "of the ground along the floor, under a point that sticks; default: the stiffness a millimetre deep"}}},
  };
}

std::vector<KeyTable> gathered() {
  std::vector<KeyTable> all = own_tables();
  for (const KeyTable* table : {&joint_keys(), &joint_angles_keys(), &joint_displacements_keys(),
                                &joint_function_keys(), &rotation_keys(), &support_keys(), &frame_keys(), &angle_keys(),
                                &condition_keys(), &constraint_keys(), &coupled_keys(), &joint_drive_keys()})
    all.push_back(*table);
  for (const ElementForms* forms : {&torque_forms(), &force_forms()}) {
    all.push_back(forms->table);
    for (const ElementForm* form : forms->all) all.push_back(form->keys);
  }
  for (const ConstraintForm* form : constraint_forms())
    if (std::ranges::find(all, form->keys.name, &KeyTable::name) == all.end()) all.push_back(form->keys);
  return all;
}

const std::vector<KeyTable>& tables() {
  static const std::vector<KeyTable> all = gathered();
  return all;
}

}  // namespace

std::span<const KeyTable> scene_key_tables() { return tables(); }

const KeyTable& key_table(std::string_view name) {
  for (const KeyTable& table : tables())
    if (name == table.name) return table;
  throw std::logic_error("no table of keys called " + std::string(name));
}

}  // namespace marey
