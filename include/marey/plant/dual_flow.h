// The right-hand side with derivatives: workspaces for one direction.
#pragma once

#include "marey/dynamics.h"
#include "marey/force.h"
#include "marey/scalar/instantiate.h"

namespace marey {

struct DualFlow {
  explicit DualFlow(const Model& model, std::size_t state_count = 0)
      : params(convert<Dual1>(model.params)),
        weightless(params),
        kinematics(model),
        forces(model),
        aba(model),
        rnea(model),
        q(static_cast<std::size_t>(model.nq)),
        v(static_cast<std::size_t>(model.nv)),
        zero(v),
        out(v),
        z(state_count),
        z_rate(state_count) {
    weightless.gravity = {};
  }
  Params<Dual1> params, weightless;
  Kinematics<Dual1> kinematics;
  ForceSum<Dual1> forces;
  AbaWorkspace<Dual1> aba;
  RneaWorkspace<Dual1> rnea;
  std::vector<Dual1> q, v, zero, out;
  std::vector<Dual1> z, z_rate;  // states of sources
};

}  // namespace marey
