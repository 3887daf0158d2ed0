// MAREY_HD marks functions that run on the host and, when compiled by nvcc, on the device.
// MAREY_UNROLL asks nvcc to unroll a loop over links wholly, so that their numbers live in registers.
#pragma once

#ifdef __CUDACC__
#define MAREY_HD __host__ __device__
#else
#define MAREY_HD
#endif

#ifdef __CUDA_ARCH__
#define MAREY_UNROLL _Pragma("unroll")
#else
#define MAREY_UNROLL
#endif
