// Generated from memory.py. Edit that file, not this one.

namespace memory {

constexpr int TILE = 16;

// What an atomic operation makes of the old value and its operand.
struct atomic_min_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return operand < old ? operand : old;
    }
};

// Atomic operations on floats that the hardware lacks: a loop around compare-and-swap on the bits. Each returns the old value.
template <typename Operation>
__device__ inline float atomic_update(float* address, float operand)
{
    int* const bits = reinterpret_cast<int*>(address);
    int seen = *const_cast<volatile int*>(bits);
    while (true) {
        const float old = __int_as_float(seen);
        const int before = atomicCAS(bits, seen, __float_as_int(Operation::apply(old, operand)));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}
template <typename Operation>
__device__ inline double atomic_update(double* address, double operand)
{
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = *const_cast<volatile unsigned long long*>(bits);
    while (true) {
        const double old = __longlong_as_double(seen);
        const double updated = Operation::apply(old, operand);
        const unsigned long long before = atomicCAS(bits, seen, (unsigned long long)__double_as_longlong(updated));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}

// a + b that wraps around, as NumPy's does: signed overflow is undefined in C++, unsigned is not.
__device__ inline int wrapping_add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ inline long long wrapping_add(long long a, long long b)
{
    return (long long)((unsigned long long)a + (unsigned long long)b);
}

// Launch contract: M % 16 == 0
// Launch contract: N % 16 == 0
extern "C" __global__ void __launch_bounds__(256) orders(
    const float* __restrict__ a,
    const float* __restrict__ b,
    const float* __restrict__ c,
    float* __restrict__ d,
    const float* __restrict__ e,
    long long M,
    long long N,
    long long c_stride0,
    long long c_stride1)
{
    __shared__ float tile[TILE][17];
    float weights[3];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * TILE + ty;
    const int j = blockIdx.x * TILE + tx;
    for (int k = 0; k < 3; ++k) {
        weights[k] = 1.0f / (float)(k + 1);
    }
    tile[ty][tx] = a[i * N + j];
    __syncthreads();
    d[i * N + j] = tile[tx][ty] * weights[1] + b[j * M + i] + c[i * c_stride0 + (j - 1) * c_stride1] + e[(ty & 3) * 8 + (tx & 7)];
}

// Launch contract: n >= 0
extern "C" __global__ void __launch_bounds__(64) dynamic(
    const float* __restrict__ x,
    double* __restrict__ y,
    int n)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    double* const sums = reinterpret_cast<double*>(shared_memory);
    int* const keys = reinterpret_cast<int*>(sums + (long long)n * 2);
    float* const rest = reinterpret_cast<float*>(shared_memory + (8LL * n * 2 + 4LL * n + 15) / 16 * 16);
    const int tx = threadIdx.x;
    if (tx < n) {
        keys[tx] = tx;
        sums[tx * 2 + 1] = 0.0;
        rest[tx] = x[tx];
        y[tx] = sums[tx * 2 + 1] + (double)keys[tx] + (double)rest[tx];
    }
}

extern "C" __global__ void __launch_bounds__(32) atomics(
    int* c,
    unsigned int* u,
    long long* w,
    float* f,
    int* __restrict__ out,
    long long N)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    const int t = atomicAdd(&c[0], 1);
    __threadfence_block();
    atomicMax_block(&c[1], i);
    __threadfence_block();
    atomicInc(&u[0], 10u);
    atomicAdd(reinterpret_cast<unsigned long long*>(&w[2]), 5ULL);
    atomic_update<atomic_min_op>(&f[0], 2.5f);
    const int old = atomicCAS(&c[2], 0, 7);
    __threadfence();
    if (i < N) {
        out[i] = wrapping_add(t, old);
    }
}

}  // namespace memory
