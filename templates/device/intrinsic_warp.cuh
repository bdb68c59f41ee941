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
struct Product {
    template <class T> __device__ T operator()(T a, T b) const { return a * b; }
};
struct Max {
    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Min {
    template <class T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
    __device__ double operator()(double a, double b) const { return fmin(a, b); }
};
struct And {
    template <class T> __device__ T operator()(T a, T b) const { return a & b; }
};
struct Or {
    template <class T> __device__ T operator()(T a, T b) const { return a | b; }
};
struct Xor {
    template <class T> __device__ T operator()(T a, T b) const { return a ^ b; }
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

// Inclusive prefix sums over the lowest `threads` lanes, which all call this.
template <class T>
__device__ __forceinline__ T scan_lanes(T value, unsigned int threads) {
    unsigned int lane = thread_rank() & 31u;
#pragma unroll
    for (unsigned int step = 1; step < 32; step *= 2) {
        T below = __shfl_up_sync(lanes(threads), value, step);
        if (lane >= step) value += below;
    }
    return value;
}

// The value of the lane below; 0 in lane 0.
template <class T>
__device__ __forceinline__ T shift_lanes(T value, unsigned int threads) {
    T below = __shfl_up_sync(lanes(threads), value, 1);
    return (thread_rank() & 31u) == 0 ? T(0) : below;
}

template <class T> __device__ __forceinline__ T warp_sum(T value) { return reduce_lanes(value, warp_threads(), Sum()); }
template <class T> __device__ __forceinline__ T warp_prod(T value) { return reduce_lanes(value, warp_threads(), Product()); }
template <class T> __device__ __forceinline__ T warp_max(T value) { return reduce_lanes(value, warp_threads(), Max()); }
template <class T> __device__ __forceinline__ T warp_min(T value) { return reduce_lanes(value, warp_threads(), Min()); }
template <class T> __device__ __forceinline__ T warp_and(T value) { return reduce_lanes(value, warp_threads(), And()); }
template <class T> __device__ __forceinline__ T warp_or(T value) { return reduce_lanes(value, warp_threads(), Or()); }
template <class T> __device__ __forceinline__ T warp_xor(T value) { return reduce_lanes(value, warp_threads(), Xor()); }
template <class T> __device__ __forceinline__ T warp_scan(T value) { return scan_lanes(value, warp_threads()); }
template <class T> __device__ __forceinline__ T warp_exclusive_scan(T value) {
    return shift_lanes(scan_lanes(value, warp_threads()), warp_threads());
}

}  // namespace intrinsic
