// Kernels of functions.py. Generated: edit that file, not this one.
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

namespace functions {

/// Instance: K = 2
///
/// Parameters:
///   this_: In[f32, N, 8]
///   register_: InOut[f32, N]
///   alpha: f32
///   N: the dim N
///
/// Block: (128, 1, 1)
#ifdef __CUDACC__
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
///   N: the dim N
///
/// Block: (128, 1, 1)
#ifdef __CUDACC__
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
///   N: the dim N
///   failure: the failure buffer of run-time checks, 12 zeroed long longs
///
/// Block: (32, 1, 1)
#ifdef __CUDACC__
extern "C" __global__ void spoken(
    float* __restrict__ x,
    int n,
    long long N,
    long long* failure);
#endif
/// Threads of a block of spoken in x, y, z; 0 where the launch chooses.
constexpr unsigned int spoken_block[3] = {32, 1, 1};

}  // namespace functions

#endif  // FUNCTIONS_H
