// Kernels of control.py. Generated: edit that file, not this one.
#ifndef CONTROL_H
#define CONTROL_H

#include "transpiler_runtime.h"

#ifdef __cplusplus
namespace control {

/// Where control flow goes.
///
/// Loops of every kind.
///
/// Indented:
///     a \ backslash stays, */ too.
///
/// Parameters:
///   x: In[f32, N]
///   y: Out[f32, N]
///   out: Out[i32, N]
///   n: i32
///   s: i32
///
/// Block: (256, 1, 1)
///
/// loops_launch checks all that and starts the kernel; loops_contract only checks.
transpiler::status loops_launch(
    transpiler::view<const float, 1> x,
    transpiler::view<float, 1> y,
    transpiler::view<int32_t, 1> out,
    int32_t n,
    int32_t s,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status loops_contract(
    transpiler::view<const float, 1> x,
    transpiler::view<float, 1> y,
    transpiler::view<int32_t, 1> out,
    int32_t n,
    int32_t s,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void loops(
    const float* __restrict__ x,
    float* __restrict__ y,
    int* __restrict__ out,
    int n,
    int s,
    long long N);
#endif
/// Threads of a block of loops in x, y, z; 0 where the launch chooses.
constexpr unsigned int loops_block[3] = {256, 1, 1};

/// Parameters:
///   x: InOut[f32, x.shape[0], x.shape[1]]
///
/// Block: (any, any, 1)
///
/// free_block_launch checks all that and starts the kernel; free_block_contract only checks.
transpiler::status free_block_launch(
    transpiler::view<float, 2> x,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status free_block_contract(
    transpiler::view<float, 2> x,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void free_block(
    float* __restrict__ x,
    long long x_shape0,
    long long x_shape1);
#endif
/// Threads of a block of free_block in x, y, z; 0 where the launch chooses.
constexpr unsigned int free_block_block[3] = {0, 0, 1};

}  // namespace control

extern "C" {
#endif

/* The same for C, Rust and others: each returns a code of enum transpiler_code. `options` and `status` may be null. */

int control_loops_launch(
    const float* x,
    int64_t x_shape0,
    float* y,
    int64_t y_shape0,
    int32_t* out,
    int64_t out_shape0,
    int32_t n,
    int32_t s,
    const transpiler_launch* options,
    transpiler_status* status);
int control_loops_contract(
    const float* x,
    int64_t x_shape0,
    float* y,
    int64_t y_shape0,
    int32_t* out,
    int64_t out_shape0,
    int32_t n,
    int32_t s,
    const transpiler_launch* options,
    transpiler_status* status);

int control_free_block_launch(
    float* x,
    int64_t x_shape0,
    int64_t x_shape1,
    const transpiler_launch* options,
    transpiler_status* status);
int control_free_block_contract(
    float* x,
    int64_t x_shape0,
    int64_t x_shape1,
    const transpiler_launch* options,
    transpiler_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* CONTROL_H */
