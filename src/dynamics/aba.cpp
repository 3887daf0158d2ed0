#include "dynamics/aba.inl"

namespace marey {

MAREY_FOR_EACH_NUMBER(MAREY_INSTANTIATE_ABA)
template void aba_motion(const Model&, const Params<double>&, std::span<const double>, std::span<const double>,
                         AbaWorkspace<double>&, Kinematics<double>&);
template void aba_motion(const Model&, const Params<double>&, std::span<const double>, std::span<const double>,
                         AbaWorkspace<double>&);
template void aba_forces(const Model&, const Params<double>&, const Forces<double>&, AbaWorkspace<double>&,
                         std::span<double>);

FirstMoment::FirstMoment(const Model& model) : m_(model.links.size()), h_(model.links.size()), s_(h_) {
  take_masses(model);
}

void FirstMoment::take_masses(const Model& model) {
  std::fill(m_.begin(), m_.end(), 0.0);
  for (std::size_t i = model.links.size() - 1; i > 0; --i) {
    h_[i] = model.params.links[i].I.h;
    m_[i] += model.params.links[i].I.m;
    m_[static_cast<std::size_t>(model.links[i].parent)] += m_[i];
  }
}

void aba_forces(const Model& model, const Params<double>& params, const Forces<double>& forces,
                AbaWorkspace<double>& ws, std::span<double> vdot, FirstMoment& moment) {
  moment.begin();
  answer_to_forces(model, params, forces, ws, vdot, [&](int link, int parent, const AbaLink<double>& b) {
    moment.pass(static_cast<std::size_t>(link), static_cast<std::size_t>(parent), b);
  });
}

LinkMomenta::LinkMomenta(const Model& model) : v(model.links.size()), L(model.links.size()) {}

void aba_motion(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                AbaWorkspace<double>& ws, LinkMomenta& out, FirstMoment& moment) {
  Vec3<double>* const v_B = out.v.data();
  Wrench<double>* const L = out.L.data();
  double kinetic = 0;
  move_links(model, params, q.data(), v.data(), ws,
             [&](auto joint, int i, const JointMotion<double>& m, const GeneralMotion<double>*) {
               const int parent = model.links[i].parent;
               Vec3<double> v_P = v_B[parent] + cross(ws.links[parent].w, m.r);
               if constexpr (joint.shifts || joint.general) v_P += m.v_J;
               const Twist<double> V{ws.links[i].w, transpose_times(m.R, v_P)};
               v_B[i] = V.v;
               L[i] = params.links[i].I * V;
               kinetic += 0.5 * power(L[i], V);
             });
  out.kinetic = kinetic;
  L[0] = {};
  moment.begin();
  for (int i = model.nlink() - 1; i > 0; --i) {
    const AbaLink<double>& b = ws.links[i];
    const int parent = model.links[i].parent;
    const Vec3<double> f_P = b.R * L[i].f;
    L[parent] += Wrench<double>{b.R * L[i].n + cross(b.r, f_P), f_P};
    moment.pass(static_cast<std::size_t>(i), static_cast<std::size_t>(parent), b);
  }
}

}  // namespace marey
