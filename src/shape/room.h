// Room on the stack for n values, none of them set beforehand: filling it would cost more than most queries.
#pragma once

#include <cstddef>
#include <type_traits>

namespace marey {

template <class T, int n>
class Room {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  T& operator[](int i) { return reinterpret_cast<T*>(bytes_)[i]; }
  const T& operator[](int i) const { return reinterpret_cast<const T*>(bytes_)[i]; }
  T* begin() { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) std::byte bytes_[n * sizeof(T)];
};

}  // namespace marey
