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

// `value` is the inclusive scan within the warp; the result is the sum of all warps before this one.
template <class T>
__device__ T warps_before(T value) {
    Scratch<T>& shared = scratch<T>();
    unsigned int thread = thread_rank(), warps = block_warps();
    if (thread % 32 == warp_threads() - 1) shared.partial[thread / 32] = value;
    __syncthreads();
    if (thread < warps) shared.combined[thread] = scan_lanes(shared.partial[thread], warps);
    __syncthreads();
    return thread < 32 ? T(0) : shared.combined[thread / 32 - 1];
}

template <class T> __device__ __forceinline__ T block_sum(T value) { return block_reduce(value, Sum()); }
template <class T> __device__ __forceinline__ T block_prod(T value) { return block_reduce(value, Product()); }
template <class T> __device__ __forceinline__ T block_max(T value) { return block_reduce(value, Max()); }
template <class T> __device__ __forceinline__ T block_min(T value) { return block_reduce(value, Min()); }
template <class T> __device__ __forceinline__ T block_and(T value) { return block_reduce(value, And()); }
template <class T> __device__ __forceinline__ T block_or(T value) { return block_reduce(value, Or()); }
template <class T> __device__ __forceinline__ T block_xor(T value) { return block_reduce(value, Xor()); }
template <class T> __device__ __forceinline__ T block_scan(T value) {
    T inclusive = scan_lanes(value, warp_threads());
    return warps_before(inclusive) + inclusive;
}
template <class T> __device__ __forceinline__ T block_exclusive_scan(T value) {
    T inclusive = scan_lanes(value, warp_threads());
    return warps_before(inclusive) + shift_lanes(inclusive, warp_threads());
}

}  // namespace intrinsic
