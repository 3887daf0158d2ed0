// Numbers by chance from a seed, for scenes by chance. Draw them into names, one after another: compilers are free in the order in
// which they work out the arguments of a call, and a scene is to be the same for all of them.
#pragma once

#include <random>

namespace marey {

class Chance {
 public:
  explicit Chance(unsigned seed) : chance_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution(low, high)(chance_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(chance_); }
  // Zero every other time.
  double perhaps(double low, double high) {
    const int is = whole(0, 1);
    const double what = number(low, high);
    return is * what;
  }

 private:
  std::mt19937 chance_;
};

}  // namespace marey
