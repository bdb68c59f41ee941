// Generated from grid_stride.py. Edit that file, not this one.

namespace grid_stride {

// Python's min and max: the first operand stays unless the second is truly smaller (larger), so NaN never wins against a
// first operand and of equal operands (0.0 and -0.0) the first is the result.
template <typename T>
__device__ inline T python_min(T a, T b)
{
    return b < a ? b : a;
}
template <typename T>
__device__ inline T python_max(T a, T b)
{
    return b > a ? b : a;
}

// x = min(max(x, lo), hi), elementwise, for any number of blocks.
extern "C" __global__ void __launch_bounds__(256) clamp(
    float* __restrict__ x,
    float lo,
    float hi,
    long long N)
{
    for (long long i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
        x[i] = python_min(python_max(x[i], lo), hi);
    }
}

}  // namespace grid_stride
