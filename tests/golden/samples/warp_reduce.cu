// Generated from warp_reduce.py. Edit that file, not this one.

namespace warp_reduce {

// sums[w] = the sum of x[32*w : 32*w + 32].
//
// Launch contract: W == (N + 31) // 32
extern "C" __global__ void __launch_bounds__(256) warp_sums(
    const float* __restrict__ x,
    float* __restrict__ sums,
    long long N)
{
    constexpr int offset_values[5] = {16, 8, 4, 2, 1};
    const int i = blockIdx.x * 256 + threadIdx.x;
    float v = i < N ? x[i] : 0.0f;
    #pragma unroll
    for (int k = 0; k < 5; ++k) {
        const int offset = offset_values[k];
        const float shfl_down = __shfl_down_sync(0xffffffffu, v, offset, 32);
        v += shfl_down;
    }
    if ((i & 31) == 0 && i < N) {
        sums[i / 32] = v;
    }
}

}  // namespace warp_reduce
