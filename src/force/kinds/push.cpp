// A push: force at Q and torque, in the axes of the world or of the link, times modes[0] of its schedule.
#include "force/cast.h"
#include "force/descriptor.h"
#include "force/schedule.h"

namespace marey {

template <>
struct Descriptor<Push> {
  static constexpr const char* word = "push";
  static constexpr Nature nature = Nature::active;
  static constexpr bool holds_up = true;

  template <class T>
  static void act(const Push& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    const Mat3<T>& R_WB = at.X_WB[index(e.link)].R;
    const T acting(modes[0]);
    Vec3<T> f = acting * cast<T>(e.force), n = acting * cast<T>(e.torque);
    if (e.body_axes) f = R_WB * f, n = R_WB * n;
    Wrench<T> F = force_at(R_WB * cast<T>(e.point_B), f);
    F.n += n;
    sum.wrench(at, e.link, F);
  }

  // ---- switches: those of its schedule
  static int mode_count(const Push& e) { return marey::mode_count(e.schedule); }
  static void start_modes(const Push& e, const Instant<double>& at, bool, std::span<double> modes) {
    marey::start_modes(e.schedule, at, modes);
  }
  static double next_instant(const Push& e, double t, std::span<const double> modes) {
    return marey::next_instant(e.schedule, t, modes);
  }
  static int switch_count(const Push& e) { return marey::switch_count(e.schedule); }
  static void switch_values(const Push& e, const Instant<double>& at, std::span<const double> modes,
                            std::span<double> values) {
    marey::switch_values(e.schedule, at, modes, values);
  }
  static void switch_modes(const Push& e, const Instant<double>& at, int which, std::span<double> modes) {
    marey::switch_modes(e.schedule, at, which, modes);
  }

  static std::string refusal(const Model& model, const Push& e) {
    if (!finite(e.point_B) || !finite(e.force) || !finite(e.torque)) return "its point, force or torque is not finite";
    return refusal_of_schedule(model, e.schedule);
  }

  static constexpr NoStiffness stiffness{};
  static void numbers(Push& e, Numbers& n) { n.add("force", e.force), n.add("torque", e.torque); }
};
MAREY_ELEMENT(Push)

}  // namespace marey
