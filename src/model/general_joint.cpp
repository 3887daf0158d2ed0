// General joints: instantiations of the kernel.
#include "marey/model/general_motion.inl"
#include "marey/scalar/instantiate.h"

namespace marey {

template <class T>
void general_motion(const GeneralJoint& joint, const GeneralParams<T>& params, const T* q, const T* v,
                    GeneralMotion<T>& m) {
  general::motion(joint, params, q, v, m);
}

#define MAREY_INSTANTIATE(T) \
  template void general_motion(const GeneralJoint&, const GeneralParams<T>&, const T*, const T*, GeneralMotion<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
