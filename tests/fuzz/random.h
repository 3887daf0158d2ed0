// Chance that can be repeated: a seed and the number of a case give the same numbers on every machine. (The
// distributions of the standard library do not: each library has its own.)
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace marey::fuzz {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) : state_(seed * 0x9e3779b97f4a7c15u + number) { bits(), bits(); }

  // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 … n − 1; 0 where there is nothing to choose from.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  const char* of(std::initializer_list<const char*> items) { return items.begin()[below(items.size())]; }

 private:
  std::uint64_t state_;
};

}  // namespace marey::fuzz
