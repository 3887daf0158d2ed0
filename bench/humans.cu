// The proof of "one source, every scalar" on a GPU: a million humans of 39 degrees of freedom, one thread each, stepped by the
// very kernels the host solver is made of (marey/batch/human_step.h), against the double solver on the host.
//
//   cmake --preset cuda && cmake --build --preset cuda --target bench_humans && build/cuda/bin/bench_humans [--json]
//
// Two ways of running: many steps fused in one launch, and one step per launch with fresh torques read from memory. State
// lives in shared memory [field][thread] during a launch and in global memory [field][world] between launches.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "marey/batch/human_step.h"
#include "support/figures.h"
#include "support/random_figure.h"

namespace marey::batch {
namespace {

constexpr int fields = HumanTree::nq + HumanTree::nv;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

template <int Threads, int Blocks, bool Forgets, bool WithTau>
__global__ void __launch_bounds__(Threads, Blocks)
    step_humans(const __grid_constant__ HumanParams<float> human, float h, int steps, int worlds, float* state,
                const float* tau) {
  extern __shared__ float shared[];
  const int world = blockIdx.x * Threads + threadIdx.x;
  if (world >= worlds) return;
  const Column<float> q{shared + threadIdx.x, Threads}, v{shared + HumanTree::nq * Threads + threadIdx.x, Threads};
  const Column<float> torque{const_cast<float*>(tau) + world,
                             worlds};  // read only: step_human takes one kind of column
  for (int k = 0; k < fields; ++k)
    shared[k * Threads + threadIdx.x] = state[static_cast<std::size_t>(k) * worlds + world];
  for (int s = 0; s < steps; ++s) step_human<float, Forgets>(human, h, WithTau, torque, q, v);
  for (int k = 0; k < fields; ++k)
    state[static_cast<std::size_t>(k) * worlds + world] = shared[k * Threads + threadIdx.x];
}

struct Variant {
  const char* name;
  int threads;
  const void* kernel;
};
template <int Threads, int Blocks, bool Forgets, bool WithTau>
Variant variant(const char* name) {
  return {name, Threads, reinterpret_cast<const void*>(&step_humans<Threads, Blocks, Forgets, WithTau>)};
}

// Random attitudes and velocities of one human, in the tree's own order.
std::vector<double> random_human(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(fields);
  for (int i = 1; i < HumanTree::links; ++i) {
    double* q = x.data() + HumanTree::q(i);
    q[0] = 1, q[1] = 0.3 * normal(random), q[2] = 0.3 * normal(random), q[3] = 0.3 * normal(random);
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] /= length;
  }
  for (int k = 0; k < HumanTree::nv; ++k) x[HumanTree::nq + k] = 0.5 * normal(random);
  return x;
}

struct Bench {
  Bench(int worlds, bool json) : worlds(worlds), json(json) {
    const Model model = freeze(figures::human39());
    int link_of[HumanTree::links];
    exact = human_params(model, link_of);
    exact.gravity = {0, 0, 0};
    // No cast<float>() here: that one is instantiated with the library's other scalars.
    for (int i = 0; i < HumanTree::links; ++i) human.links[i] = to_float(exact.links[i]);
    std::mt19937_64 random(1);
    for (int w = 0; w < samples; ++w) first.push_back(random_human(random));
    start.resize(static_cast<std::size_t>(fields) * worlds);
    for (int w = 0; w < worlds; ++w)
      for (int k = 0; k < fields; ++k)
        start[static_cast<std::size_t>(k) * worlds + w] = static_cast<float>(first[w % samples][k]);
    check(cudaMalloc(&state, start.size() * sizeof(float)), "state");
    check(cudaMalloc(&tau, static_cast<std::size_t>(HumanTree::nv) * worlds * sizeof(float)), "torques");
    check(cudaMemset(tau, 0, static_cast<std::size_t>(HumanTree::nv) * worlds * sizeof(float)), "torques");
  }

  static Vec3<float> to_float(const Vec3<double>& a) { return {float(a.x), float(a.y), float(a.z)}; }
  static LinkParams<float> to_float(const LinkParams<double>& p) {
    LinkParams<float> out;
    const Sym3<double>& J = p.I.J;
    out.I = {
        float(p.I.m), to_float(p.I.h), {float(J.xx), float(J.yy), float(J.zz), float(J.xy), float(J.xz), float(J.yz)}};
    out.l = to_float(p.l);
    return out;
  }

  void reset() { check(cudaMemcpy(state, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice), "copy"); }

