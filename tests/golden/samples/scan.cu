// Generated from scan.py. Edit that file, not this one.

namespace scan {

constexpr int BLOCK = 256;

// out[i] = the sum of x over the elements of i's block up to i.
extern "C" __global__ void __launch_bounds__(256) scan(
    const float* __restrict__ x,
    float* __restrict__ out,
    long long N)
{
    __shared__ float sums[BLOCK];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * 256 + threadIdx.x;
    sums[tx] = i < N ? x[i] : 0.0f;
    __syncthreads();
    int step = 1;
    while (step < BLOCK) {
        const float left = tx >= step ? sums[tx - step] : 0.0f;
        __syncthreads();
        sums[tx] += left;
        __syncthreads();
        step *= 2;
    }
    if (i < N) {
        out[i] = sums[tx];
    }
}

}  // namespace scan
