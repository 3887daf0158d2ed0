// Work that several threads share, with the same result however many there are.
//
// What is to be done is cut into pieces by its amount alone; a piece writes to places of its own, and what pieces find is put together in
// their order. So which thread takes which piece, and when, is nobody's business.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

// What the thread sanitizer is told of who waits for whom, since it does not see into the library that shares work out: pieces come after
// the call and before its end, and not one after the other.
#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void*);  // NOLINT(bugprone-reserved-identifier): the sanitizer's
extern "C" void __tsan_release(void*);  // NOLINT(bugprone-reserved-identifier)
#endif

namespace marey {

class Threads {
 public:
  // 1: the thread that calls, and no other.
  explicit Threads(int count = 1);
  ~Threads();
  Threads(Threads&&) noexcept;
  Threads& operator=(Threads&&) noexcept;

  int count() const { return count_; }
  static std::size_t pieces(std::size_t n, std::size_t size) { return (n + size - 1) / size; }

  // f(piece, from, to, slot) for the pieces [from, to) of n, each of `size` but the last. Pieces that are under way at the same time have
  // different slots below count(): where scratch memory is.
  template <class F>
  void in_pieces(std::size_t n, std::size_t size, F&& f) {
    const std::size_t all = pieces(n, size);
    if (count_ == 1 || all < 2) {
      for (std::size_t piece = 0; piece < all; ++piece) f(piece, piece * size, std::min(n, (piece + 1) * size), 0);
      return;
    }
    char ended = 0;
    const auto take = [&](std::size_t piece, std::size_t slot) {
      f(piece, piece * size, std::min(n, (piece + 1) * size), slot);
      before(&ended);
    };
    before(&take);
    share(all, Work{&take, [](const void* what, std::size_t piece, std::size_t slot) {
                      after(what);
                      (*static_cast<decltype(&take)>(what))(piece, slot);
                    }});
    after(&ended);
  }

 private:
  struct Work {
    const void* what;
    void (*take)(const void* what, std::size_t piece, std::size_t slot);
  };
  void share(std::size_t pieces, const Work&);
#if defined(__SANITIZE_THREAD__)
  static void before(const void* event) { __tsan_release(const_cast<void*>(event)); }
  static void after(const void* event) { __tsan_acquire(const_cast<void*>(event)); }
#else
  static void before(const void*) {}
  static void after(const void*) {}
#endif

  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

// Cores that this process may use.
int cores();

}  // namespace marey
