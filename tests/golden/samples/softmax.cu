// Generated from softmax.py. Edit that file, not this one.

namespace softmax {

constexpr int WARPS = 4;

// Python's min and max: the first operand stays unless the second is truly smaller (larger), so NaN never wins against a
// first operand and of equal operands (0.0 and -0.0) the first is the result.
template <typename T>
__device__ inline T python_max(T a, T b)
{
    return b > a ? b : a;
}

// y[row] = exp(x[row] - max(x[row])) / sum(exp(x[row] - max(x[row]))).
extern "C" __global__ void __launch_bounds__(128) softmax(
    const float* __restrict__ x,
    float* __restrict__ y,
    long long M,
    long long N)
{
    constexpr int offset_values[5] = {16, 8, 4, 2, 1};
    const int lane = threadIdx.x;
    const int row = blockIdx.y * WARPS + threadIdx.y;
    if (row < M) {
        float largest = -__int_as_float(0x7f800000);
        for (long long j = lane; j < N; j += 32) {
            largest = python_max(largest, x[row * N + j]);
        }
        #pragma unroll
        for (int k = 0; k < 5; ++k) {
            const int offset = offset_values[k];
            const float shfl_xor = __shfl_xor_sync(0xffffffffu, largest, offset, 32);
            largest = python_max(largest, shfl_xor);
        }
        float total = 0.0f;
        for (long long j = lane; j < N; j += 32) {
            total += expf(x[row * N + j] - largest);
        }
        #pragma unroll
        for (int k = 0; k < 5; ++k) {
            const int offset = offset_values[k];
            const float shfl_xor = __shfl_xor_sync(0xffffffffu, total, offset, 32);
            total += shfl_xor;
        }
        for (long long j = lane; j < N; j += 32) {
            y[row * N + j] = expf(x[row * N + j] - largest) / total;
        }
    }
}

}  // namespace softmax
