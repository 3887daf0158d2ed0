#include "dynamics/aba.inl"

namespace marey {

MAREY_FOR_EACH_NUMBER(MAREY_INSTANTIATE_ABA)

}  // namespace marey
