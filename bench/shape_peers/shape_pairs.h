// What bench_shapes tells another library: pairs of convex solids, one a line, on standard input; and how it answers.
//
//   N
//   kind a, its numbers, its pose (nine of R_WA by rows, three of its place), the same of b         N times
//   kinds: sphere r | capsule r length | box x y z | cylinder r length | cone r length | hull n, 3 n coordinates of vertices
// With an argument `once` each pair is asked once, and answered at once: what it gets to before it hangs counts.
// Answer: a line "nanoseconds T" (the mean of the best round), then for each pair its signed distance, "nan" for none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace marey::bench {

struct PeerSolid {
  std::string kind;
  std::vector<double> numbers;
  double R[9], p[3];
};
struct PeerPair {
  PeerSolid a, b;
};

inline PeerSolid read_solid() {
  PeerSolid s;
  std::cin >> s.kind;
  int n = s.kind == "sphere" ? 1 : s.kind == "box" ? 3 : 2;
  if (s.kind == "hull") std::cin >> n, n *= 3;
  s.numbers.resize(static_cast<size_t>(n));
  for (double& x : s.numbers) std::cin >> x;
  for (double& x : s.R) std::cin >> x;
  for (double& x : s.p) std::cin >> x;
  return s;
}
inline std::vector<PeerPair> read_pairs() {
  int n = 0;
  std::cin >> n;
  std::vector<PeerPair> pairs;
  for (int k = 0; k < n && std::cin; ++k) {
    PeerPair p;
    p.a = read_solid(), p.b = read_solid();
    pairs.push_back(p);
  }
  return pairs;
}

// query(k) computes pair k and returns its signed distance.
template <class Query>
void answer(size_t pairs, bool once, Query query) {
  if (once) {
    std::printf("nanoseconds 0\n");
    for (size_t k = 0; k < pairs; ++k) std::printf("%.17g\n", query(k)), std::fflush(stdout);
    return;
  }
  std::vector<double> found(pairs);
  double best = 1e300;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (size_t k = 0; k < pairs; ++k) found[k] = query(k);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("nanoseconds %.17g\n", 1e9 * best / static_cast<double>(pairs));
  for (const double d : found) std::printf("%.17g\n", d);
}

}  // namespace marey::bench
