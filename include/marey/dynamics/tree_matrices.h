// Joint-space inertia of many figures at once: a matrix for each tree, since freedoms of two trees have nothing to do with each other.
//
// What crba's M is for one figure (marey/dynamics.h), as long as there are few: of a hundred humans it would have ten million numbers, of
// which one in two hundred is not 0.
#pragma once

#include "marey/dynamics.h"

namespace marey {

struct TreeMatrices {
  explicit TreeMatrices(const Model&);
  struct Tree {
    std::size_t first = 0, count = 0;  // of its freedoms, in `freedoms`
    std::size_t M = 0;                 // where its matrix begins
  };
  std::vector<Tree> trees;            // in the order of their roots; those without freedoms have none
  std::vector<std::size_t> freedoms;  // [nv] one tree after the other, in each as in the model
  std::vector<std::size_t> tree_of;   // [nv] which of `trees`
  std::vector<std::size_t> row;       // [nv] where the row of a freedom begins in M
  std::vector<std::size_t> column;    // [nv] its place in the rows of its tree
  std::vector<int> parent_freedom;    // [nv] the next freedom towards the root, −1 at a root
  RneaWorkspace<double> rnea;
  std::vector<Inertia<double>> composite;  // [nlink]; by mass_matrices
  std::vector<double> bias;                // [nv] scratch
  std::vector<double> M;                   // row-major, lower triangles, one tree after the other; by mass_matrices
};
// As mass_matrix(); entries of unrelated branches are left as they are, which is 0.
void mass_matrices(const Model&, const Params<double>&, std::span<const double> q, TreeMatrices&);

}  // namespace marey
