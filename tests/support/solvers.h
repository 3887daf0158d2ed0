// Every solver behind one call, for tests.
#pragma once

#include <vector>

#include "marey/dynamics/multipliers.h"
#include "support/random_figure.h"

namespace figures {

// What a solver is given, in any scalar type.
template <class T>
struct Input {
  marey::Params<T> params;
  std::vector<T> q, v, tau;
  std::vector<marey::Wrench<T>> F_Bo_W;
};
template <class T>
marey::Vec3<T> cast(const marey::Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Input<T> input_of(const Figure& f) {
  Input<T> in;
  in.params = marey::convert<T>(f.model.params);
  for (double x : f.state.q) in.q.push_back(T(x));
  for (double x : f.state.v) in.v.push_back(T(x));
  for (double x : f.tau) in.tau.push_back(T(x));
  for (const auto& F : f.F_Bo_W) in.F_Bo_W.push_back({cast<T>(F.n), cast<T>(F.f)});
  return in;
}

inline std::vector<marey::Dynamics> solvers_for(const marey::Model& model) {
  using marey::Dynamics;
  std::vector<Dynamics> all{Dynamics::aba, Dynamics::crba, Dynamics::multipliers};
  if (marey::armstrong_applies(model)) all.push_back(Dynamics::armstrong);
  return all;
}

// All solvers but `dense`, which knows double alone.
template <class T>
std::vector<T> accelerations(marey::Dynamics solver, const marey::Model& model, const Input<T>& in) {
  std::vector<T> vdot(in.v.size());
  const marey::Forces<T> forces{in.tau, in.F_Bo_W};
  const std::span<const T> q(in.q), v(in.v);
  const std::span<T> out(vdot);
  if (solver == marey::Dynamics::aba) {
    marey::AbaWorkspace<T> ws(model);
    marey::aba<T>(model, in.params, q, v, forces, ws, out);
  } else if (solver == marey::Dynamics::crba) {
    marey::CrbaWorkspace<T> ws(model);
    marey::crba<T>(model, in.params, q, v, forces, ws, out);
  } else if (solver == marey::Dynamics::multipliers) {
    marey::MultiplierWorkspace<T> ws(model);
    marey::multipliers<T>(model, in.params, q, v, forces, ws, out);
  } else {
    marey::ArmstrongWorkspace<T> ws(model);
    marey::armstrong<T>(model, in.params, q, v, forces, ws, out);
  }
  return vdot;
}
inline std::vector<double> dense_accelerations(const Figure& f) {
  std::vector<double> vdot(f.state.v.size());
  marey::dense(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, vdot);
  return vdot;
}

template <class T>
std::vector<T> inverse_dynamics(const marey::Model& model, const Input<T>& in, const std::vector<T>& vdot) {
  std::vector<T> tau(in.v.size());
  marey::RneaWorkspace<T> ws(model);
  marey::rnea<T>(model, in.params, in.q, in.v, vdot, in.F_Bo_W, ws, tau);
  return tau;
}

}  // namespace figures
