// Views of a motion: one stroboscopic picture of its links (PNG or SVG), and plots of what was recorded.
//
// A picture is made from a PictureScene, a plot from PlotSeries; both are plain data, obtained from a Motion by
// picture_scene and choose_series, or filled in by hand.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/io/motion.h"
#include "marey/model.h"
#include "marey/shape.h"
#include "marey/spatial.h"

namespace marey {

// ---------------------------------------------------------------------------------------------------------
// What is drawn
struct PictureLink {
  std::string name;
  int parent = 0;             // index; parents come before children, link 0 is the world
  std::vector<Shape> shapes;  // none: the link is drawn as a slim stick from its joint to those of its children
  Vec3<double> p_BoBcm_B;     // where the stick of a childless link without shapes ends
  std::vector<Shape> felt{};  // shapes of sensors, which do not push: drawn as wires
};
// A plane that keeps figures on its side: normal_W · p ≥ height.
struct PictureFloor {
  Vec3<double> normal_W{0, 0, 1};
  double height = 0;  // m
};
struct PictureForce {
  Vec3<double> p_WoQ_W, f_W;  // m, N
};
struct PictureScene {
  std::string title;
  std::vector<PictureLink> links;                    // [nlink], link 0 is the world
  std::vector<double> times;                         // [frame] s, ascending
  std::vector<std::vector<Transform<double>>> X_WB;  // [frame][nlink]
  std::vector<PictureFloor> floors{};                // of contacts and scenery, each only once
  // What is drawn over it: nothing while these are empty.
  std::vector<std::vector<PictureForce>> forces{};  // [frame]
  std::vector<Vec3<double>> centers_of_mass{};      // [frame]
  std::vector<Vec3<double>> momenta{};              // [frame] kg m/s, at the centre of mass
  bool marks_center = false;                        // draw the centre of mass, and its path
};
// The forces of contacts, from the points that touch (read_items: "touching"). One that acts between two links is drawn on one of them.
void add_forces(PictureScene&, const MotionItems&);
// From center_of_mass/position, and momentum/linear.
void add_center(PictureScene&, const Motion&, bool mark, bool momentum);
// Geometry from the model, poses from the channels link/NAME/position and link/NAME/orientation.
// The model, the contacts and the scenery are those of the scene inside the motion, and who of them is a sensor.
PictureScene picture_scene(const Model&, const Motion&, std::span<const FloorContact> = {},
                           std::span<const SceneryPiece> = {}, const CollideRule* = nullptr);

// Poses at any time within the motion: between two frames each joint's pose X_PB is interpolated, so that
// joints stay closed.
std::vector<Transform<double>> poses_at(const PictureScene&, double t);

// ---------------------------------------------------------------------------------------------------------
// Strobe
struct StrobeOptions {
  // Which instants. The first of `at`, `every`, `count` that is given counts.
  std::vector<double> at;                                   // s: just these (one entry: a still)
  double every = 0;                                         // s: one instant per interval, from the start of the span
  int count = 12;                                           // evenly over the span, both ends included
  double begin = -std::numeric_limits<double>::infinity();  // s: the span, cut to the motion
  double end = std::numeric_limits<double>::infinity();

  // Seen from where. Angles not given are chosen: across the direction in which the motion spreads, so that time runs
  // from left to right; a planar motion is seen almost flat, any other in three-quarter view.
  std::optional<double> azimuth;    // rad, of the camera around the motion, from +x towards +y
  std::optional<double> elevation;  // rad, of the camera above the horizon
  int width = 1600, height = 1000;  // pixels; a height of 0: as the motion needs, flatter where it is

