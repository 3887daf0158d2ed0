// Readers of what motions are exported to, for the test of every format (exporters_test.cpp): a format is only as good as what comes
// back from it. A new one has its reader in a test file of its own, and says so once:
//   const exported::ReaderOf json{"json", read_json};
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace exported {

struct Table {
  std::vector<std::string> names;            // of the columns, with or without units
  std::vector<std::vector<double>> columns;  // what the format has no word for as NaN
};
// Throws, or fails the test, where the text is not legal.
using Reader = std::function<Table(const std::string&)>;

inline std::map<std::string, Reader>& readers() {
  static std::map<std::string, Reader> all;
  return all;
}
struct ReaderOf {
  ReaderOf(const char* format, Reader read) { readers()[format] = std::move(read); }
};

}  // namespace exported
