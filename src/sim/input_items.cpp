#include "marey/sim/input_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey {

ItemList input_list() {
  Channel values{"values",
                 "",
                 {},
                 "push: force and torque in world axes, then the point in the link's; drive: forces in "
                 "the joint's freedoms; number: which and what; command: target and time; limit: s"};
  for (std::size_t k = 0; k < Input{}.values.size(); ++k) values.columns.push_back(fmt::format("{}", k));
  return {"inputs",
          {{"t", "s", {""}, "when it was given"},
           {"step", "", {""}, "how many steps had been done"},
           {"kind", "", {""}, "0 push, 1 drive, 2 limit of steps, 3 number of an element, 4 command to a drive"},
           {"link", "", {""}, "the link, element or constraint"},
           std::move(values)},
          "what was done to the run from outside"};
}

void add_item(const Input& input, std::vector<double>& to) {
  to.insert(to.end(), {input.t, static_cast<double>(input.step), static_cast<double>(input.kind),
                       static_cast<double>(input.link)});
  to.insert(to.end(), input.values.begin(), input.values.end());
}

namespace {

// A whole number within a range; whatever else a damaged file holds is refused.
long long whole(double x, double least, double most, const char* what) {
  if (x >= least && x <= most && x == std::floor(x)) return static_cast<long long>(x);
  throw Error(ErrorKind::bad_input, fmt::format("found {} as {} of an input", x, what));
}

}  // namespace

Input input_of_item(std::span<const double> item) {
  Input input;
  if (item.size() != 4 + input.values.size())
    throw Error(ErrorKind::bad_input,
                fmt::format("found an input of {} numbers; expected {}", item.size(), 4 + input.values.size()));
  constexpr double last_kind = static_cast<double>(Input::Kind::command);
  input.t = item[0];
  input.step = whole(item[1], 0, 0x1p53, "the step");
  input.kind = static_cast<Input::Kind>(whole(item[2], 0, last_kind, "the kind"));
  input.link = static_cast<int>(whole(item[3], 0, 2147483647.0, "the link"));
  std::ranges::copy(item.subspan(4), input.values.begin());
  return input;
}

}  // namespace marey
