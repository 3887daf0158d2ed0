// Asks another library about pairs of solids: shape_pairs.h says how. Each answers in a process of its own, with a time
// limit: some of them loop for ever now and then.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "marey/shape/convex.h"

namespace marey::bench {

inline std::string text_of(const Convex& c, const Transform<double>& X_WS) {
  std::string out = name_of(c.kind);
  const Vec3<double>&h = c.half, &p = X_WS.p;
  if (c.kind == ConvexKind::sphere) out += fmt::format(" {}", c.margin);
  if (c.kind == ConvexKind::capsule) out += fmt::format(" {} {}", c.margin, 2 * h.z);
  if (c.kind == ConvexKind::box) out += fmt::format(" {} {} {}", 2 * h.x, 2 * h.y, 2 * h.z);
  if (c.kind == ConvexKind::cylinder || c.kind == ConvexKind::cone) out += fmt::format(" {} {}", h.x, 2 * h.z);
  if (c.kind == ConvexKind::hull) {
    out += fmt::format(" {}", c.hull->vertices.size());
    for (const Vec3<double>& x : c.hull->vertices) out += fmt::format(" {} {} {}", x.x, x.y, x.z);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out += fmt::format(" {}", X_WS.R(i, j));
  return out + fmt::format(" {} {} {}", p.x, p.y, p.z);
}
inline bool known_to_peers(ConvexKind k) { return k != ConvexKind::plane && k != ConvexKind::ellipsoid; }

inline std::string path_of_peer(const char* program) { return std::string(MAREY_BIN_DIR) + "/" + program; }
inline bool is_there(const char* program) { return access(path_of_peer(program).c_str(), X_OK) == 0; }

struct PeerAnswer {
  double nanoseconds = 0;         // of a pair
  std::vector<double> distances;  // NaN where it found none
};
// `lines`: one for each pair. Nothing where the program is not there, fails, or takes longer than `seconds`; `once`: the
// time does not matter, and what was answered until then counts.
inline std::optional<PeerAnswer> ask_peer(const char* program, const std::vector<std::string>& lines, double seconds,
                                          bool once = false) {
  if (!is_there(program)) return {};
  char name[] = "/tmp/marey_shapes_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return {};
  std::string text = fmt::format("{}\n", lines.size());
  for (const std::string& line : lines) text += line + "\n";
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  const std::string command =
      fmt::format("timeout {} '{}' {} < {} 2>/dev/null", seconds, path_of_peer(program), once ? "once" : "", name);
  FILE* pipe = written ? popen(command.c_str(), "r") : nullptr;
  PeerAnswer answer;
  if (pipe && std::fscanf(pipe, "nanoseconds %lf", &answer.nanoseconds) == 1) {
    double d = 0;
    while (answer.distances.size() < lines.size() && std::fscanf(pipe, "%lf", &d) == 1) answer.distances.push_back(d);
  }
  if (pipe) pclose(pipe);
  unlink(name);
  if (!once && answer.distances.size() < lines.size()) return {};
  return answer;
}

}  // namespace marey::bench