  // How.
  bool light = false;               // on paper instead of on a dark plate
  bool wire = false;                // wire frame
  bool labels = true;               // the time scale, and the size of the grid
  bool ground = true;               // grid and drop shadows
  std::optional<double> level;      // m: height of the ground; else that of a level floor, or 0, or below the motion
  std::vector<std::string> trails;  // "LINK", "LINK@origin" or "LINK@x,y,z": see trail_point
  double spread = 0;                // m: each instant moved aside by this much more, as on Marey's moving plate;
                                    // negative: just far enough for neighbours to stand clear of each other
  int samples = 5;                  // per pixel and direction
  int threads = 0;                  // 0: as many as the machine has
};

// Writes the picture; the extension of `file` (.png or .svg) says which kind. An existing file is replaced. Throws
// Error: bad_input for an empty motion, an unknown link, times outside the motion, an unknown extension; file_trouble
// for a file that cannot be written.
void render_strobe(const PictureScene&, const StrobeOptions&, const std::string& file);

// The times that the options select.
std::vector<double> strobe_times(const PictureScene&, const StrobeOptions&);

// A point of a link. "LINK" alone is its far end: where the line from its joint through the middle of its
// shapes leaves them (the joint itself where the shapes lie around it). "LINK@origin" is its joint,
// "LINK@x,y,z" a point given in metres in the axes of the link.
struct LinkPoint {
  int link = 0;
  Vec3<double> p_BoQ_B;
};
LinkPoint trail_point(const PictureScene&, const std::string& name);

// "1600x1000" and "30,15" (azimuth and elevation in degrees) as a person writes them; bad_input when they are
// malformed.
void parse_picture_size(const std::string&, StrobeOptions&);
void parse_picture_view(const std::string&, StrobeOptions&);

// ---------------------------------------------------------------------------------------------------------
// Plot
struct PlotSeries {
  std::string name;  // "link/finger.tip/position.z"
  std::string unit;  // SI, "" for none
  std::vector<double> x, y;
  double largest_of_unit = 0;  // of the whole motion in this unit; 0: not known. Tiny values beside it are rounding
  std::string largest_said = "the motion has values of up to";  // what that is
  std::string motion{};                                         // which one it is of, where several are drawn together
};
struct PlotOptions {
  std::string title;
  std::string x_name = "time", x_unit = "s";
  double largest_of_x = 0;       // of the whole motion in the unit of x, as PlotSeries::largest_of_unit
  bool phase = false;            // one quantity over another: where a curve begins is marked
  int width = 1000, height = 0;  // pixels; a height of 0 grows with the number of panels
  double begin = -std::numeric_limits<double>::infinity();  // s: the span of time shown
  double end = std::numeric_limits<double>::infinity();
};

// The series of a motion that the patterns name, in the order of the patterns, each once: "energy/total" (all columns
// of the channel), "link/finger.tip/position.z" (one of them), "energy" (everything that begins with "energy/"), and
// with stars within a part of a name: "link/*/position.z". `against` names one column for the x axis, or for each series one of the
// same link, joint or element, and sets the name and unit of x; empty: time. Throws bad_input, with the nearest name, for a pattern
// that names nothing; and for a span without frames.
std::vector<PlotSeries> choose_series(const Motion&, const std::vector<std::string>& patterns,
                                      const std::string& against, PlotOptions&);

// Series of several motions, each with its name, side by side: quantity by quantity.
std::vector<PlotSeries> side_by_side(const std::vector<std::string>& motions, std::vector<std::vector<PlotSeries>>);

// One panel for each unit among the series, over a common x axis; very small and very large values get a
// prefix to their unit (mJ, km, g), or a power of ten; of values that differ in late digits alone a round number is taken away, and
// named. Drawn by gnuplot. The extension of `file` (.svg or .png) says which kind; an existing
// file is replaced. Throws bad_input for no series or an unknown extension, file_trouble for a file that cannot be
// written and for a gnuplot that is missing or fails, with gnuplot's own message.
void plot(const std::vector<PlotSeries>&, const PlotOptions&, const std::string& file);

// A table for people: name, columns, unit, meaning.
std::string list_quantities(const std::vector<Channel>&);

}  // namespace marey
