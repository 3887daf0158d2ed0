// MAREY_HD marks functions that run on the host and, when compiled by nvcc, on the device.
#pragma once

#ifdef __CUDACC__
#define MAREY_HD __host__ __device__
#else
#define MAREY_HD
#endif
