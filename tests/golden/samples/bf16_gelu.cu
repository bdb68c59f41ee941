// Generated from bf16_gelu.py. Edit that file, not this one.
#include <cuda_bf16.h>

namespace bf16_gelu {

// y = x * Phi(x), with Phi the distribution function of the normal distribution.
extern "C" __global__ void __launch_bounds__(256) gelu(
    const __nv_bfloat16* __restrict__ x,
    __nv_bfloat16* __restrict__ y,
    long long N)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        const float v = (float)x[i];
        y[i] = __float2bfloat16(0.5f * v * (1.0f + erff(v * sqrtf(0.5f))));
    }
}

}  // namespace bf16_gelu
