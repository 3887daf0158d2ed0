// crowd_mujoco FILE ROUNDS STEPS: MuJoCo takes the steps of an MJCF file from the coordinates and velocities that are its
// own numbers, and says what heap.h lists. What it solves by is
// written in the file.
#include <mujoco/mujoco.h>

#include <cstdlib>
#include <memory>

#include "../heap_peers/heap.h"

namespace {

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

heap::Vec vec_of(const mjtNum* x) { return {x[0], x[1], x[2]}; }

class World {
 public:
  explicit World(const mjModel* m) : m_(m), d_(mj_makeData(m)) {
    mju_copy(d_->qpos, m->numeric_data, m->nq);
    mju_copy(d_->qvel, m->numeric_data + m->nq, m->nv);
  }
  void step() {
    mj_step(m_, d_.get());
    if (d_->warning[mjWARN_CNSTRFULL].number + d_->warning[mjWARN_CONTACTFULL].number > 0) {
      std::fprintf(stderr, "MuJoCo: more contacts than there is room for\n");
      std::exit(3);
    }
  }

  void begin_looking() { now_ = moving(); }
  void look(heap::Measure& measure) {
    // Of the places where the step has found them: what moving() then asks for puts them elsewhere.
    std::vector<std::pair<std::array<std::size_t, 2>, heap::Touch>> touches;
    for (int k = 0; k < d_->ncon; ++k) {
      const mjContact& c = d_->contact[k];
      mjtNum force[6], world[3];
      mj_contactForce(m_, d_.get(), k, force);
      mju_mulMatTVec(world, c.frame, force, 3, 3);  // on the second, the normal from the first to it
      touches.push_back(
          {{static_cast<std::size_t>(m_->geom_bodyid[c.geom2]), static_cast<std::size_t>(m_->geom_bodyid[c.geom1])},
           {vec_of(c.pos), vec_of(c.frame), heap::operator*(m_->opt.timestep, vec_of(world)), c.dist}});
    }
    const std::vector<heap::Moving> after = moving();
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i].v = after[i].v, now_[i].w = after[i].w;
    for (const auto& [bodies, touch] : touches) measure.point(now_[bodies[0]], now_[bodies[1]], touch);
  }
  std::vector<heap::Moving> bodies() const { return moving(); }

 private:
  // Centres of mass and principal axes, where the coordinates are now.
  std::vector<heap::Moving> moving() const {
    mj_kinematics(m_, d_.get());
    mj_comPos(m_, d_.get());
    mj_comVel(m_, d_.get());
    std::vector<heap::Moving> all(static_cast<std::size_t>(m_->nbody));
    for (std::size_t i = 1; i < all.size(); ++i) {
      heap::Moving& one = all[i];
      mjtNum quat[4], v[6];
      mju_mat2Quat(quat, d_->ximat + 9 * i);
      mj_objectVelocity(m_, d_.get(), mjOBJ_BODY, static_cast<int>(i), v, 0);
      one.fixed = false, one.mass = m_->body_mass[i], one.inertia = vec_of(m_->body_inertia + 3 * i);
      one.p = vec_of(d_->xipos + 3 * i), one.quat = {quat[0], quat[1], quat[2], quat[3]};
      one.w = vec_of(v), one.v = vec_of(v + 3);
    }
    return all;
  }

  const mjModel* m_;
  std::unique_ptr<mjData, Free> d_;
  std::vector<heap::Moving> now_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  char why[1000] = "";
  const std::unique_ptr<mjModel, Free> model(mj_loadXML(argv[1], nullptr, why, sizeof why));
  if (!model || model->nnumericdata != model->nq + model->nv) {
    std::fprintf(stderr, "MuJoCo: %s %d numbers, expected %d\n", why, model ? model->nnumericdata : 0,
                 model ? model->nq + model->nv : 0);
    return 3;
  }
  heap::Heap heap;
  heap.step = model->opt.timestep, heap.gravity = -model->opt.gravity[2];
  heap.friction = model->geom_friction[0], heap.bodies.resize(static_cast<std::size_t>(model->nbody) - 1);
  heap::print(heap::measured<World>(model.get(), heap, std::atoi(argv[2]), std::atoi(argv[3])));
  return 0;
}
