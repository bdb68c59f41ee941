// Generated from block_reduce.py. Edit that file, not this one.

namespace block_reduce {

constexpr int BLOCK = 256;

// result[0] += sum(x).
extern "C" __global__ void __launch_bounds__(256) total(
    const float* __restrict__ x,
    float* result,
    long long N)
{
    __shared__ float part[BLOCK];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * 256 + threadIdx.x;
    part[tx] = i < N ? x[i] : 0.0f;
    __syncthreads();
    int half = 128;
    while (half > 0) {
        if (tx < half) {
            part[tx] += part[tx + half];
        }
        __syncthreads();
        half /= 2;
    }
    if (tx == 0) {
        atomicAdd(&result[0], part[0]);
    }
}

}  // namespace block_reduce
