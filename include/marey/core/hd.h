// MAREY_HD marks a function that runs on the host and, when compiled by nvcc, on the device too.
#pragma once

#if defined(__CUDACC__)
#define MAREY_HD __host__ __device__
#else
#define MAREY_HD
#endif
