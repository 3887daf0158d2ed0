// MAREY_HD marks functions that run on the host and, when compiled by nvcc, on the device.
// MAREY_KERNEL does the same for the small algebra that must become part of its caller: left to itself, gcc keeps some
// of it as calls that pass matrices through memory, which costs a third of a solver's time.
// MAREY_ALWAYS does it for a lambda.
// MAREY_UNROLL asks nvcc to unroll a loop over links wholly, so that their numbers live in registers.
#pragma once

#ifdef __CUDACC__
#define MAREY_HD __host__ __device__
#define MAREY_KERNEL __host__ __device__ __forceinline__
#define MAREY_ALWAYS
#elif defined(MAREY_KERNELS_AS_CALLS) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Instrumented kernels are so large that inlining them all would take minutes to compile. A file for which speed does not
// count says MAREY_KERNELS_AS_CALLS before it includes anything.
#define MAREY_HD
#define MAREY_KERNEL inline
#define MAREY_ALWAYS
#else
#define MAREY_HD
#define MAREY_KERNEL inline __attribute__((always_inline))
#define MAREY_ALWAYS __attribute__((always_inline))
#endif

#ifdef __CUDA_ARCH__
#define MAREY_UNROLL _Pragma("unroll")
#else
#define MAREY_UNROLL
#endif
