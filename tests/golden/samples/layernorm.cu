// Generated from layernorm.py. Edit that file, not this one.

namespace layernorm {

constexpr float EPS = 1e-05f;

// Reductions and scans over the threads of a warp. All threads of the warp that the block has must call them together.
// Sums of signed integers come in as unsigned ones, so that they wrap.
namespace intrinsic {

__device__ __forceinline__ unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ unsigned int thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
// 32 but in the last warp of a block whose size is not a multiple of 32.
__device__ __forceinline__ unsigned int warp_threads() {
    unsigned int left = block_threads() - (thread_rank() & ~31u);
    return left < 32 ? left : 32;
}
// The lowest `threads` lanes.
__device__ __forceinline__ unsigned int lanes(unsigned int threads) { return 0xffffffffu >> (32 - threads); }
struct Sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
// All of the lowest `threads` lanes call this, and all get the result: by a butterfly of exchanges. In a partial warp some lanes have
// no partner, but lane 0 gathers every value, and shares the result.
template <class Op, class T>
__device__ __forceinline__ T reduce_lanes(T value, unsigned int threads, Op op) {
    if (threads == 32) {
#pragma unroll
        for (int step = 16; step > 0; step /= 2) value = op(value, __shfl_xor_sync(0xffffffffu, value, step));
        return value;
    }
    unsigned int lane = thread_rank() & 31u;
    for (int step = 16; step > 0; step /= 2) {
        T partner = __shfl_xor_sync(lanes(threads), value, step);
        if ((lane ^ step) < threads) value = op(value, partner);
    }
    return __shfl_sync(lanes(threads), value, 0);
}

}  // namespace intrinsic

// Reductions and scans over the threads of a block, which all call them together. Needs intrinsic_warp.cuh.
namespace intrinsic {

// Words of the warps, and what warp 0 made of them. Two arrays, so that two barriers are enough: a thread that is still reading
// `combined` holds back the next use, which writes it behind its first barrier only.
template <class T>
struct Scratch {
    T partial[32];
    T combined[32];
};
template <class T>
__device__ __forceinline__ Scratch<T>& scratch() {
    __shared__ Scratch<T> memory;
    return memory;
}
__device__ __forceinline__ unsigned int block_warps() { return (block_threads() + 31) / 32; }
template <class Op, class T>
__device__ T block_reduce(T value, Op op) {
    Scratch<T>& shared = scratch<T>();
    unsigned int thread = thread_rank(), warps = block_warps();
    value = reduce_lanes(value, warp_threads(), op);
    if (thread % 32 == 0) shared.partial[thread / 32] = value;
    __syncthreads();
    if (thread < warps) {
        value = reduce_lanes(shared.partial[thread], warps, op);
        if (thread == 0) shared.combined[0] = value;
    }
    __syncthreads();
    return shared.combined[0];
}
template <class T> __device__ __forceinline__ T block_sum(T value) { return block_reduce(value, Sum()); }

}  // namespace intrinsic

// y[row] = (x[row] - mean) / sqrt(variance + EPS) * gain + bias.
extern "C" __global__ void __launch_bounds__(128) layernorm(
    const float* __restrict__ x,
    const float* __restrict__ gain,
    const float* __restrict__ bias,
    float* __restrict__ y,
    long long N)
{
    const int row = blockIdx.x;
    float total = 0.0f;
    for (long long j = threadIdx.x; j < N; j += 128) {
        total += x[row * N + j];
    }
    const float sum = intrinsic::block_sum(total);
    const float mean = sum / (float)N;
    float squares = 0.0f;
    for (long long j = threadIdx.x; j < N; j += 128) {
        const float base = x[row * N + j] - mean;
        squares += base * base;
    }
    const float sum_2 = intrinsic::block_sum(squares);
    const float scale = 1.0f / sqrtf(sum_2 / (float)N + EPS);
    for (long long j = threadIdx.x; j < N; j += 128) {
        y[row * N + j] = (x[row * N + j] - mean) * scale * gain[j] + bias[j];
    }
}

}  // namespace layernorm