  void launch(const Variant& v, int steps, float h) {
    const std::size_t bytes = static_cast<std::size_t>(fields) * v.threads * sizeof(float);
    int n = worlds;
    float* t = tau;
    void* arguments[] = {&human, &h, &steps, &n, &state, &t};
    check(cudaLaunchKernel(v.kernel, dim3((worlds + v.threads - 1) / v.threads), dim3(v.threads), arguments, bytes,
                           nullptr),
          v.name);
  }
  // Microseconds of a launch, the best of several.
  double time(const Variant& v, int steps) {
    check(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, fields * v.threads * 4), v.name);
    cudaEvent_t a, b;
    cudaEventCreate(&a), cudaEventCreate(&b);
    float best = 1e30f;
    for (int round = 0; round < 8; ++round) {
      reset();
      launch(v, steps, 1e-4f);  // warm
      cudaEventRecord(a);
      launch(v, steps, 1e-4f);
      cudaEventRecord(b);
      check(cudaEventSynchronize(b), v.name);
      float ms = 0;
      cudaEventElapsedTime(&ms, a, b);
      best = std::min(best, ms);
    }
    cudaEventDestroy(a), cudaEventDestroy(b);
    return 1e3 * best;
  }
  // Largest difference of any quaternion component or position (m) from the double solver after `steps` steps.
  double error(const Variant& v, int steps, double h) {
    reset();
    for (int s = 0; s < steps; s += 100) launch(v, 100, static_cast<float>(h));
    std::vector<float> end(start.size());
    check(cudaMemcpy(end.data(), state, end.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy back");
    double worst = 0;
    for (int w = 0; w < samples; ++w) {
      std::vector<double> x = first[w];
      for (int k = 0; k < fields; ++k) x[k] = static_cast<float>(x[k]);
      const Column<double> q{x.data(), 1}, qd{x.data() + HumanTree::nq, 1};
      for (int s = 0; s < steps; ++s) step_human<double, false>(exact, h, false, q, q, qd);
      for (int k = 0; k < HumanTree::nq; ++k)
        worst = std::max(worst, std::abs(x[k] - double(end[static_cast<std::size_t>(k) * worlds + w])));
    }
    return worst;
  }
  void row(const char* subject, const char* metric, double value, const char* unit) {
    if (json) {
      std::printf(
          "%s{\"case\": \"human39\", \"subject\": \"%s\", \"metric\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}",
          rows++ ? ",\n " : "[", subject, metric, value, unit);
    } else {
      std::printf("%-44s %-34s %12.5g %s\n", subject, metric, value, unit);
    }
  }
  void run(const Variant& fused, const Variant& single) {
    cudaFuncAttributes a;
    check(cudaFuncGetAttributes(&a, fused.kernel), fused.name);
    row(fused.name, "registers", a.numRegs, "per thread");
    row(fused.name, "spilled and local memory", static_cast<double>(a.localSizeBytes), "bytes per thread");
    const double many = time(fused, 100) / 100, one = time(single, 1);
    row(fused.name, "step, 100 fused", many, "us");
    row(fused.name, "humans, 100 fused", worlds / many * 1e6, "human-steps/s");
    row(fused.name, "step, one per launch with torques", one, "us");
    row(fused.name, "humans, one per launch with torques", worlds / one * 1e6, "human-steps/s");
    row(fused.name, "error after 1000 steps of 0.1 ms", error(fused, 1000, 1e-4), "of a quaternion or m");
  }

  static constexpr int samples = 64;
  int worlds, rows = 0;
  bool json;
  HumanParams<double> exact;
  HumanParams<float> human{};
  std::vector<std::vector<double>> first;
  std::vector<float> start;
  float *state = nullptr, *tau = nullptr;
};

int run_benchmark(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  Bench bench(132 * 128 * 64, json);
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "no CUDA device");
  if (!json) std::printf("%s, %d humans of 39 degrees of freedom, float, no contact\n", device.name, bench.worlds);
  bench.run(variant<128, 2, true, false>("rotations anew, 128 threads x 2"),
            variant<128, 2, true, true>("with torques"));
  bench.run(variant<128, 2, false, false>("rotations kept, 128 threads x 2"),
            variant<128, 2, false, true>("with torques"));
  bench.run(variant<128, 3, true, false>("rotations anew, 128 threads x 3"),
            variant<128, 3, true, true>("with torques"));
  if (json) std::printf("]\n");
  return 0;
}

}  // namespace
}  // namespace marey::batch

int main(int argc, char** argv) { return marey::batch::run_benchmark(argc, argv); }
