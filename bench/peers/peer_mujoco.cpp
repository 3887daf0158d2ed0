// MuJoCo as a peer: the figure becomes an MJCF text, with everything but rigid-body dynamics switched off.
//
// MuJoCo's conventions are nearly those of the protocol: body frames with their origin at the joint, ball
// velocities in the child, quaternions w first. A free joint has its linear part first, in the world; its
// angular part is in the body. A free joint below the first level becomes three sliders and a ball in one
// body, which has the same coordinates.
#include <mujoco/mujoco.h>

#include <memory>

#include "protocol.h"

namespace marey::peers {
namespace {

// MuJoCo's XML parser refuses deep nesting; a chain is cut into files that include each other.
constexpr int nesting_per_file = 60;

class Mjcf {
 public:
  explicit Mjcf(const PeerFigure& figure) : figure_(figure), children_(figure.links.size() + 1) {
    for (size_t i = 0; i < figure.links.size(); ++i)
      children_[static_cast<size_t>(figure.links[i].parent)].push_back(static_cast<int>(i) + 1);
  }

  // File 0 is the model; the others are included from it.
  std::vector<std::string> files() {
    files_.assign(1, head());
    for (int child : children_[0]) body(child, 0, 0);
    files_[0] += "</worldbody></mujoco>\n";
    return files_;
  }
  static std::string file_name(size_t index) { return "part" + std::to_string(index) + ".xml"; }

 private:
  std::string head() const {
    std::string text =
        "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\" inertiafromgeom=\"false\"/>"
        "<size njmax=\"0\" nconmax=\"0\"/><option gravity=\"";
    append_numbers(text, figure_.gravity);
    text +=
        "\"><flag constraint=\"disable\" equality=\"disable\" frictionloss=\"disable\" limit=\"disable\" "
        "contact=\"disable\" passive=\"disable\" clampctrl=\"disable\" warmstart=\"disable\" "
        "filterparent=\"disable\" actuation=\"disable\" refsafe=\"disable\" "
        "sensor=\"disable\"/></option><worldbody>\n";
    return text;
  }

  void body(int index, size_t file, int depth) {
    if (depth == nesting_per_file) {
      files_[file] += "<include file=\"" + file_name(files_.size()) + "\"/>\n";
      const size_t part = files_.size();
      files_.emplace_back("<mujocoinclude>\n");
      body(index, part, 0);
      files_[part] += "</mujocoinclude>\n";
      return;
    }
    const PeerLink& link = figure_.links[static_cast<size_t>(index - 1)];
    const bool root = link.parent == 0;
    std::string text = "<body";
    attribute(text, "pos", link.p_PoFo_P);
    attribute(text, "quat", link.quat_PF);
    files_[file] += text + ">";
    files_[file] += inertial(link);
    files_[file] += joints(link, root) + "\n";
    for (int child : children_[static_cast<size_t>(index)]) body(child, file, depth + 1);
    files_[file] += "</body>\n";
  }

  static std::string inertial(const PeerLink& link) {
    if (link.mass == 0) return "";
    const PrincipalAxes axes = principal_axes(link);
    const Quaterniond quat(axes.R_BA);
    std::string text = "<inertial";
    attribute(text, "pos", link.p_BoBcm_B);
    attribute(text, "quat", std::array<double, 4>{quat.w(), quat.x(), quat.y(), quat.z()});
    attribute(text, "mass", std::array<double, 1>{link.mass});
    attribute(text, "diaginertia", axes.moments);
    return text + "/>";
  }

  static std::string joints(const PeerLink& link, bool root) {
    const auto along = [](const char* type, const std::array<double, 3>& axis) {
      std::string text = std::string("<joint type=\"") + type + "\"";
      attribute(text, "axis", axis);
      return text + "/>";
    };
    switch (link.joint) {
      case PeerJoint::weld:
        return "";
      case PeerJoint::hinge:
        return along("hinge", link.axis_F);
      case PeerJoint::slider:
        return along("slide", link.axis_F);
      case PeerJoint::ball:
        return "<joint type=\"ball\"/>";
      case PeerJoint::free:
        if (root) return "<joint type=\"free\"/>";
        return along("slide", {1, 0, 0}) + along("slide", {0, 1, 0}) + along("slide", {0, 0, 1}) +
               "<joint type=\"ball\"/>";
    }
    return "";
  }

