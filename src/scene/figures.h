// Figures of a scene: links by name, or chains, once or several times; where the joints are at the start.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "marey/force/tissue.h"
#include "marey/model.h"
#include "marey/spec/values.h"
#include "scene/shapes.h"

namespace marey {

struct LinkDraft {
  LinkSpec spec;                                                          // named figure.link
  std::string figure;                                                     // the figure's name
  Place at;                                                               // of the link's name
  Place parent_at;                                                        // of its parent's
  Place mass_at;                                                          // of its mass, where it has one
  const Value *friction = nullptr, *support = nullptr, *start = nullptr,  // as written
                                                           *material = nullptr, *wobble = nullptr;
  struct Particle {
    Vec3<double> position, velocity;  // at the start, in W
  };
  std::optional<Particle> particle;
  bool default_density = false;  // of some of its mass
  std::vector<ValuePtr> limits;  // of its joint, where it is a human's: bodies of free_play without the joint
  Vec3<double> velocity, spin;   // of a root, on top of its start, in W
};
// The springs within a group of particles.
struct SpringsDraft {
  std::string group;
  Place at;
  struct Pair {
    std::size_t a, b;  // into the drafts of links
    double stiffness, damping;
  };
  std::vector<Pair> pairs;
};
// A wobbling mass and the link it belongs to.
struct TissueDraft {
  std::size_t link, tissue;  // into the drafts of links
  Place at;
  TissueSpring spring;  // their links are known once the model is
  TissueDamper damper;
};
// The script of a figure, as written.
struct ScriptDraft {
  std::string figure;
  const Value* node = nullptr;
};
struct FiguresDraft {
  explicit FiguresDraft(SolidReader& reader) : solids(&reader) {}

  std::vector<LinkDraft> links;
  std::vector<SpringsDraft> springs;
  std::vector<TissueDraft> tissues;
  std::vector<ScriptDraft> scripts;
  std::unordered_set<std::string> names;  // of figures
  std::vector<ValuePtr> kept;             // nodes made by merging, which drafts point into
  SolidReader* solids;                    // reads their shapes
  std::vector<std::string> people;        // a line for each human: what is from where
};

inline constexpr int most_links = 100'000;

// Refuses what is not a valid name for a figure, link or group.
void check_name(const ValueEntry&, const char* what);

// A copy of the template with its entries replaced by those of `over`, if there is one.
ValuePtr merged(const Value& base, const Value* over);

// The keys `at` and `turned`.
Transform<double> read_pose(MapReader&);

// `figures`, `bodies`: as written, or null; one of them is.
FiguresDraft read_figures(const Value* figures, const Value* bodies, SolidReader&);

// Which links have the default density; empty: none.
std::string note_of_default_density(const FiguresDraft&);

// Freezes the drafts; an InvalidSpec becomes an error at its link's place.
Model freeze_figures(const FiguresDraft&, const Vec3<double>& gravity, const Place& figures);

// The joints at the start, from the links' `start`.
State read_start(const FiguresDraft&, const Model&);

}  // namespace marey
