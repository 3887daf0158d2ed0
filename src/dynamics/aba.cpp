#include "dynamics/aba.inl"

namespace marey {

MAREY_FOR_EACH_NUMBER(MAREY_INSTANTIATE_ABA)
template void aba_motion(const Model&, const Params<double>&, std::span<const double>, std::span<const double>,
                         AbaWorkspace<double>&, Kinematics<double>&);
template void aba_forces(const Model&, const Params<double>&, const Forces<double>&, AbaWorkspace<double>&,
                         std::span<double>);

}  // namespace marey
