#include "io/motion/copy.h"

#include <algorithm>

namespace marey {

void copy_numbers(const MotionInfo& info, const Tables& tables, const Written& from, const Written& to) {
  constexpr std::size_t largest_piece = std::size_t{1} << 20;
  std::vector<char> buffer;
  const auto copy = [&](std::size_t from_at, std::size_t to_at, std::size_t count) {
    if (buffer.size() < count) buffer.resize(std::min(count, largest_piece));
    for (std::size_t n = 0; count > 0; from_at += n, to_at += n, count -= n) {
      n = std::min(count, buffer.size());
      from.file.read(from_at, buffer.data(), n);
      to.file.write(to_at, buffer.data(), n);
    }
  };
  const Layout &here = from.layout, &there = to.layout;
  const Progress &now = from.progress, &then = to.progress;
  for (std::size_t t = 0; t < tables.all.size(); ++t)
    copy(here.tables[t], there.tables[t], 8 * now.frames * tables.all[t].width);
  for (std::size_t l = 0; l < info.lists.size(); ++l) {
    copy(here.lists[l].items, there.lists[l].items, 8 * now.items[l] * info.lists[l].width());
    copy(here.lists[l].ends, there.lists[l].ends, 8 * now.frames);
  }
  if (now.checkpoint_slot != 0)
    copy(here.checkpoint_slot(now.checkpoint_slot), there.checkpoint_slot(then.checkpoint_slot), now.checkpoint_bytes);
  copy(here.summary, there.summary, now.summary_bytes);
  to.file.write(there.progress_record(then.sequence), &then, sizeof then);
}

}  // namespace marey
