// Work that several threads share, with the same result however many there are.
//
// What is to be done is cut into pieces by its amount alone; a piece writes to places of its own, and what pieces find is put together in
// their order. So which thread takes which piece, and when, is nobody's business.
//
// Threads wait for the next call by looking for it for a short while, and sleep then: the calls of a step follow each other by a few
// microseconds, and waking who sleeps takes more. A call whose pieces are taken before another thread has come costs next to nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace marey {

class Threads {
 public:
  // 1: the thread that calls, and no other. The others begin with the first call that has something for them.
  explicit Threads(int count = 1);
  ~Threads();
  Threads(Threads&&) noexcept;
  Threads& operator=(Threads&&) noexcept;

  int count() const { return count_; }
  static std::size_t pieces(std::size_t n, std::size_t size) { return (n + size - 1) / size; }

  // f(piece, from, to, slot) for the pieces [from, to) of n, each of `size` but the last. Pieces that are under way at the same time have
  // different slots below count(): where scratch memory is. What is thrown arrives when all have ended, that of the first piece that
  // threw. Not to be called by pieces.
  template <class F>
  void in_pieces(std::size_t n, std::size_t size, F&& f) {
    const std::size_t all = pieces(n, size);
    if (count_ == 1 || all < 2 || all >= most_pieces) {
      for (std::size_t piece = 0; piece < all; ++piece) f(piece, piece * size, std::min(n, (piece + 1) * size), 0);
      return;
    }
    const auto take = [&](std::size_t piece, std::size_t slot) {
      f(piece, piece * size, std::min(n, (piece + 1) * size), slot);
    };
    share(all, Work{&take, [](const void* what, std::size_t piece, std::size_t slot) {
                      (*static_cast<decltype(&take)>(what))(piece, slot);
                    }});
  }

 private:
  struct Work {
    const void* what;
    void (*take)(const void* what, std::size_t piece, std::size_t slot);
  };
  static constexpr std::size_t most_pieces = std::size_t{1} << 20;
  void share(std::size_t pieces, const Work&);

  struct Team;
  int count_;
  std::unique_ptr<Team> team_;
};

// Cores that this process may use.
int cores();

}  // namespace marey
