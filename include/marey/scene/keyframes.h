// Tables of keyframes: one line for each, what joints do in columns.
#pragma once

#include <string>
#include <vector>

namespace marey {

struct KeyframeTable {
  enum class Kind { unknown, angle, length };  // by the unit; without one it is taken as SI
  struct Column {
    std::string name;  // "left_thigh.x"
    Kind kind = Kind::unknown;
    std::vector<double> values;  // SI
  };
  bool by_frames = false;     // the first column is called frame, and counts them; otherwise time, in s
  std::vector<double> times;  // or numbers of frames; ascending
  std::vector<Column> columns;
};

}  // namespace marey
