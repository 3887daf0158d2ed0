// Reads what lying_figure.h writes.
#pragma once

#include <fstream>

#include "../peers/protocol.h"
#include "lying_figure.h"

namespace lying {

inline Figure read_figure(std::istream& in) {
  using marey::peers::BadRequest, marey::peers::Words;
  const auto next = [&in] {
    std::string line;
    if (!std::getline(in, line)) throw BadRequest("the figure ends too soon");
    return line;
  };
  const auto count = [&next](const char* word) {
    const std::string line = next();
    Words words(line);
    words.keyword(word);
    return words.integer("a count", 1, 1000);
  };
  const auto numbers = [&next](const char* word, auto& out) {
    const std::string line = next();
    Words words(line);
    words.keyword(word);
    words.numbers(out, word);
    words.end();
  };
  Figure f;
  const int links = count("figure");
  for (int i = 1; i <= links; ++i) f.links.links.push_back(marey::peers::parse_link(next(), i));
  numbers("gravity", f.links.gravity);
  const auto nv = static_cast<size_t>(f.links.nv());
  f.start.q.resize(static_cast<size_t>(f.links.nq()));
  for (std::vector<double>* v : {&f.start.v, &f.start.tau, &f.start.vdot, &f.damping}) v->assign(nv, 0.0);
  std::array<double, 1> friction{}, step{};
  numbers("q", f.start.q), numbers("v", f.start.v), numbers("damping", f.damping);
  numbers("friction", friction), numbers("step", step);
  f.friction = friction[0], f.step = step[0];
  f.solids.resize(static_cast<size_t>(count("solids")));
  for (Solid& s : f.solids) {
    const std::string line = next();
    Words words(line);
    s.link = static_cast<size_t>(words.integer("a link", 0, links - 1));
    s.capsule = words.next("a solid") == "capsule";
    words.numbers(s.radii, "radii"), words.numbers(s.quat_BS, "a quaternion"), words.numbers(s.p_BoSo_B, "a position");
  }
  return f;
}

inline Figure read_figure(const char* file) {
  std::ifstream in(file);
  return read_figure(in);
}

inline double mass_of(const Figure& f) {
  double m = 0;
  for (const marey::peers::PeerLink& link : f.links.links) m += link.mass;
  return m;
}

}  // namespace lying