  template <class Numbers>
  static void attribute(std::string& text, const char* name, const Numbers& numbers) {
    text += std::string(" ") + name + "=\"";
    append_numbers(text, numbers);
    text += "\"";
  }

  const PeerFigure& figure_;
  std::vector<std::vector<int>> children_;  // [link] children in order
  std::vector<std::string> files_;
};

// The virtual file system MuJoCo reads models from memory with.
class MemoryFiles {
 public:
  explicit MemoryFiles(const std::vector<std::string>& files) : vfs_(new mjVFS) {
    mj_defaultVFS(vfs_.get());
    for (size_t i = 0; i < files.size(); ++i) {
      const std::string name = Mjcf::file_name(i);
      if (mj_makeEmptyFileVFS(vfs_.get(), name.c_str(), static_cast<int>(files[i].size())))
        throw Refused("MuJoCo holds no more files in memory");
      std::copy(files[i].begin(), files[i].end(), static_cast<char*>(vfs_->filedata[i]));
    }
  }
  ~MemoryFiles() { mj_deleteVFS(vfs_.get()); }
  MemoryFiles(const MemoryFiles&) = delete;
  MemoryFiles& operator=(const MemoryFiles&) = delete;
  const mjVFS* get() const { return vfs_.get(); }

 private:
  std::unique_ptr<mjVFS> vfs_;
};

class MuJoCo final : public Rival {
 public:
  MuJoCo() {
    mju_user_error = [](const char* why) { fail(why); };
    mju_user_warning = [](const char*) {};
  }
  std::string name_and_version() const override { return std::string("MuJoCo ") + mj_versionString(); }

  void load(const PeerFigure& figure) override {
    data_.reset();
    model_.reset();
    figure_ = figure;
    offsets_ = Offsets(figure);
    acting_ = {};
    refuse_what_takes_too_long();
    const std::vector<std::string> files = Mjcf(figure_).files();
    const MemoryFiles memory(files);
    char why[1000] = "";
    model_.reset(mj_loadXML(Mjcf::file_name(0).c_str(), memory.get(), why, sizeof why));
    if (!model_) throw Refused(why);
    if (model_->nq != offsets_.nq || model_->nv != offsets_.nv) throw Refused("MuJoCo counts other coordinates");
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw Refused("out of memory");
    number_coordinates();
  }

  void set_states(const std::vector<PeerState>& states) override {
    states_.clear();
    for (const PeerState& state : states) states_.push_back(to_native(state));
    acceleration_.assign(static_cast<size_t>(offsets_.nv), 0);
  }

  void run(PeerTask task, int i) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    const PeerState& state = states_[static_cast<size_t>(i)];
    mju_copy(d->qpos, state.q.data(), m->nq);
    mju_copy(d->qvel, state.v.data(), m->nv);
    switch (task) {
      case PeerTask::forward:
        return forward(m, d, state);
      case PeerTask::inverse:
        mju_copy(d->qacc, state.vdot.data(), m->nv);
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 1, acceleration_.data());
        return;
      case PeerTask::massmatrix:
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_crb(m, d);
        return;
      case PeerTask::forward_whole:
        mju_copy(d->qfrc_applied, state.tau.data(), m->nv);
        mj_forward(m, d);
        mju_copy(acceleration_.data(), d->qacc, m->nv);
        return;
      case PeerTask::inverse_whole:
        mju_copy(d->qacc, state.vdot.data(), m->nv);
        mj_inverse(m, d);
        mju_copy(acceleration_.data(), d->qfrc_inverse, m->nv);
        return;
    }
  }

  std::vector<double> result(PeerTask task, int) override {
    if (task == PeerTask::massmatrix) return mass_matrix();
    std::vector<double> out(acceleration_.size());
    for (size_t k = 0; k < out.size(); ++k) out[k] = acceleration_[static_cast<size_t>(v_of_[k])];
    for (size_t i = 0; i < figure_.links.size(); ++i)
      if (free_root(i)) put(out, offsets_.v[i] + 3, R_WF(i).transpose() * vector_at(out, offsets_.v[i] + 3));
    return out;
  }

  std::vector<IntegratorName> integrators() const override {
    return {{"euler", false}, {"implicit", false}, {"rk4", false}};
  }

