// lying_mujoco FILE ROUNDS: MuJoCo takes the steps of an MJCF file from its keyframe, and says per phase what lying.h lists.
#include <mujoco/mujoco.h>

#include <cstdlib>
#include <memory>

#include "lying.h"

namespace {

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

std::array<double, 3> momentum(const mjModel* m, mjData* d) {
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  mj_subtreeVel(m, d);
  const double mass = m->body_subtreemass[0];
  return {mass * d->subtree_linvel[0], mass * d->subtree_linvel[1], mass * d->subtree_linvel[2]};
}

// The velocity of a body's point along a direction.
double velocity_along(const mjModel* m, const mjData* d, int body, const double* point, const double* n) {
  double v[6], arm[3], turning[3];
  mj_objectVelocity(m, d, mjOBJ_XBODY, body, v, 0);
  mju_sub3(arm, point, d->xpos + 3 * body);
  mju_cross(turning, v, arm);
  return mju_dot3(n, v + 3) + mju_dot3(n, turning);
}

struct Touch {
  int body;
  double point[3], normal[3], gap, along, across, friction;
};

lying::Certificate certified_step(const mjModel* m, mjData* d, double& points) {
  const double h = m->opt.timestep;
  lying::Step step(m->body_subtreemass[0], -m->opt.gravity[2], h, h);
  const std::array<double, 3> before = momentum(m, d);
  mj_step(m, d);  // leaves the contacts of where the step began
  std::array<double, 3> sum{};
  std::array<Touch, 256> touches;
  int count = 0;
  for (int k = 0; k < d->ncon && count < 256; ++k) {
    const mjContact& c = d->contact[k];
    double force[6], world[3];
    mj_contactForce(m, d, k, force);
    mju_mulMatTVec(world, c.frame, force, 3, 3);
    const int body_1 = m->geom_bodyid[c.geom1], body_2 = m->geom_bodyid[c.geom2];
    const double sign = body_2 != 0 ? 1 : -1;  // forces are on the second, the frame's normal from the first to it
    Touch& t = touches[static_cast<std::size_t>(count++)];
    t.body = body_2 != 0 ? body_2 : body_1;
    for (int i = 0; i < 3; ++i) {
      t.point[i] = c.pos[i], t.normal[i] = sign * c.frame[i];
      sum[static_cast<std::size_t>(i)] += sign * h * world[i];
    }
    t.gap = c.dist, t.along = h * force[0], t.across = h * std::hypot(force[1], force[2]), t.friction = c.friction[0];
  }
  const std::array<double, 3> after = momentum(m, d);
  for (int k = 0; k < count; ++k) {
    const Touch& t = touches[static_cast<std::size_t>(k)];
    step.point(t.gap, t.along, t.across, t.friction, velocity_along(m, d, t.body, t.point, t.normal));
  }
  points += count;
  for (std::size_t i = 0; i < 3; ++i) sum[i] -= after[i] - before[i];
  return step.done(sum);
}

class Engine {
 public:
  explicit Engine(const mjModel* m) : m_(m), d_(mj_makeData(m)) {}
  double step_length() const { return m_->opt.timestep; }
  void begin() { mj_resetDataKeyframe(m_, d_.get(), 0); }
  void step() { mj_step(m_, d_.get()); }
  lying::Certificate certified_step(double& points) { return ::certified_step(m_, d_.get(), points); }

 private:
  const mjModel* m_;
  std::unique_ptr<mjData, Free> d_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  char why[1000] = "";
  const std::unique_ptr<mjModel, Free> model(mj_loadXML(argv[1], nullptr, why, sizeof why));
  if (!model || model->nkey < 1) {
    std::fprintf(stderr, "MuJoCo: %s\n", why);
    return 3;
  }
  Engine engine(model.get());
  lying::measure(engine, std::atoi(argv[2]));
  return 0;
}
