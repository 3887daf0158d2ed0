// Loop joints: a joint between two frames, beside the joints on which the links hang. The axis is z of both frames.
#include <utility>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"

namespace marey {

using Loop = LoopJoint::Kind;

const char* name_of(Loop kind) {
  constexpr const char* names[] = {"ball",        "hinge",  "slider",  "weld",    "universal",
                                   "cylindrical", "planar", "on_line", "on_plane"};
  return names[static_cast<int>(kind)];
}
int row_count(Loop kind) {
  constexpr int rows[] = {3, 5, 5, 6, 4, 4, 3, 2, 1};
  return rows[static_cast<int>(kind)];
}

template <>
struct ConstraintDescriptor<LoopJoint> {
  static constexpr const char* word = "loop";
  static int row_count(const LoopJoint& joint) { return marey::row_count(joint.kind); }
  static void rows(const LoopJoint& joint, const Ends& e, std::span<ConstraintRow> rows) {
    std::size_t n = 0;
    const auto place = [&](int axis) { put_along(e, axis, rows[n++]); };
    const auto axis_parallel = [&] { put_square(e, 0, 2, rows[n++]), put_square(e, 1, 2, rows[n++]); };
    const auto no_turn = [&] { put_turns(e, rows.subspan(n)); };
    switch (joint.kind) {
      case Loop::ball:
        return place(0), place(1), place(2);
      case Loop::hinge:
        return place(0), place(1), place(2), axis_parallel();
      case Loop::slider:
        return place(0), place(1), no_turn();
      case Loop::weld:
        return place(0), place(1), place(2), no_turn();
      case Loop::universal:
        place(0), place(1), place(2);
        put_square(e, 2, 0, rows[n++]);
        return;
      case Loop::cylindrical:
        return place(0), place(1), axis_parallel();
      case Loop::planar:
        return place(2), axis_parallel();
      case Loop::on_line:
        return place(0), place(1);
      case Loop::on_plane:
        return place(2);
    }
  }
  static std::string refusal(const Model&, const LoopJoint&) { return ""; }
  // B is set where A is.
  static void take_as_is(LoopJoint&, Constraint& c, const Instant<double>& now) {
    const Transform<double> X_WA = now.X_WB[index(c.a.link)] * c.a.X_LC;
    c.b.X_LC = inverse(now.X_WB[index(c.b.link)]) * X_WA;
  }
};
MAREY_CONSTRAINT(LoopJoint)

// ---- in scenes
namespace {

template <Loop kind>
void make_loop(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  const bool has_axis = kind != Loop::ball && kind != Loop::weld;
  c.kind = LoopJoint{kind};
  maker.ends(map, c);
  if (has_axis) c.a.X_LC.R = axes_with_z(map.has("axis") ? read_axis(*map.get("axis")) : Vec3<double>{0, 0, 1});
  maker.set_b(map, c, Mat3<double>::identity());
  if (kind == Loop::universal)
    c.b.X_LC.R = axes_with_x(read_axis(map.need("axis_b")));
  else if (const Value* n = has_axis ? map.get("axis_b") : nullptr)
    c.b.X_LC.R = axes_with_z(read_axis(*n));
}

KeyTable loop_keys() {
  return {"loop", "A joint between two links, beside the joints on which they hang.",
          two_link_keys_with(
              {{"at", "v:length", "where the joint sits, in a's frame; default: its origin"},
               {"at_b", "v:length", "where it sits in b's frame; default: where it is at the start"},
               {"axis", "axis", "in a's frame: of turning or sliding, or the normal of the plane; default: z"},
               {"axis_b", "axis",
                "in b's frame; default: along the other at the start; universal: the axis square to it"}})};
}

}  // namespace

extern const ConstraintForm ball_loop_form{"ball",
                                           "two points stay together",
                                           loop_keys(),
                                           make_loop<Loop::ball>,
                                           {"{b: figure.hand, at: [0.3 m, 0, 1 m], name: hold}"}};
extern const ConstraintForm hinge_loop_form{
    "hinge",
    "and turn about one axis",
    loop_keys(),
    make_loop<Loop::hinge>,
    {"{a: figure.trunk, b: figure.hand, at: [0, 0, 10 cm], axis: y, at_b: [0, 0, 0], axis_b: y}"}};
extern const ConstraintForm slider_loop_form{"slider",
                                             "b moves along an axis of a and does not turn",
                                             loop_keys(),
                                             make_loop<Loop::slider>,
                                             {"{b: figure.tray, axis: x, from: 0.1 s, until: 0.5 s}"}};
extern const ConstraintForm weld_loop_form{
    "weld",
    "b does not move against a",
    loop_keys(),
    make_loop<Loop::weld>,
    {"{a: figure.arm, b: figure.tray, when: {height_of: figure.hand, below: 0 m}}"}};
extern const ConstraintForm universal_loop_form{"universal",
                                                "two points stay together, an axis of b stays square to one of a",
                                                loop_keys(),
                                                make_loop<Loop::universal>,
                                                {"{b: figure.hand, axis: x, axis_b: y}"}};
extern const ConstraintForm cylindrical_loop_form{"cylindrical",
                                                  "b moves along an axis of a and turns about it",
                                                  loop_keys(),
                                                  make_loop<Loop::cylindrical>,
                                                  {"{b: figure.hand, axis: x}"}};
extern const ConstraintForm planar_loop_form{
    "planar", "b moves in a plane of a", loop_keys(), make_loop<Loop::planar>, {"{b: figure.tray, axis: y}"}};
extern const ConstraintForm on_line_loop_form{"on_line",
                                              "a point of b stays on a line of a",
                                              loop_keys(),
                                              make_loop<Loop::on_line>,
                                              {"{b: figure.hand, axis: x}"}};
extern const ConstraintForm on_plane_loop_form{"on_plane",
                                               "a point of b stays on a plane of a",
                                               loop_keys(),
                                               make_loop<Loop::on_plane>,
                                               {"{b: figure.hand, axis: y}"}};

}  // namespace marey
