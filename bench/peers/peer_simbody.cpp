// Simbody as a peer.
//
// Simbody's ball and free joints have the angular velocity of B in F expressed in F, where the protocol has
// it in B: u = R_FB w_B. As d(R_FB)/dt w_B = R_FB (w_B × w_B) = 0, accelerations and (being dual) forces turn
// with the same R_FB. Pins turn about z and sliders move along x of their joint frames: both frames are
// turned so that this is the axis.
//
// Debian builds Simbody without NDEBUG, which changes the size of some of its classes: this file must do the
// same.
#undef NDEBUG
#include <Simbody.h>

#include <memory>

#include "protocol.h"

namespace marey::peers {
namespace {

SimTK::Vec3 vec3(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

SimTK::Rotation rotation_of(const std::array<double, 4>& q) {
  return SimTK::Rotation(SimTK::Quaternion(SimTK::Vec4(q[0], q[1], q[2], q[3])));
}

class Simbody final : public Rival {
 public:
  std::string name_and_version() const override {
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    return "Simbody " + std::to_string(major) + "." + std::to_string(minor) +
           (build ? "." + std::to_string(build) : "");
  }

  void load(const PeerFigure& figure) override {
    world_.reset();
    figure_ = figure;
    offsets_ = Offsets(figure);
    falling_.reset();
    acting_ = {};
    try {
      world_ = std::make_unique<World>();
      build();
    } catch (const std::exception& e) {
      world_.reset();
      throw Refused(e.what());
    }
  }

  void set_states(const std::vector<PeerState>& states) override {
    states_.clear();
    for (const PeerState& state : states) states_.push_back(to_native(state));
  }

  void run(PeerTask task, int i) override {
    const Native& native = states_[static_cast<size_t>(i)];
    SimTK::State& state = world_->state;
    const SimTK::SimbodyMatterSubsystem& matter = world_->matter;
    state.updQ() = native.q;
    switch (task) {
      case PeerTask::forward:
        state.updU() = native.u;
        world_->system.realize(state, SimTK::Stage::Dynamics);
        weigh();
        matter.calcAccelerationIgnoringConstraints(state, native.f, weights_, out_, A_GB_);
        return;
      case PeerTask::inverse:
        state.updU() = native.u;
        world_->system.realize(state, SimTK::Stage::Velocity);
        weigh();
        matter.calcResidualForceIgnoringConstraints(state, no_forces_, weights_, native.udot, out_);
        return;
      case PeerTask::massmatrix:
        world_->system.realize(state, SimTK::Stage::Position);
        matter.calcM(state, M_);
        return;
      default:
        throw Refused("Simbody has no other entry point for this");
    }
  }

  std::vector<double> result(PeerTask task, int i) override {
    const Native& native = states_[static_cast<size_t>(i)];
    if (task == PeerTask::massmatrix) return mass_matrix(native);
    std::vector<double> out(static_cast<size_t>(offsets_.nv));
    for (size_t k = 0; k < out.size(); ++k) out[k] = out_[u_of_[k]];
    turn(out, native.R_FB, true);
    return out;
  }

  std::vector<IntegratorName> integrators() const override {
    return {{"merson", true},     {"feldberg", true},       {"rk3", true},
            {"rk2", true},        {"verlet", true},         {"cpodes_adams", true},
            {"cpodes_bdf", true}, {"semi_explicit", false}, {"merson_steps", false}};
  }

  void set_acting(const PeerActing& acting) override {
    falling_.reset();
    acting_ = acting;
  }

  Integration integrate(const std::string& name, double setting, double duration, int i) override {
    if (!falling_) make_falling();
    SimTK::State state = falling_->state;
    state.setTime(0);
    state.updQ() = states_[static_cast<size_t>(i)].q;
    state.updU() = states_[static_cast<size_t>(i)].u;
    const auto integrator = make_integrator(name, falling_->system);
    if (!integrator) return Rival::integrate(name, setting, duration, i);
    if (name == "semi_explicit" || name == "merson_steps")
      integrator->setFixedStepSize(EqualSteps(setting, duration).length);
    else
      integrator->setAccuracy(setting);
    integrator->setFinalTime(duration);
    Integration done;
    const double start = thread_seconds();
    integrator->initialize(state);
    while (integrator->getTime() < duration && !integrator->isSimulationOver()) integrator->stepTo(duration);
    done.seconds = thread_seconds() - start;
    done.evaluations = integrator->getNumRealizations();
    to_ours(integrator->getState(), done);
    return done;
  }

 private:
  // Simbody ties its parts together by reference, so they live and die as one.
  struct World {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::State state;
    std::vector<SimTK::MobilizedBody> bodies;
  };
  // For motions gravity is a force of the system; for single accelerations it is put in by weigh().
  struct Falling : World {
    SimTK::GeneralForceSubsystem forces{system};
  };
  // What acts in the joints, in the protocol's coordinates; Simbody's are in F where these are in B.
  class Acting final : public SimTK::Force::Custom::Implementation {
   public:
    explicit Acting(const Simbody& peer) : peer_(peer) {}
    void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>&, SimTK::Vector_<SimTK::Vec3>&,
                   SimTK::Vector& forces) const override {
      Integration now;
      peer_.to_ours(state, now);
      const PeerActing& a = peer_.acting_;
      std::vector<double> f(now.v.size());
      for (size_t k = 0; k < f.size(); ++k) f[k] = a.torque[k] - a.damping[k] * now.v[k];
      std::vector<Matrix3d> R_FB;
      for (size_t i = 0; i < peer_.figure_.links.size(); ++i) {
        const int n = joint_nv(peer_.figure_.links[i].joint);
        const auto q = static_cast<size_t>(peer_.offsets_.q[i]), v = static_cast<size_t>(peer_.offsets_.v[i]);
        if (n == 1) f[v] -= a.stiffness[v] * now.q[q];
        R_FB.push_back(n >= 3 ? quaternion_at(now.q, static_cast<int>(q)).toRotationMatrix()
                              : Matrix3d::Identity().eval());
      }
      peer_.turn(f, R_FB, false);
      for (size_t k = 0; k < f.size(); ++k) forces[peer_.u_of_[k]] += f[k];
    }
    SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0; }

   private:
    const Simbody& peer_;
  };
  struct Native {
    SimTK::Vector q, u, f, udot;
    std::vector<Matrix3d> R_FB;  // [link], identity where there is no ball
  };

