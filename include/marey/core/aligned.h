// Numbers aligned to the size of a register, so that no pack of them straddles two cache lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace marey {

template <class T, std::size_t bytes>
struct AlignedAllocator {
  using value_type = T;
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard's name
    using other = AlignedAllocator<U, bytes>;
  };
  AlignedAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor)
  AlignedAllocator(const AlignedAllocator<U, bytes>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(bytes))); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(bytes)); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedDoubles = std::vector<double, AlignedAllocator<double, 64>>;

}  // namespace marey