  // A ball's torque and velocity are in the child here as well.
  void set_acting(const PeerActing& acting) override {
    for (size_t i = 0; i < figure_.links.size(); ++i)
      for (int k = 0; k < 6 && figure_.links[i].joint == PeerJoint::free; ++k) {
        const auto v = static_cast<size_t>(offsets_.v[i] + k);
        if (acting.torque[v] != 0 || acting.damping[v] != 0) throw Refused("nothing acts in free joints");
      }
    acting_ = acting;
    mjModel* m = model_.get();
    for (size_t v = 0; v < acting.torque.size(); ++v) {
      const int theirs = v_of_[v];
      m->dof_damping[theirs] = acting.damping[v];
      m->jnt_stiffness[m->dof_jntid[theirs]] = acting.stiffness[v];
    }
  }

  Integration integrate(const std::string& name, double setting, double duration, int i) override {
    mjModel* m = model_.get();
    mjData* d = data_.get();
    if (name != "euler" && name != "implicit" && name != "rk4") return Rival::integrate(name, setting, duration, i);
    const EqualSteps steps(setting, duration);
    const mjOption kept = m->opt;
    m->opt.integrator = name == "euler" ? mjINT_EULER : name == "implicit" ? mjINT_IMPLICIT : mjINT_RK4;
    m->opt.timestep = steps.length;
    mj_resetData(m, d);
    mju_copy(d->qpos, states_[static_cast<size_t>(i)].q.data(), m->nq);
    mju_copy(d->qvel, states_[static_cast<size_t>(i)].v.data(), m->nv);
    if (!acting_.torque.empty()) {
      m->opt.disableflags &= ~mjDSBL_PASSIVE;
      for (size_t v = 0; v < acting_.torque.size(); ++v) d->qfrc_applied[v_of_[v]] = acting_.torque[v];
    }
    Integration done;
    const double start = thread_seconds();
    for (long long k = 0; k < steps.count; ++k) mj_step(m, d);
    done.seconds = thread_seconds() - start;
    done.evaluations = static_cast<double>(name == "rk4" ? 4 * steps.count : steps.count);
    m->opt = kept;
    mju_zero(d->qfrc_applied, m->nv);
    to_ours(d->qpos, d->qvel, done);
    return done;
  }

 private:
  struct FreeModel {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };

