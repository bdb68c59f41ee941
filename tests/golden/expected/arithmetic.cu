// Generated from arithmetic.py. Edit that file, not this one.

namespace arithmetic {

constexpr float SCALE = 0.1f;
constexpr float TAU = 6.2831855f;
constexpr double SCALE_f64 = 0.1;
constexpr unsigned char MASK = 255;
constexpr int LIMIT = 1024;

// a + b that wraps around, as NumPy's does: signed overflow is undefined in C++, unsigned is not.
__device__ inline int wrapping_add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ inline long long wrapping_add(long long a, long long b)
{
    return (long long)((unsigned long long)a + (unsigned long long)b);
}

// a * b that wraps around, as NumPy's does: signed overflow is undefined in C++, unsigned is not.
__device__ inline int wrapping_mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ inline long long wrapping_mul(long long a, long long b)
{
    return (long long)((unsigned long long)a * (unsigned long long)b);
}

// Python's // on integers: the quotient is rounded down. The smallest integer divided by -1 wraps around to itself.
__device__ inline int floor_div(int a, int b)
{
    if (b == -1) {
        return (int)(0u - (unsigned int)a);
    }
    const int quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
__device__ inline long long floor_div(long long a, long long b)
{
    if (b == -1) {
        return (long long)(0ULL - (unsigned long long)a);
    }
    const long long quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

// Python's % on integers: the remainder has the sign of the divisor.
__device__ inline int floor_mod(int a, int b)
{
    const int remainder = b == -1 ? 0 : a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
__device__ inline long long floor_mod(long long a, long long b)
{
    const long long remainder = b == -1 ? 0 : a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// Python's min and max: the first operand stays unless the second is truly smaller (larger), so NaN never wins against a
// first operand and of equal operands (0.0 and -0.0) the first is the result.
template <typename T>
__device__ inline T python_min(T a, T b)
{
    return b < a ? b : a;
}

// Python's // on floats: the whole number nearest to (a - a % b) / b, from which floor(a / b) differs where a / b rounds
// up to a whole number. Division by zero follows IEEE arithmetic.
__device__ inline float floor_div(float a, float b)
{
    if (b == 0.0f) {
        return a / b;
    }
    const float remainder = fmodf(a, b);
    float quotient = (a - remainder) / b;
    if (remainder != 0.0f && (remainder < 0.0f) != (b < 0.0f)) {
        quotient -= 1.0f;
    }
    if (quotient == 0.0f) {
        return copysignf(0.0f, a / b);
    }
    const float whole = floorf(quotient);
    return quotient - whole > 0.5f ? whole + 1.0f : whole;
}
__device__ inline double floor_div(double a, double b)
{
    if (b == 0.0) {
        return a / b;
    }
    const double remainder = fmod(a, b);
    double quotient = (a - remainder) / b;
    if (remainder != 0.0 && (remainder < 0.0) != (b < 0.0)) {
        quotient -= 1.0;
    }
    if (quotient == 0.0) {
        return copysign(0.0, a / b);
    }
    const double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

// Python's % on floats: the remainder is exact and has the sign of the divisor. Modulo 0 is NaN.
__device__ inline float floor_mod(float a, float b)
{
    const float remainder = fmodf(a, b);
    if (remainder == 0.0f) {
        return copysignf(0.0f, b);
    }
    return (remainder < 0.0f) != (b < 0.0f) ? remainder + b : remainder;
}
__device__ inline double floor_mod(double a, double b)
{
    const double remainder = fmod(a, b);
    if (remainder == 0.0) {
        return copysign(0.0, b);
    }
    return (remainder < 0.0) != (b < 0.0) ? remainder + b : remainder;
}

extern "C" __global__ void __launch_bounds__(128) numbers(
    const int* __restrict__ a,
    const unsigned char* __restrict__ b,
    const float* __restrict__ x,
    const double* __restrict__ y,
    long long* __restrict__ p,
    float* __restrict__ q,
    double* __restrict__ r,
    int n,
    long long N)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < N) {
        p[i] = wrapping_add(a[i], wrapping_mul(a[i], 3)) + (floor_div((long long)n - 1, 3LL) + floor_mod(n, 5) + i / 4);
        const float base = x[i];
        q[i] = SCALE * x[i] + (float)b[i] * TAU - base * base / 3.0f + python_min(x[i], 1.0f) - fabsf(x[i]);
        r[i] = floor_div(y[i], 0.3) + floor_mod(y[i], SCALE_f64) + (double)x[i] + (double)__float2int_rn(x[i]) + 1e-30;
        if ((b[i] & MASK) == 7 || (a[i] < LIMIT && LIMIT < n) || !(a[i] > b[i])) {
            p[i] = (long long)i * i + (1 << (i & 7)) - (-2147483647 - 1) + ((unsigned int)a[i] >> 3) - (unsigned char)~b[i];
        }
    }
}

}  // namespace arithmetic
