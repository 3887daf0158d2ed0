#include "marey/core/threads.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>

namespace marey {

struct Threads::Arena {
  explicit Arena(int count) : arena(count) {
    if (count > cores()) allowed.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  }
  std::optional<tbb::global_control> allowed;  // as many as were asked for, also where there are fewer cores
  tbb::task_arena arena;
};

Threads::Threads(int count)
    : count_(std::max(count, 1)), arena_(count_ > 1 ? std::make_unique<Arena>(count_) : nullptr) {}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

void Threads::share(std::size_t pieces, const Work& work) {
  arena_->arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t piece) {
      work.take(work.what, piece, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    });
  });
}

int cores() { return std::max(1, tbb::info::default_concurrency()); }

}  // namespace marey
