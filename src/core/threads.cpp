#include "marey/core/threads.h"

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace marey {

namespace {

// How often is looked before who waits goes to sleep: about 50 µs, where there is a core for everybody.
constexpr int looks = 1000;

void breathe() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// What is to be taken next, in one number, so that it is taken from the call it belongs to or not at all: the number of the call, how many
// pieces it has, and the next one.
struct Ticket {
  static constexpr int bits = 20;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t value = 0;

  std::uint64_t next() const { return value & mask; }
  std::uint64_t pieces() const { return value >> bits & mask; }
  bool any() const { return next() < pieces(); }
  static Ticket of_call_after(Ticket last, std::size_t pieces) {
    return {((last.value >> 2 * bits) + 1) << 2 * bits | pieces << bits};
  }
};

}  // namespace

struct Threads::Team {
  explicit Team(int others) : patience(others < cores() ? looks : 0) {
    threads.reserve(static_cast<std::size_t>(others));
    for (int i = 0; i < others; ++i)
      threads.emplace_back([this, i] { wait_and_work(static_cast<std::size_t>(i) + 1); });
  }
  ~Team() {
    ended.store(true, std::memory_order_relaxed);
    tickets.fetch_add(std::uint64_t{1} << 2 * Ticket::bits, std::memory_order_release);  // a call without pieces
    tickets.notify_all();
    for (std::thread& t : threads) t.join();
  }

  void wait_and_work(std::size_t slot) {
    while (true) {
      const Ticket seen = wait_for_pieces();
      if (ended.load(std::memory_order_relaxed)) return;
      if (seen.any()) take_all(slot);
    }
  }
  Ticket wait_for_pieces() {
    for (int look = 0; look < patience; ++look, breathe())
      if (const Ticket seen{tickets.load(std::memory_order_acquire)};
          seen.any() || ended.load(std::memory_order_relaxed))
        return seen;
    Ticket seen{tickets.load(std::memory_order_acquire)};
    if (!seen.any() && !ended.load(std::memory_order_relaxed)) {
      tickets.wait(seen.value, std::memory_order_acquire);
      seen = {tickets.load(std::memory_order_acquire)};
    }
    return seen;
  }
  // Until there are no more. `what` and `take` are those of the ticket where it is taken: the call does not end before its pieces.
  // Pieces come after the call and not after each other: nothing is released by taking one.
  void take_all(std::size_t slot) {
    Ticket seen{tickets.load(std::memory_order_acquire)};
    while (seen.any()) {
      const void* const of = what.load(std::memory_order_relaxed);
      const auto with = take.load(std::memory_order_relaxed);
      if (!tickets.compare_exchange_weak(seen.value, seen.value + 1, std::memory_order_acquire)) continue;
      const std::size_t piece = seen.next();
      try {
        with(of, piece, slot);
      } catch (...) {
        const std::lock_guard lock(of_thrown);
        if (!thrown || piece < piece_thrown) thrown = std::current_exception(), piece_thrown = piece;
      }
      if (left.fetch_sub(1, std::memory_order_release) == 1) left.notify_one();
      seen = {tickets.load(std::memory_order_acquire)};
    }
  }
  void share(std::size_t pieces, const Work& work) {
    what.store(work.what, std::memory_order_relaxed), take.store(work.take, std::memory_order_relaxed);
    left.store(static_cast<std::uint32_t>(pieces), std::memory_order_relaxed);
    const Ticket last{tickets.load(std::memory_order_relaxed)};
    tickets.store(Ticket::of_call_after(last, pieces).value, std::memory_order_release);
    tickets.notify_all();
    take_all(0);
    for (int look = 0; look < patience && left.load(std::memory_order_acquire) > 0; ++look) breathe();
    for (std::uint32_t n = left.load(std::memory_order_acquire); n > 0; n = left.load(std::memory_order_acquire))
      left.wait(n, std::memory_order_acquire);
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }

  const int patience;
  alignas(64) std::atomic<std::uint64_t> tickets = 0;
  std::atomic<const void*> what = nullptr;
  std::atomic<void (*)(const void*, std::size_t, std::size_t)> take = nullptr;
  std::atomic<bool> ended = false;
  alignas(64) std::atomic<std::uint32_t> left = 0;
  std::mutex of_thrown;
  std::exception_ptr thrown;
  std::size_t piece_thrown = 0;
  std::vector<std::thread> threads;
};

Threads::Threads(int count) : count_(std::max(count, 1)) {}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

void Threads::share(std::size_t pieces, const Work& work) {
  if (!team_) team_ = std::make_unique<Team>(count_ - 1);
  team_->share(pieces, work);
}

int cores() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 1;
}

}  // namespace marey
