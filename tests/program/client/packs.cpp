// A client whose packs are wider than its registers hands them to solvers made for another processor. Compiled by
// package_test.cpp for any x86-64.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "marey/dynamics.h"
#include "marey/scalar/instantiate.h"

namespace {

// Three rods on ball joints, one on the other.
marey::Model chain() {
  marey::Shape rod{marey::Capsule{0.01, 0.5}, {}};
  rod.X_BS.p = {0, 0, 0.25};
  marey::ModelSpec spec;
  for (const std::string name : {"a", "b", "c"}) {
    marey::LinkSpec link;
    link.name = name;
    link.joint = marey::JointType::ball;
    link.inertia = marey::shape_inertia(rod, 1.0);
    if (!spec.links.empty()) link.parent = spec.links.back().name, link.X_PF.p = {0, 0, 0.5};
    spec.links.push_back(link);
  }
  return marey::freeze(spec);
}

template <class T>
std::vector<T> accelerations(const marey::Model& model) {
  std::vector<T> q, v, vdot(static_cast<std::size_t>(model.nv));
  for (const double x : marey::neutral_state(model).q) q.push_back(T(x));
  for (int i = 0; i < model.nv; ++i) v.push_back(T(0.1 * i));
  marey::AbaWorkspace<T> workspace(model);
  marey::aba<T>(model, marey::convert<T>(model.params), q, v, {}, workspace, vdot);
  return vdot;
}

}  // namespace

int main() {
  const marey::Model model = chain();
  const std::vector<double> one = accelerations<double>(model);
  const std::vector<marey::PackD8> eight = accelerations<marey::PackD8>(model);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    largest = std::max(largest, std::abs(one[i]));
    for (int lane = 0; lane < 8; ++lane) difference = std::max(difference, std::abs(eight[i][lane] - one[i]));
  }
  // 10 κ(M) ε , κ < 1e5: thin rods of 5e-5 kg m² about themselves, 3 kg m² about the root.
  const double bound = 10 * 1e5 * 2.2e-16 * largest;
  std::printf("eight lanes against one: %g, bound %g\n", difference, bound);
  return largest > 0 && difference <= bound ? 0 : 1;
}
