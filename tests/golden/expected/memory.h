// Kernels of memory.py. Generated: edit that file, not this one.
#ifndef MEMORY_H
#define MEMORY_H

namespace memory {

/// Parameters:
///   a: In[f32, M, N]
///   b: In[f32, M, N, FOrder]
///   c: In[f32, c.shape[0], c.shape[1], Strided]
///   d: Out[f32, M, N]
///   e: In[f32, 4, 8]
///   M: the dim M
///   N: the dim N
///   c_stride0: stride of axis 0 of c, in elements
///   c_stride1: stride of axis 1 of c, in elements
///
/// Block: (16, 16, 1)
/// Grid: (N // 16, M // 16)
#ifdef __CUDACC__
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
/// Block: (64, 1, 1)
/// Dynamic shared memory in bytes: (8 * n * 2 + 4 * n + 15) // 16 * 16 + smem
#ifdef __CUDACC__
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
///   N: the dim N
///
/// Block: (32, 1, 1)
#ifdef __CUDACC__
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

#endif  // MEMORY_H
