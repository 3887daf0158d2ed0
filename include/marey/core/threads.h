// Work that several threads share, with the same result however many there are.
//
// What is to be done is cut into pieces by its amount alone; a piece writes to places of its own, and what pieces find is put together in
// their order. So which thread takes which piece, and when, is nobody's business.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

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
    const auto take = [&](std::size_t piece, std::size_t slot) {
      f(piece, piece * size, std::min(n, (piece + 1) * size), slot);
    };
    if (count_ == 1 || all < 2)
      for (std::size_t piece = 0; piece < all; ++piece) take(piece, 0);
    else
      share(all, Work{&take, [](const void* what, std::size_t piece, std::size_t slot) {
                        (*static_cast<decltype(&take)>(what))(piece, slot);
                      }});
  }

 private:
  struct Work {
    const void* what;
    void (*take)(const void* what, std::size_t piece, std::size_t slot);
  };
  void share(std::size_t pieces, const Work&);

  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

// Cores that this process may use.
int cores();

}  // namespace marey
