// Something done when a scope is left, in whatever way.
#pragma once

#include <utility>

namespace marey {

template <class Action>
class Afterwards {
 public:
  explicit Afterwards(Action action) : action_(std::move(action)) {}
  ~Afterwards() { action_(); }
  Afterwards(const Afterwards&) = delete;
  Afterwards& operator=(const Afterwards&) = delete;

 private:
  Action action_;
};

}  // namespace marey