  void build() {
    for (const PeerLink& link : figure_.links) add(link, *world_);
    world_->state = world_->system.realizeTopology();
    world_->system.realizeModel(world_->state);
    world_->system.realize(world_->state, SimTK::Stage::Instance);
    weights_.resize(world_->matter.getNumBodies());
    weights_.setToZero();
    q_of_.assign(static_cast<size_t>(offsets_.nq), 0);
    u_of_.assign(static_cast<size_t>(offsets_.nv), 0);
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const SimTK::MobilizedBody& body = world_->bodies[i];
      for (int k = 0; k < joint_nq(figure_.links[i].joint); ++k)
        q_of_[static_cast<size_t>(offsets_.q[i] + k)] = body.getFirstQIndex(world_->state) + k;
      for (int k = 0; k < joint_nv(figure_.links[i].joint); ++k)
        u_of_[static_cast<size_t>(offsets_.v[i] + k)] = body.getFirstUIndex(world_->state) + k;
    }
  }

  void make_falling() {
    falling_ = std::make_unique<Falling>();
    for (const PeerLink& link : figure_.links) add(link, *falling_);
    const SimTK::Force::UniformGravity gravity(falling_->forces, falling_->matter, vec3(figure_.gravity));
    if (!acting_.torque.empty()) const SimTK::Force::Custom acting(falling_->forces, new Acting(*this));
    falling_->state = falling_->system.realizeTopology();
    falling_->system.realizeModel(falling_->state);
  }

