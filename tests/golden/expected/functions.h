// Kernels of functions.py. Generated: edit that file, not this one.
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "transpiler_runtime.h"

#ifdef __cplusplus
namespace functions {

/// Instance: K = 2
///
/// Parameters:
///   this_: In[f32, N, 8]
///   register_: InOut[f32, N]
///   alpha: f32
///
/// Block: (128, 1, 1)
///
/// named_2_launch checks all that and starts the kernel; named_2_contract only checks.
transpiler::status named_2_launch(
    transpiler::view<const float, 2> this_,
    transpiler::view<float, 1> register_,
    float alpha,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status named_2_contract(
    transpiler::view<const float, 2> this_,
    transpiler::view<float, 1> register_,
    float alpha,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void named_2(
    const float* __restrict__ this_,
    float* __restrict__ register_,
    float alpha,
    long long N);
#endif
/// Threads of a block of named_2 in x, y, z; 0 where the launch chooses.
constexpr unsigned int named_2_block[3] = {128, 1, 1};

/// Instance: K = 3
///
/// Parameters:
///   this_: In[f32, N, 8]
///   register_: InOut[f32, N]
///   alpha: f32
///
/// Block: (128, 1, 1)
///
/// named_3_launch checks all that and starts the kernel; named_3_contract only checks.
transpiler::status named_3_launch(
    transpiler::view<const float, 2> this_,
    transpiler::view<float, 1> register_,
    float alpha,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status named_3_contract(
    transpiler::view<const float, 2> this_,
    transpiler::view<float, 1> register_,
    float alpha,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void named_3(
    const float* __restrict__ this_,
    float* __restrict__ register_,
    float alpha,
    long long N);
#endif
/// Threads of a block of named_3 in x, y, z; 0 where the launch chooses.
constexpr unsigned int named_3_block[3] = {128, 1, 1};

/// Parameters:
///   x: Out[f32, N]
///   n: i32
///
/// Block: (32, 1, 1)
///
/// spoken_launch checks all that and starts the kernel; spoken_contract only checks.
transpiler::status spoken_launch(
    transpiler::view<float, 1> x,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status spoken_contract(
    transpiler::view<float, 1> x,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void spoken(
    float* __restrict__ x,
    int n,
    long long N,
    long long* failure);
#endif
/// Threads of a block of spoken in x, y, z; 0 where the launch chooses.
constexpr unsigned int spoken_block[3] = {32, 1, 1};

}  // namespace functions

extern "C" {
#endif

/* The same for C, Rust and others: each returns a code of enum transpiler_code. `options` and `status` may be null. */

int functions_named_2_launch(
    const float* this_,
    int64_t this_shape0,
    int64_t this_shape1,
    float* register_,
    int64_t register_shape0,
    float alpha,
    const transpiler_launch* options,
    transpiler_status* status);
int functions_named_2_contract(
    const float* this_,
    int64_t this_shape0,
    int64_t this_shape1,
    float* register_,
    int64_t register_shape0,
    float alpha,
    const transpiler_launch* options,
    transpiler_status* status);

int functions_named_3_launch(
    const float* this_,
    int64_t this_shape0,
    int64_t this_shape1,
    float* register_,
    int64_t register_shape0,
    float alpha,
    const transpiler_launch* options,
    transpiler_status* status);
int functions_named_3_contract(
    const float* this_,
    int64_t this_shape0,
    int64_t this_shape1,
    float* register_,
    int64_t register_shape0,
    float alpha,
    const transpiler_launch* options,
    transpiler_status* status);

int functions_spoken_launch(
    float* x,
    int64_t x_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);
int functions_spoken_contract(
    float* x,
    int64_t x_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* FUNCTIONS_H */
