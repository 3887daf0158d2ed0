// heap_mujoco FILE ROUNDS STEPS: MuJoCo takes the steps of a heap (heap.h) of free bodies between planes. Conjugate gradients and sparse matrices,
// since bodies are many, elliptic cones; all else as it comes (soft contact, implicit in its own way). Octahedra are meshes.
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <string>

#include "heap.h"

namespace {

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

template <class... Numbers>
std::string numbers(Numbers... x) {
  std::string text;
  char word[40];
  ((std::snprintf(word, sizeof word, text.empty() ? "%.17g" : " %.17g", static_cast<double>(x)), text += word), ...);
  return text;
}
using heap::operator*;
std::string numbers(const heap::Vec& v) { return numbers(v[0], v[1], v[2]); }

std::string mesh_of(const heap::Body& b, std::size_t i) {
  std::string points;
  for (const heap::Vec& c : heap::octahedron_corners(b.size)) points += numbers(c) + " ";
  return "<mesh name=\"m" + std::to_string(i) + "\" vertex=\"" + points + "\"/>";
}
std::string geom_of(const heap::Body& b, std::size_t i) {
  switch (b.kind) {
    case heap::sphere:
      return "type=\"sphere\" size=\"" + numbers(b.size[0]) + "\"";
    case heap::capsule:
      return "type=\"capsule\" size=\"" + numbers(b.size[0], b.size[1]) + "\"";
    case heap::octahedron:
      return "type=\"mesh\" mesh=\"m" + std::to_string(i) + "\"";
    default:
      return "type=\"box\" size=\"" + numbers(b.size) + "\"";
  }
}
std::string text_of(const heap::Heap& heap) {
  std::string assets, bodies;
  for (std::size_t i = 0; i < heap.bodies.size(); ++i) {
    const heap::Body& b = heap.bodies[i];
    if (b.kind == heap::octahedron) assets += mesh_of(b, i);
    bodies += "<body><freejoint/><inertial pos=\"0 0 0\" mass=\"" + numbers(b.mass) + "\" diaginertia=\"" +
              numbers(b.inertia) + "\"/><geom " + geom_of(b, i) + "/></body>\n";
  }
  std::string planes;
  for (const heap::Plane& p : heap.planes)
    planes += "<geom type=\"plane\" size=\"0 0 1\" pos=\"" + numbers(p.offset * p.normal) + "\" zaxis=\"" +
              numbers(p.normal) + "\"/>\n";
  const std::string points = std::to_string(5 * heap.bodies.size());
  return "<mujoco><option timestep=\"" + numbers(heap.step) + "\" gravity=\"" + numbers(0, 0, -heap.gravity) +
         "\" cone=\"elliptic\" solver=\"CG\" jacobian=\"sparse\"/><size nconmax=\"" + points + "\" njmax=\"" +
         std::to_string(13 * heap.bodies.size()) + "\"/><default><geom friction=\"" + numbers(heap.friction, 0, 0) +
         "\" condim=\"3\"/></default><asset>" + assets + "</asset><worldbody>" + planes + bodies +
         "</worldbody></mujoco>";
}

std::unique_ptr<mjModel, Free> model_of(const heap::Heap& heap) {
  const std::string text = text_of(heap);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "heap.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "heap.xml")], text.data(), text.size());
  char why[1000] = "";
  std::unique_ptr<mjModel, Free> model(mj_loadXML("heap.xml", files.get(), why, sizeof why));
  mj_deleteVFS(files.get());
  if (!model) {
    std::fprintf(stderr, "MuJoCo: %s\n", why);
    std::exit(3);
  }
  return model;
}

// Attitudes are those of its own bodies: with a diagonal inertia, the same.
class World {
 public:
  explicit World(const heap::Heap& heap) : heap_(heap), m_(model_of(heap)), d_(mj_makeData(m_.get())) {
    for (std::size_t i = 0; i < heap.bodies.size(); ++i) {
      const heap::Body& b = heap.bodies[i];
      const heap::Vec w = heap::Moving{false, 1, {1, 1, 1}, {}, {}, {}, b.quat}.turned(b.w, -1);  // in its own axes
      mjtNum *q = d_->qpos + 7 * i, *v = d_->qvel + 6 * i;
      for (std::size_t k = 0; k < 3; ++k) q[k] = b.p[k], v[k] = b.v[k], v[3 + k] = w[k];
      for (std::size_t k = 0; k < 4; ++k) q[3 + k] = b.quat[k];
    }
    mj_forward(m_.get(), d_.get());
  }
  void step() {
    mj_step(m_.get(), d_.get());
    if (d_->warning[mjWARN_CNSTRFULL].number + d_->warning[mjWARN_CONTACTFULL].number > 0) std::exit(3);
  }

  void begin_looking() { now_ = moving(); }
  void look(heap::Measure& measure) {
    const std::vector<heap::Moving> after = moving();
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i].v = after[i].v, now_[i].w = after[i].w;
    for (int k = 0; k < d_->ncon; ++k) {
      const mjContact& c = d_->contact[k];
      mjtNum force[6], world[3];
      mj_contactForce(m_.get(), d_.get(), k, force);
      mju_mulMatTVec(world, c.frame, force, 3, 3);  // on the second, the normal from the first to it
      const auto a = static_cast<std::size_t>(m_->geom_bodyid[c.geom2]),
                 b = static_cast<std::size_t>(m_->geom_bodyid[c.geom1]);
      measure.point(now_[a], now_[b],
                    {{c.pos[0], c.pos[1], c.pos[2]},
                     {c.frame[0], c.frame[1], c.frame[2]},
                     heap_.step * heap::Vec{world[0], world[1], world[2]},
                     c.dist});
    }
  }
  std::vector<heap::Moving> bodies() const { return moving(); }

 private:
  std::vector<heap::Moving> moving() const {
    std::vector<heap::Moving> all(heap_.bodies.size() + 1);  // the first one: the world
    for (std::size_t i = 0; i < heap_.bodies.size(); ++i) {
      heap::Moving& one = all[i + 1];
      const mjtNum *q = d_->qpos + 7 * i, *v = d_->qvel + 6 * i;
      one.fixed = false, one.mass = heap_.bodies[i].mass, one.inertia = heap_.bodies[i].inertia;
      one.p = {q[0], q[1], q[2]}, one.quat = {q[3], q[4], q[5], q[6]}, one.v = {v[0], v[1], v[2]};
      one.w = one.turned({v[3], v[4], v[5]}, 1);
    }
    return all;
  }

  const heap::Heap& heap_;
  std::unique_ptr<mjModel, Free> m_;
  std::unique_ptr<mjData, Free> d_;
  std::vector<heap::Moving> now_;
};

}  // namespace

int main(int argc, char** argv) { return heap::main_of<World>(argc, argv); }
