// Springs, dampers and drag of particles (marey/dynamics/particles.h) in packs: what force/kinds/spring_net.cpp and
// force/kinds/drag.cpp do one by one, done for many at once, with equal results up to rounding.
//
// A net of springs and a net of dampers between the same points, in the same order, form one bundle: both need the same
// distances. Per spring or damper, with d = p_ab, L = |d|, v = v_b − v_a,
//   f on a = (k (1 − L₀/L) + c d·v / L²) d, on b its opposite      V = ½ k (L − L₀)²      power of the damper −c (d·v)²/L²   (1)
// Springs are packed in two ways:
//   tight   the first ends are eight places in a row, beginning at a multiple of eight, and so are the second ones, all as far
//           from the first; k and c are the same. Lanes without a spring are masked. All such packs on the same first ends
//           form a block. Grids consist of them: nothing is gathered, and what pulls at first ends is added up in registers
//   loose   any eight
// The order of all sums is fixed when the packs are made: runs repeat to the bit. Members of a net that end elsewhere
// (at a point of a figure, off a link's origin, at the world itself) remain in an element of their own, for the general
// path.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "marey/dynamics/particles.h"
#include "marey/force.h"

namespace marey {

class ParticlePacks {
 public:
  // Elements may change their numbers (read_numbers), but nothing else.
  ParticlePacks(const ParticleStore&, std::span<const Element>);

  // Whether anything of this element acts here.
  bool covers(std::size_t element) const { return element < of_.size() && of_[element].covered; }
  // The rest of it, for the general path; null: there is none.
  const Element* rest(std::size_t element) const { return of_[element].rest ? &*of_[element].rest : nullptr; }
  bool empty() const { return bundles_.empty() && drags_.empty(); }

  // Whether everything in these elements is handled here.
  bool all() const;

  // Adds all forces to those that the store keeps; afterwards what is to be booked for each element is known.
  void act(ParticleStore&);
  double power(std::size_t element) const { return of_[element].power; }
  const Wrench<double>& external(std::size_t element) const { return of_[element].external; }
  // Potential in the present state of the store. After act() in that state it is already known.
  double energy(const ParticleStore&, std::size_t element);

  // Stiffness, lengths, dampings and coefficients as the elements have them now.
  void read_numbers(std::span<const Element>);

 private:
  static constexpr int lanes = ParticleStore::lanes;
  struct Tight {
    double rest[lanes];
    double stiffness, damping;
    int b;                // place of the first of the second ends
    std::uint8_t in_use;  // a bit for each lane
  };
  struct Block {
    int a;              // place of the first of the first ends
    int first, behind;  // its packs
  };
  struct Loose {
    int a[lanes], b[lanes];
    double stiffness[lanes], rest[lanes], damping[lanes];
  };
  struct Bundle {
    int springs = -1, dampers = -1;  // elements; −1: none
    std::vector<Tight> tight;
    std::vector<Block> blocks;
    std::vector<Loose> loose;
    std::vector<std::array<int, lanes>> tight_members, loose_members;
  };
  struct DragPack {
    int first;
    std::uint8_t in_use;
  };
  struct DragOfParticles {
    int element;
    double linear, quadratic;
    std::vector<DragPack> packs;
  };
  struct OfElement {
    bool covered = false;
    std::optional<Element> rest;
    std::vector<int> rest_members;  // of springs and dampers: which of the net
    double power = 0, energy = 0;
    Wrench<double> external;
  };
  struct Member {
    int a, b, which;
    double stiffness, damping;
  };

  void add_nets(const ParticleStore&, std::span<const Element>);
  void add_bundle(const ParticleStore&, std::span<const Element>, int springs, int dampers);
  void add_drag(const ParticleStore&, std::span<const Element>, int element);
  void put_together(Bundle&, std::vector<Member>);
  void add_loose(Bundle&, std::span<const Member>);
  template <bool springs, bool dampers>
  void act(const Bundle&, ParticleStore&);
  void act(const DragOfParticles&, ParticleStore&);
  void compute_energies(const ParticleStore&);

  std::vector<OfElement> of_;
  std::vector<Bundle> bundles_;
  std::vector<DragOfParticles> drags_;
  int nowhere_ = 0;             // the place after the last: unused lanes of loose packs end there
  long long energies_of_ = -1;  // ParticleStore::puts()
};

}  // namespace marey
