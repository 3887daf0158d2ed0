#include "marey/force/time_table_text.h"

#include <fmt/core.h>

namespace marey {

TimeTable read_table(const Value& node, const QuantityKind& kind, Range range) {
  if (node.kind != Value::Kind::list) return {{0}, {read_number(node, kind, range)}};
  const std::string expected =
      fmt::format("{}, or times and values: [[0 s, {}], [2 s, {}]]", kind.name, kind.example, kind.example);
  if (node.items.empty()) refuse_value(node, expected);
  TimeTable table;
  for (const ValuePtr& item : node.items) {
    check_count(*item, 2, expected);
    const double t = read_number(*item->items[0], kinds::time);
    if (!table.t.empty() && !(t > table.t.back()))
      refuse_value(*item->items[0], fmt::format("a time after {} s", table.t.back()));
    table.t.push_back(t);
    table.value.push_back(read_number(*item->items[1], kind, range));
  }
  return table;
}

}  // namespace marey
