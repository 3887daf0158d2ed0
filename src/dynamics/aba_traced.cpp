// The articulated-body algorithm for expressions, which it runs through once to be written down: there is no hurry, and as
// calls its kernels take half the time to compile.
#define MAREY_KERNELS_AS_CALLS
#include "dynamics/aba.inl"

namespace marey {

MAREY_FOR_EACH_TRACED(MAREY_INSTANTIATE_ABA)

}  // namespace marey