  // The fewest calls that give accelerations: M = LᵀDL, then M vdot = tau - bias.
  void forward(const mjModel* m, mjData* d, const PeerState& state) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    mju_sub(d->qfrc_smooth, state.tau.data(), d->qfrc_bias, m->nv);
    mj_solveM(m, d, acceleration_.data(), d->qfrc_smooth, 1);
  }

  bool free_root(size_t i) const { return figure_.links[i].joint == PeerJoint::free && figure_.links[i].parent == 0; }
  Matrix3d R_WF(size_t i) const { return quaternion_of(figure_.links[i].quat_PF).toRotationMatrix(); }

  // MuJoCo stores one entry of M per pair of a coordinate and its ancestor, and to compile a model it solves
  // with M once per coordinate: for a chain n³ of time, about 10 ns per entry and coordinate.
  void refuse_what_takes_too_long() const {
    std::vector<double> depth(figure_.links.size() + 1, 0);
    double entries = 0;
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const int nv = joint_nv(figure_.links[i].joint);
      depth[i + 1] = depth[static_cast<size_t>(figure_.links[i].parent)] + nv;
      entries += nv * depth[i + 1];
    }
    if (entries * offsets_.nv > 2e9)
      throw Refused("MuJoCo takes minutes to compile a figure of " + std::to_string(figure_.links.size()) + " links");
  }

  // MuJoCo numbers bodies depth first, the protocol by index.
  void number_coordinates() {
    q_of_.assign(static_cast<size_t>(offsets_.nq), 0);
    v_of_.assign(static_cast<size_t>(offsets_.nv), 0);
    std::vector<std::vector<int>> children(figure_.links.size() + 1);
    for (size_t i = 0; i < figure_.links.size(); ++i)
      children[static_cast<size_t>(figure_.links[i].parent)].push_back(static_cast<int>(i));
    std::vector<int> pending(children[0].rbegin(), children[0].rend());
    int q = 0, v = 0;
    while (!pending.empty()) {
      const auto i = static_cast<size_t>(pending.back());
      pending.pop_back();
      number_link(i, q, v);
      q += joint_nq(figure_.links[i].joint);
      v += joint_nv(figure_.links[i].joint);
      pending.insert(pending.end(), children[i + 1].rbegin(), children[i + 1].rend());
    }
  }

  void number_link(size_t i, int q, int v) {
    const PeerJoint joint = figure_.links[i].joint;
    for (int k = 0; k < joint_nq(joint); ++k) {
      const int theirs = joint == PeerJoint::free ? (k < 4 ? k + 3 : k - 4) : k;
      q_of_[static_cast<size_t>(offsets_.q[i] + k)] = q + theirs;
    }
    for (int k = 0; k < joint_nv(joint); ++k) {
      const int theirs = joint == PeerJoint::free ? (k + 3) % 6 : k;
      v_of_[static_cast<size_t>(offsets_.v[i] + k)] = v + theirs;
    }
  }

  PeerState to_native(PeerState state) const {
    for (size_t i = 0; i < figure_.links.size(); ++i)
      if (free_root(i)) to_world(state, i);
    PeerState native = state;
    for (size_t k = 0; k < state.q.size(); ++k) native.q[static_cast<size_t>(q_of_[k])] = state.q[k];
    for (size_t k = 0; k < state.v.size(); ++k) {
      const auto to = static_cast<size_t>(v_of_[k]);
      native.v[to] = state.v[k];
      native.tau[to] = state.tau[k];
      native.vdot[to] = state.vdot[k];
    }
    return native;
  }

  // A free joint of MuJoCo knows no F: its pose is in the world.
  void to_world(PeerState& state, size_t i) const {
    const int q = offsets_.q[i], v = offsets_.v[i] + 3;
    const Quaterniond q_WF = quaternion_of(figure_.links[i].quat_PF);
    put(state.q, q, q_WF * quaternion_at(state.q, q));
    put(state.q, q + 4, vector_of(figure_.links[i].p_PoFo_P) + q_WF * vector_at(state.q, q + 4));
    put(state.v, v, q_WF * vector_at(state.v, v));
    put(state.tau, v, q_WF * vector_at(state.tau, v));
    put(state.vdot, v, q_WF * vector_at(state.vdot, v));
  }

  // The reverse of to_native.
  void to_ours(const double* qpos, const double* qvel, Integration& out) const {
    for (const int k : q_of_) out.q.push_back(qpos[k]);
    for (const int k : v_of_) out.v.push_back(qvel[k]);
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      if (!free_root(i)) continue;
      const int q = offsets_.q[i], v = offsets_.v[i] + 3;
      const Quaterniond q_FW = quaternion_of(figure_.links[i].quat_PF).conjugate();
      put(out.q, q, q_FW * quaternion_at(out.q, q));
      put(out.q, q + 4, q_FW * (vector_at(out.q, q + 4) - vector_of(figure_.links[i].p_PoFo_P)));
      put(out.v, v, q_FW * vector_at(out.v, v));
    }
  }

  std::vector<double> mass_matrix() {
    const int n = offsets_.nv;
    std::vector<double> full(static_cast<size_t>(n) * static_cast<size_t>(n));
    mj_fullM(model_.get(), full.data(), data_->qM);
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> theirs(full.data(), n, n);
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> ours(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) ours(r, c) = theirs(v_of_[static_cast<size_t>(r)], v_of_[static_cast<size_t>(c)]);
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      if (!free_root(i)) continue;
      const int v = offsets_.v[i] + 3;
      ours.middleRows<3>(v) = (R_WF(i).transpose() * ours.middleRows<3>(v)).eval();
      ours.middleCols<3>(v) = (ours.middleCols<3>(v) * R_WF(i)).eval();
    }
    return {ours.data(), ours.data() + ours.size()};
  }

  PeerFigure figure_;
  Offsets offsets_;
  std::unique_ptr<mjModel, FreeModel> model_;
  std::unique_ptr<mjData, FreeModel> data_;
  std::vector<int> q_of_, v_of_;      // [our coordinate] MuJoCo's
  std::vector<PeerState> states_;     // in MuJoCo's coordinates
  PeerActing acting_;                 // in the protocol's; empty: nothing
  std::vector<double> acceleration_;  // or forces, of the last run
};

}  // namespace
}  // namespace marey::peers

int main() {
  marey::peers::answers();
  marey::peers::MuJoCo mujoco;
  return marey::peers::serve(mujoco);
}
