// Kernels of arithmetic.py. Generated: edit that file, not this one.
#ifndef ARITHMETIC_H
#define ARITHMETIC_H

#include "transpiler_runtime.h"

#ifdef __cplusplus
namespace arithmetic {

/// Parameters:
///   a: In[i32, N]
///   b: In[u8, N]
///   x: In[f32, N]
///   y: In[f64, N]
///   p: Out[i64, N]
///   q: Out[f32, N]
///   r: Out[f64, N]
///   n: i32
///
/// Block: (128, 1, 1)
/// Domain: (N)
///
/// numbers_launch checks all that and starts the kernel; numbers_contract only checks.
transpiler::status numbers_launch(
    transpiler::view<const int32_t, 1> a,
    transpiler::view<const uint8_t, 1> b,
    transpiler::view<const float, 1> x,
    transpiler::view<const double, 1> y,
    transpiler::view<int64_t, 1> p,
    transpiler::view<float, 1> q,
    transpiler::view<double, 1> r,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

transpiler::status numbers_contract(
    transpiler::view<const int32_t, 1> a,
    transpiler::view<const uint8_t, 1> b,
    transpiler::view<const float, 1> x,
    transpiler::view<const double, 1> y,
    transpiler::view<int64_t, 1> p,
    transpiler::view<float, 1> q,
    transpiler::view<double, 1> r,
    int32_t n,
    const transpiler::launch_options& options = {}) noexcept;

#ifdef __CUDACC__
/// The kernel itself, for launches that check nothing.
extern "C" __global__ void numbers(
    const int* __restrict__ a,
    const unsigned char* __restrict__ b,
    const float* __restrict__ x,
    const double* __restrict__ y,
    long long* __restrict__ p,
    float* __restrict__ q,
    double* __restrict__ r,
    int n,
    long long N);
#endif
/// Threads of a block of numbers in x, y, z; 0 where the launch chooses.
constexpr unsigned int numbers_block[3] = {128, 1, 1};

}  // namespace arithmetic

extern "C" {
#endif

/* The same for C, Rust and others: each returns a code of enum transpiler_code. `options` and `status` may be null. */

int arithmetic_numbers_launch(
    const int32_t* a,
    int64_t a_shape0,
    const uint8_t* b,
    int64_t b_shape0,
    const float* x,
    int64_t x_shape0,
    const double* y,
    int64_t y_shape0,
    int64_t* p,
    int64_t p_shape0,
    float* q,
    int64_t q_shape0,
    double* r,
    int64_t r_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);
int arithmetic_numbers_contract(
    const int32_t* a,
    int64_t a_shape0,
    const uint8_t* b,
    int64_t b_shape0,
    const float* x,
    int64_t x_shape0,
    const double* y,
    int64_t y_shape0,
    int64_t* p,
    int64_t p_shape0,
    float* q,
    int64_t q_shape0,
    double* r,
    int64_t r_shape0,
    int32_t n,
    const transpiler_launch* options,
    transpiler_status* status);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* ARITHMETIC_H */