  static std::unique_ptr<SimTK::Integrator> make_integrator(const std::string& name,
                                                            const SimTK::MultibodySystem& system) {
    if (name == "semi_explicit") return std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system, 1);
    if (name == "merson" || name == "merson_steps") return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
    if (name == "feldberg") return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
    if (name == "rk3") return std::make_unique<SimTK::RungeKutta3Integrator>(system);
    if (name == "rk2") return std::make_unique<SimTK::RungeKutta2Integrator>(system);
    if (name == "verlet") return std::make_unique<SimTK::VerletIntegrator>(system);
    if (name == "cpodes_adams")
      return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::Adams, SimTK::CPodes::Newton);
    if (name == "cpodes_bdf")
      return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::BDF, SimTK::CPodes::Newton);
    return nullptr;
  }

  void to_ours(const SimTK::State& state, Integration& out) const {
    for (const int k : q_of_) out.q.push_back(state.getQ()[k]);
    for (const int k : u_of_) out.v.push_back(state.getU()[k]);
    std::vector<Matrix3d> R_FB;
    for (size_t i = 0; i < figure_.links.size(); ++i)
      R_FB.push_back(joint_nv(figure_.links[i].joint) >= 3 ? quaternion_at(out.q, offsets_.q[i]).toRotationMatrix()
                                                           : Matrix3d::Identity().eval());
    turn(out.v, R_FB, true);
  }

  void add(const PeerLink& link, World& world) {
    using SimTK::MobilizedBody;
    const auto& J = link.J_BBo_B;
    const SimTK::Inertia inertia(SimTK::Vec3(J[0], J[1], J[2]), SimTK::Vec3(J[3], J[4], J[5]));
    const SimTK::Body::Rigid body(SimTK::MassProperties(link.mass, vec3(link.p_BoBcm_B), inertia));
    MobilizedBody& parent = link.parent == 0 ? static_cast<MobilizedBody&>(world.matter.updGround())
                                             : world.bodies[static_cast<size_t>(link.parent - 1)];
    SimTK::Transform X_PF(rotation_of(link.quat_PF), vec3(link.p_PoFo_P));
    SimTK::Transform X_BM;
    const auto turn_frames = [&](SimTK::CoordinateAxis axis) {
      X_BM.updR() = SimTK::Rotation(SimTK::UnitVec3(vec3(link.axis_F)), axis);
      X_PF.updR() = X_PF.R() * X_BM.R();
    };
    switch (link.joint) {
      case PeerJoint::weld:
        world.bodies.push_back(MobilizedBody::Weld(parent, X_PF, body, X_BM));
        break;
      case PeerJoint::hinge:
        turn_frames(SimTK::ZAxis);
        world.bodies.push_back(MobilizedBody::Pin(parent, X_PF, body, X_BM));
        break;
      case PeerJoint::slider:
        turn_frames(SimTK::XAxis);
        world.bodies.push_back(MobilizedBody::Slider(parent, X_PF, body, X_BM));
        break;
      case PeerJoint::ball:
        world.bodies.push_back(MobilizedBody::Ball(parent, X_PF, body, X_BM));
        break;
      case PeerJoint::free:
        world.bodies.push_back(MobilizedBody::Free(parent, X_PF, body, X_BM));
        break;
    }
  }

  // The weight of every link as a force at Bo and a torque, in Ground.
  void weigh() {
    const SimTK::Vec3 g = vec3(figure_.gravity);
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const PeerLink& link = figure_.links[i];
      const SimTK::Rotation& R_GB = world_->bodies[i].getBodyRotation(world_->state);
      const SimTK::Vec3 force = link.mass * g;
      weights_[static_cast<int>(i) + 1] = SimTK::SpatialVec((R_GB * vec3(link.p_BoBcm_B)) % force, force);
    }
  }

  Native to_native(const PeerState& state) const {
    Native native;
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const bool turns = joint_nv(figure_.links[i].joint) >= 3;
      native.R_FB.push_back(turns ? quaternion_at(state.q, offsets_.q[i]).toRotationMatrix()
                                  : Matrix3d::Identity().eval());
    }
    const auto order = [](const std::vector<double>& ours, const std::vector<int>& map) {
      SimTK::Vector theirs(static_cast<int>(ours.size()));
      for (size_t k = 0; k < ours.size(); ++k) theirs[map[k]] = ours[k];
      return theirs;
    };
    const auto turned = [&](std::vector<double> ours) {
      turn(ours, native.R_FB, false);
      return order(ours, u_of_);
    };
    native.q = order(state.q, q_of_);
    native.u = turned(state.v);
    native.f = turned(state.tau);
    native.udot = turned(state.vdot);
    return native;
  }

  // Angular parts from B to F, or back.
  void turn(std::vector<double>& values, const std::vector<Matrix3d>& R_FB, bool back) const {
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      if (joint_nv(figure_.links[i].joint) < 3) continue;
      const Matrix3d R = back ? Matrix3d(R_FB[i].transpose()) : R_FB[i];
      put(values, offsets_.v[i], R * vector_at(values, offsets_.v[i]));
    }
  }

  std::vector<double> mass_matrix(const Native& native) const {
    const int n = offsets_.nv;
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> ours(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) ours(r, c) = M_(u_of_[static_cast<size_t>(r)], u_of_[static_cast<size_t>(c)]);
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      if (joint_nv(figure_.links[i].joint) < 3) continue;
      const int v = offsets_.v[i];
      ours.middleRows<3>(v) = (native.R_FB[i].transpose() * ours.middleRows<3>(v)).eval();
      ours.middleCols<3>(v) = (ours.middleCols<3>(v) * native.R_FB[i]).eval();
    }
    return {ours.data(), ours.data() + ours.size()};
  }

  PeerFigure figure_;
  Offsets offsets_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Falling> falling_;  // made when a motion is first asked for
  std::vector<int> q_of_, u_of_;      // [our coordinate] Simbody's
  std::vector<Native> states_;
  PeerActing acting_;  // empty: nothing
  SimTK::Vector_<SimTK::SpatialVec> weights_, A_GB_;
  SimTK::Vector no_forces_, out_;
  SimTK::Matrix M_;
};

}  // namespace
}  // namespace marey::peers

int main() {
  marey::peers::answers();
  marey::peers::Simbody simbody;
  return marey::peers::serve(simbody);
}
