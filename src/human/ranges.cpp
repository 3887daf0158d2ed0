// How far joints go: American Academy of Orthopaedic Surgeons, "Joint motion: method of measuring and recording", 1965, and Ruder
// et al. 1991, 4.3.1, for the plane figure of three links. Angles as in marey/human.h, turns about x, y and z: of a hanging limb
// bending forwards, abduction and outward rotation of the left side are positive, so that a knee bends the negative way, as does
// what stands and leans forwards: spine and neck. What the book has no number for (how little a knee gives
// sideways), the slopes beyond the ranges and the friction are Marey's own: slopes of its limp human, by trial, and as
// much friction as steps of 1 ms can bear.
//
// A shoulder passes the positions in which Euler angles lose their meaning, so its range is a cone for the upper arm (150°: the
// other angles end at 180°), with twists about the three axes instead. Knees and elbows, straight at 0 in the book, have 2° of play
// beyond that (182° of Ruder's knee), so that a standing person is inside all ranges.
#include "human/ranges.h"

namespace marey {
namespace {

constexpr const char* aaos = "AAOS 1965";
constexpr const char* own = "Marey";
constexpr const char* ruder = "Ruder 1991";

constexpr JointRange ranges[] = {
    // half of the thoracolumbar spine's each: 80 forwards, 25 backwards, 35 sideways, 45 of turning
    {"abdomen", "x", -40, 12.5, 150, aaos},
    {"abdomen", "y", -17.5, 17.5, 150, aaos},
    {"abdomen", "z", -22.5, 22.5, 100, aaos},
    {"chest", "x", -40, 12.5, 150, aaos},
    {"chest", "y", -17.5, 17.5, 150, aaos},
    {"chest", "z", -22.5, 22.5, 100, aaos},
    {"head", "x", -45, 45, 40, aaos},
    {"head", "y", -45, 45, 40, aaos},
    {"head", "z", -60, 60, 20, aaos},
    {"upper_arm", "swing", -10, 150, 30, own},
    {"upper_arm", "twist x", -60, 180, 30, aaos},
    {"upper_arm", "twist y", -30, 180, 30, own},
    {"upper_arm", "twist z", -70, 90, 10, aaos},
    {"forearm", "x", -2, 150, 20, aaos},
    {"forearm", "y", -3, 3, 60, own},
    {"forearm", "z", -80, 80, 10, aaos},
    {"hand", "x", -30, 20, 10, aaos},
    {"hand", "y", -80, 70, 10, aaos},
    {"hand", "z", -3, 3, 10, own},
    {"thigh", "x", -30, 120, 100, aaos},
    {"thigh", "y", -30, 45, 100, aaos},
    {"thigh", "z", -45, 45, 50, aaos},
    {"shank", "x", -135, 2, 60, aaos},
    {"shank", "y", -3, 3, 200, own},
    {"shank", "z", -5, 5, 100, own},
    {"foot", "x", -50, 20, 60, aaos},
    {"foot", "y", -15, 15, 60, own},
    {"foot", "z", -10, 10, 60, own},
    // plane figures stand on their lowest link: the turns are those of the upper against the lower one
    {"shanks", "x", -20, 50, 120, aaos},
    {"thighs", "x", -2, 135, 120, aaos},
    {"trunk", "x", -120, 30, 200, aaos},
    {"arms", "x", -60, 180, 60, aaos},
};
// knee 15° to 182° and hip 15° to 210° between their segments
constexpr JointRange printed[] = {
    {"thighs", "x", -2, 165, 120, ruder},
    {"trunk", "x", -165, 30, 200, ruder},
};

constexpr JointFriction frictions[] = {
    {"abdomen", 10}, {"chest", 10}, {"head", 2},   {"upper_arm", 0.7}, {"forearm", 0.25}, {"hand", 0.05}, {"thigh", 5},
    {"shank", 2.5},  {"foot", 0.5}, {"shanks", 2}, {"thighs", 8},      {"trunk", 28},     {"arms", 3},
};

}  // namespace

std::vector<JointRange> joint_ranges() { return {std::begin(ranges), std::end(ranges)}; }
std::span<const JointRange> joint_ranges_of(BodySource source) {
  if (source == BodySource::ruder) return printed;
  return ranges;
}
std::span<const JointFriction> joint_frictions() { return frictions; }

}  // namespace marey
