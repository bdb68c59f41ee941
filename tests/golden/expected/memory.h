// Kernels of memory.py. Generated: edit that file, not this one.
#ifndef MEMORY_H
#define MEMORY_H

#include "transpiler_runtime.h"

#ifdef __cplusplus
namespace memory {

/// Parameters:
///   a: In[f32, M, N]
///   b: In[f32, M, N, FOrder]
///   c: In[f32, c.shape[0], c.shape[1], Strided]
///   d: Out[f32, M, N]
///   e: In[f32, 4, 8]
///
/// A launch must meet:
///   M % 16 == 0
///   N % 16 == 0
///
/// Block: (16, 16, 1)
/// Grid: (N // 16, M // 16)
///
/// orders_launch checks all that and starts the kernel; orders_contract only checks.
transpiler::status orders_launch(
    transpiler::view<const float, 2> a,
    transpiler::view<const float, 2, transpiler::column_major> b,
    transpiler::view<const float, 2, transpiler::strided> c,
    transpiler::view<float, 2> d,
    transpiler::view<const float, 2> e,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status orders_contract(
    transpiler::view<const float, 2> a,
    transpiler::view<const float, 2, transpiler::column_major> b,
    transpiler::view<const float, 2, transpiler::strided> c,
    transpiler::view<float, 2> d,
    transpiler::view<const float, 2> e,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void orders(
    const float* __restrict__ a,
    const float* __restrict__ b,
    const float* __restrict__ c,
    float* __restrict__ d,
    const float* __restrict__ e,
    long long M,
    long long N,
    long long c_stride0,
    long long c_stride1);
#endif
/// Threads of a block of orders in x, y, z; 0 where the launch chooses.
constexpr unsigned int orders_block[3] = {16, 16, 1};

/// Parameters:
///   x: In[f32, x.shape[0]]
///   y: Out[f64, y.shape[0]]
///   n: i32
///
/// A launch must meet:
///   n >= 0
///
/// Block: (64, 1, 1)
/// Dynamic shared memory in bytes: (8 * n * 2 + 4 * n + 15) // 16 * 16 + smem
///
/// dynamic_launch checks all that and starts the kernel; dynamic_contract only checks.
transpiler::status dynamic_launch(
    transpiler::view<const float, 1> x,
    transpiler::view<double, 1> y,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status dynamic_contract(
    transpiler::view<const float, 1> x,
    transpiler::view<double, 1> y,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void dynamic(
    const float* __restrict__ x,
    double* __restrict__ y,
    int n);
#endif
/// Threads of a block of dynamic in x, y, z; 0 where the launch chooses.
constexpr unsigned int dynamic_block[3] = {64, 1, 1};

/// Parameters:
///   c: Atomic[i32, 4]
///   u: Atomic[u32, 4]
///   w: Atomic[i64, 4]
///   f: Atomic[f32, 4]
///   out: Out[i32, N]
///
/// Block: (32, 1, 1)
///
/// atomics_launch checks all that and starts the kernel; atomics_contract only checks.
transpiler::status atomics_launch(
    transpiler::view<int32_t, 1> c,
    transpiler::view<uint32_t, 1> u,
    transpiler::view<int64_t, 1> w,
    transpiler::view<float, 1> f,
    transpiler::view<int32_t, 1> out,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status atomics_contract(
    transpiler::view<int32_t, 1> c,
    transpiler::view<uint32_t, 1> u,
    transpiler::view<int64_t, 1> w,
    transpiler::view<float, 1> f,
    transpiler::view<int32_t, 1> out,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void atomics(
    int* c,
    unsigned int* u,
    long long* w,
    float* f,
    int* __restrict__ out,
    long long N);
#endif
/// Threads of a block of atomics in x, y, z; 0 where the launch chooses.
constexpr unsigned int atomics_block[3] = {32, 1, 1};

}  // namespace memory

extern "C" {
#endif

/* The same for C, Rust and others: each returns a code of enum transpiler_code. `options` and `status` may be null. */

int memory_orders_launch(
    const float* a,
    int64_t a_shape0,
    int64_t a_shape1,
    const float* b,
    int64_t b_shape0,
    int64_t b_shape1,
    const float* c,
    int64_t c_shape0,
    int64_t c_shape1,
    int64_t c_stride0,
    int64_t c_stride1,
    float* d,
    int64_t d_shape0,
    int64_t d_shape1,
    const float* e,
    int64_t e_shape0,
    int64_t e_shape1,
    const transpiler_launch* options,
    transpiler_status* status);
int memory_orders_contract(
    const float* a,
    int64_t a_shape0,
    int64_t a_shape1,
    const float* b,
    int64_t b_shape0,
    int64_t b_shape1,
    const float* c,
    int64_t c_shape0,
    int64_t c_shape1,
    int64_t c_stride0,
    int64_t c_stride1,
    float* d,
    int64_t d_shape0,
    int64_t d_shape1,
    const float* e,
    int64_t e_shape0,
    int64_t e_shape1,
    const transpiler_launch* options,
    transpiler_status* status);

int memory_dynamic_launch(
    const float* x,
    int64_t x_shape0,
    double* y,
    int64_t y_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);
int memory_dynamic_contract(
    const float* x,
    int64_t x_shape0,
    double* y,
    int64_t y_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);

int memory_atomics_launch(
    int32_t* c,
    int64_t c_shape0,
    uint32_t* u,
    int64_t u_shape0,
    int64_t* w,
    int64_t w_shape0,
    float* f,
    int64_t f_shape0,
    int32_t* out,
    int64_t out_shape0,
    const transpiler_launch* options,
    transpiler_status* status);
int memory_atomics_contract(
    int32_t* c,
    int64_t c_shape0,
    uint32_t* u,
    int64_t u_shape0,
    int64_t* w,
    int64_t w_shape0,
    float* f,
    int64_t f_shape0,
    int32_t* out,
    int64_t out_shape0,
    const transpiler_launch* options,
    transpiler_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* MEMORY_H */
