// Generated from functions.py. Edit that file, not this one.

namespace functions {

// Python's min and max: the first operand stays unless the second is truly smaller (larger), so NaN never wins against a
// first operand and of equal operands (0.0 and -0.0) the first is the result.
template <typename T>
__device__ inline T python_min(T a, T b)
{
    return b < a ? b : a;
}
template <typename T>
__device__ inline T python_max(T a, T b)
{
    return b > a ? b : a;
}

// Recorded checks. The first thread of the launch whose check fails claims the buffer; nothing traps, so the context lives on.
//   failure[0]     number of the check, 0 while none has failed
//   failure[1..3]  block      failure[4..6]  thread      failure[7]  index      failure[8]  extent
__device__ inline void record_failure(long long* failure, int check, long long index, long long extent)
{
    unsigned long long* const claim = reinterpret_cast<unsigned long long*>(failure);
    if (atomicCAS(claim, 0ULL, (unsigned long long)check) == 0ULL) {
        failure[1] = blockIdx.x;
        failure[2] = blockIdx.y;
        failure[3] = blockIdx.z;
        failure[4] = threadIdx.x;
        failure[5] = threadIdx.y;
        failure[6] = threadIdx.z;
        failure[7] = index;
        failure[8] = extent;
    }
}

struct both_result {
    float r0;
    float r1;
};

__device__ inline both_result both(float x)
{
    return {x * x, -x};
}

__device__ inline float row_sum(const float* row)
{
    float total = 0.0f;
    for (int k = 0; k < 8; ++k) {
        total += row[k];
    }
    return total;
}

// Keep a value between two bounds.
__device__ inline float clamp(float value, float low, float high)
{
    return python_min(python_max(value, low), high);
}

__device__ inline float alpha_value()
{
    return 0.5f;
}

// Instance: K = 2
//
// this is spelled this_ in C++.
// register is spelled register_ in C++.
// α is spelled alpha in C++.
// int is spelled int_ in C++.
// double is spelled double_ in C++.
extern "C" __global__ void __launch_bounds__(128) named_2(
    const float* __restrict__ this_,
    float* __restrict__ register_,
    float alpha,
    long long N)
{
    constexpr float K = 2.0f;
    const int int_ = blockIdx.x * 128 + threadIdx.x;
    if (int_ < N) {
        const auto [square, minus] = both(this_[(long long)int_ * 8]);
        const float double_ = row_sum(&this_[(long long)int_ * 8]);
        register_[int_] = clamp(square + minus * alpha, 0.0f, 1.0f) + double_ * K;
    }
}

// Instance: K = 3
//
// this is spelled this_ in C++.
// register is spelled register_ in C++.
// α is spelled alpha in C++.
// int is spelled int_ in C++.
// double is spelled double_ in C++.
extern "C" __global__ void __launch_bounds__(128) named_3(
    const float* __restrict__ this_,
    float* __restrict__ register_,
    float alpha,
    long long N)
{
    constexpr float K = 3.0f;
    const int int_ = blockIdx.x * 128 + threadIdx.x;
    if (int_ < N) {
        const auto [square, minus] = both(this_[(long long)int_ * 8]);
        const float double_ = row_sum(&this_[(long long)int_ * 8]);
        register_[int_] = clamp(square + minus * alpha, 0.0f, 1.0f) + double_ * K;
    }
}

extern "C" __global__ void __launch_bounds__(32) spoken(
    float* __restrict__ x,
    int n,
    long long N,
    long long* failure)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i < N) {
        if (!(n > 0)) {
            record_failure(failure, 1, 0, 0);  // n is positive, "always"
            return;
        }
        printf("thread %d 100%% of %5d and %.3f\n", i, n, alpha_value());
        x[i] = 1.0f;
    }
}

}  // namespace functions
