// Keys of figures: bodies, people, links, scripts and what wobbles.
#include "marey/human.h"
#include "marey/model/joint_forms.h"
#include "scene/key_tables.h"

namespace marey {

namespace {

// "=weld,ball …": those whose name is enough.
std::string joints_by_name() {
  std::string form = "=";
  for (const JointForm* joint : joint_forms())
    if (joint->needs.empty()) form += (form.size() > 1 ? "," : "") + std::string(joint->name);
  return form;
}

KeyTable measured_keys() {
  KeyTable table{"measured", "Segments of a person, by name.", {}};
  for (const char* segment : segment_names)
    table.keys.push_back({segment, "@measured_segment", "what was measured of it"});
  return table;
}

}  // namespace

std::vector<KeyTable> keys_of_figures() {
  return {
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
       {{"bvh", "text", "a BVH file, named from the folder of the scene"},
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
        {"wobble", "flag or @wobble",
         "all its links have wobbling masses, three quarters of limbs and half of the trunk and head unless it says "
         "otherwise; default: false"},
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
        {"wobble", "flag or @wobble", "a part of its mass is soft and wobbles about the rigid rest; default: false"},
        {"start", "@start", "where the joint is at the start, and how it moves"}}},
      {"wobble",
       "The soft part of a link: a wobbling mass, which springs and dampers couple to the rigid rest. Mass, centre of "
       "mass and moments of inertia of both together are those of the link.",
       {{"share", "q:number>0", "which part of the mass wobbles, below 1; default: 0.75, in a human's trunk 0.5"},
        {"mass", "q:mass>0", "instead: how much wobbles"},
        {"inertia", "v:inertia>0",
         "its moments about its centre of mass, about the axes of the link; default: its share of the link's"},
        {"plane", "axis", "across which it does not move; default: it moves in space"},
        {"along", "axis", "the direction along the link; default: that about which the link turns most easily"},
        {"stiffness", "q:number>=0 or @along_across",
         "of the force stiffness x shift^exponent that draws it back, in N/m^exponent; default: by its mass"},
        {"damping", "q:damping>=0 or @damping_along_across", "of its shift; default: by its mass"},
        {"exponent", "q:number>0 or @along_across", "1 or more; default: 3"},
        {"turning_stiffness", "q:number>=0 or @along_across",
         "of the torque turning_stiffness x turn^turning_exponent, in N m/rad^turning_exponent; default: by its "
         "moments"},
        {"turning_damping", "q:turning_damping>=0 or @turning_along_across", "of its turn; default: by its moments"},
        {"turning_exponent", "q:number>0 or @along_across", "1 or more; default: 1"}}},
      {"along_across",
       "A number along the link (about it, of turns), and one for all directions across.",
       {{"along", "q:number>=0", "along the link", true}, {"across", "q:number>=0", "across it", true}}},
      {"damping_along_across",
       "A damping along the link, and one for all directions across.",
       {{"along", "q:damping>=0", "along the link", true}, {"across", "q:damping>=0", "across it", true}}},
      {"turning_along_across",
       "A damping of turns about the link's length, and of those about all axes across.",
       {{"along", "q:turning_damping>=0", "about its length", true},
        {"across", "q:turning_damping>=0", "about axes across", true}}},
  };
}

}  // namespace marey
