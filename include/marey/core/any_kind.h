// A value of any kind, with what is known of its kind beside it.
#pragma once

#include <any>
#include <type_traits>
#include <utility>

namespace marey {

// K is any kind for which there is a function `const Law& law_of(const K*)` in the namespace of K.
template <class Law>
class AnyKind {
 public:
  template <class K>
  // NOLINTNEXTLINE(google-explicit-constructor): an element is {name, Push{…}}
  requires(!std::is_same_v<K, AnyKind>) AnyKind(K value)
      : value_(std::move(value)), law_(&law_of(static_cast<const K*>(nullptr))) {}

  // The value, where it is of this kind; else nullptr.
  template <class K>
  const K* get_if() const {
    return std::any_cast<K>(&value_);
  }
  template <class K>
  K* get_if() {
    return std::any_cast<K>(&value_);
  }
  const Law& law() const { return *law_; }

 private:
  std::any value_;
  const Law* law_;
};

}  // namespace marey
