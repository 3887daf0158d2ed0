// aba() in two halves, of which the first finds the places and twists of all links, too.
//
// A run needs them at every instant, and the motion across the joints is a good part of both. The second half may be asked for
// again with other forces.
#pragma once

#include "marey/dynamics.h"

namespace marey {

// What forward_kinematics() finds, and in the workspace what follows from q and v alone.
template <class T>
void aba_motion(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, AbaWorkspace<T>&,
                Kinematics<T>&);
// After it: the same as aba() at that q and v. Where `vdot` is empty, the factored inertias alone are left in the workspace.
template <class T>
void aba_forces(const Model&, const Params<T>&, const Forces<T>&, AbaWorkspace<T>&, std::span<T> vdot);

}  // namespace marey
