// Kernels of arithmetic.py. Generated: edit that file, not this one.
#ifndef ARITHMETIC_H
#define ARITHMETIC_H

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
///   N: the dim N
///
/// Block: (128, 1, 1)
/// Domain: (N)
#ifdef __CUDACC__
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

#endif  // ARITHMETIC_H
