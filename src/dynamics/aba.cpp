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

}  // namespace marey
