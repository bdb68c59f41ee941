// Kernels of control.py. Generated: edit that file, not this one.
#ifndef CONTROL_H
#define CONTROL_H

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
///   N: the dim N
///
/// Block: (256, 1, 1)
#ifdef __CUDACC__
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
///   x_shape0: x.shape[0]
///   x_shape1: x.shape[1]
///
/// Block: (any, any, 1)
#ifdef __CUDACC__
extern "C" __global__ void free_block(
    float* __restrict__ x,
    long long x_shape0,
    long long x_shape1);
#endif
/// Threads of a block of free_block in x, y, z; 0 where the launch chooses.
constexpr unsigned int free_block_block[3] = {0, 0, 1};

}  // namespace control

#endif  // CONTROL_H
