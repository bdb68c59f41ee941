// Generated from histogram.py. Edit that file, not this one.

namespace histogram {

constexpr int BINS = 256;

// counts[v] += the number of elements equal to v.
extern "C" __global__ void __launch_bounds__(256) histogram(
    const unsigned char* __restrict__ x,
    int* counts,
    long long N)
{
    __shared__ int local[BINS];
    const int tx = threadIdx.x;
    local[tx] = 0;
    __syncthreads();
    for (long long i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
        atomicAdd_block(&local[x[i]], 1);
    }
    __syncthreads();
    atomicAdd(&counts[tx], local[tx]);
}

}  // namespace histogram
