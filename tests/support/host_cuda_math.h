// The arithmetic half of the CUDA stand-ins: integer and float intrinsics, conversions, half types. See host_cuda.h.
#pragma once

// --- integers ----------------------------------------------------------------------------------------------

inline int min(int a, int b) { return b < a ? b : a; }
inline int max(int a, int b) { return b > a ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return b > a ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline long long max(long long a, long long b) { return b > a ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return b > a ? b : a; }

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero((unsigned)x); }
inline int __clzll(long long x) { return std::countl_zero((unsigned long long)x); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero((unsigned)x) + 1; }
inline int __ffsll(long long x) { return x == 0 ? 0 : std::countr_zero((unsigned long long)x) + 1; }
inline unsigned __brev(unsigned x)
{
    unsigned out = 0;
    for (int k = 0; k < 32; ++k) {
        out |= (x >> k & 1) << (31 - k);
    }
    return out;
}
inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned out = 0;
    for (int k = 0; k < 4; ++k) {
        const unsigned pick = selector >> (4 * k);
        unsigned byte = (unsigned)(bytes >> (8 * (pick & 7)) & 255);
        byte = pick & 8 ? (byte & 128 ? 255 : 0) : byte;
        out |= byte << (8 * k);
    }
    return out;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    const unsigned long long both = (unsigned long long)high << 32 | low;
    return (unsigned)(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    const unsigned long long both = (unsigned long long)high << 32 | low;
    return (unsigned)(both >> (shift & 31));
}

// --- floats ------------------------------------------------------------------------------------------------

inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }

inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline double host_sinpi(double x)
{
    const double y = fmod(x, 2.0);
    return y == (double)(long long)y && fabs(y) < 3 ? copysign(0.0, x) : sin(M_PI * y);
}
inline double host_cospi(double x)
{
    const double y = fabs(fmod(x, 2.0));
    return y == 0.5 || y == 1.5 ? 0.0 : cos(M_PI * y);
}
inline float sinpif(float x) { return (float)host_sinpi(x); }
inline double sinpi(double x) { return host_sinpi(x); }
inline float cospif(float x) { return (float)host_cospi(x); }
inline double cospi(double x) { return host_cospi(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
using std::isfinite;
using std::isinf;
using std::isnan;

// What the hardware does: round as the suffix says, saturate. NaN is 0 from a float to 32 bits, else the smallest integer.
template <typename Integer>
Integer host_to_integer(double x, double (*round)(double), bool from_double)
{
    constexpr bool is_signed = std::is_signed_v<Integer>;
    constexpr int bits = 8 * sizeof(Integer) - is_signed;
    if (x != x) {
        return sizeof(Integer) == 8 || from_double ? (Integer)(1ULL << (8 * sizeof(Integer) - 1)) : 0;
    }
    const double whole = round(x);
    if (whole >= std::ldexp(1.0, bits)) {
        return is_signed ? (Integer)((1ULL << bits) - 1) : (Integer)~0ULL;
    }
    if (whole < (is_signed ? -std::ldexp(1.0, bits) : 0.0)) {
        return is_signed ? (Integer)(1ULL << bits) : 0;
    }
    return (Integer)whole;
}
inline double host_even(double x) { return std::nearbyint(x); }
#define HOST_CONVERSIONS(from, type, to, integer)                                                      \
    inline integer __##from##2##to##_rn(type x) { return host_to_integer<integer>(x, host_even, sizeof(type) == 8); }     \
    inline integer __##from##2##to##_rz(type x) { return host_to_integer<integer>(x, trunc, sizeof(type) == 8); }         \
    inline integer __##from##2##to##_rd(type x) { return host_to_integer<integer>(x, floor, sizeof(type) == 8); }         \
    inline integer __##from##2##to##_ru(type x) { return host_to_integer<integer>(x, ceil, sizeof(type) == 8); }
HOST_CONVERSIONS(float, float, int, int)
HOST_CONVERSIONS(float, float, uint, unsigned)
HOST_CONVERSIONS(float, float, ll, long long)
HOST_CONVERSIONS(double, double, int, int)
HOST_CONVERSIONS(double, double, uint, unsigned)
HOST_CONVERSIONS(double, double, ll, long long)

// --- half types: bits in memory, arithmetic through float, which rounds + - * / and sqrt correctly -----------

// Rounds to nearest even to a float with `fraction` bits behind the point and `exponent` bits.
inline unsigned short host_round_half(double x, int fraction, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const unsigned short sign = std::signbit(x) ? 0x8000 : 0;
    const unsigned short infinite = (unsigned short)(((1 << exponent) - 1) << fraction);
    if (x != x) {
        return (unsigned short)(sign | infinite | 1 << (fraction - 1));
    }
    const double size = fabs(x);
    if (std::isinf(size)) {
        return sign | infinite;
    }
    int scale = size == 0 ? 1 - bias : std::max(std::ilogb(size), 1 - bias);
    double units = std::nearbyint(std::ldexp(size, fraction - scale));
    if (units >= std::ldexp(1.0, fraction + 1)) {
        units /= 2;
        scale += 1;
    }
    if (scale > bias) {
        return sign | infinite;
    }
    const int whole = (int)units;
    const int biased = whole < (1 << fraction) ? 0 : scale + bias;
    return (unsigned short)(sign | (biased << fraction) | (whole & ((1 << fraction) - 1)));
}
inline float host_half_value(unsigned short bits, int fraction, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const int biased = bits >> fraction & ((1 << exponent) - 1);
    const int low = bits & ((1 << fraction) - 1);
    float size;
    if (biased == (1 << exponent) - 1) {
        size = low ? NAN : INFINITY;
    } else {
        size = std::ldexp((float)(biased ? low | 1 << fraction : low), (biased ? biased : 1) - bias - fraction);
    }
    return bits & 0x8000 ? -size : size;
}
template <int Fraction, int Exponent>
struct host_half {
    unsigned short bits;
    host_half() = default;
    host_half(float x) : bits(host_round_half(x, Fraction, Exponent)) {}
    static host_half of(double x)
    {
        host_half out;
        out.bits = host_round_half(x, Fraction, Exponent);
        return out;
    }
    operator float() const { return host_half_value(bits, Fraction, Exponent); }
    friend host_half operator+(host_half a, host_half b) { return (float)a + (float)b; }
    friend host_half operator-(host_half a, host_half b) { return (float)a - (float)b; }
    friend host_half operator*(host_half a, host_half b) { return (float)a * (float)b; }
    friend host_half operator/(host_half a, host_half b) { return (float)a / (float)b; }
    friend host_half operator-(host_half a) { return -(float)a; }
    friend bool operator<(host_half a, host_half b) { return (float)a < (float)b; }
    friend bool operator<=(host_half a, host_half b) { return (float)a <= (float)b; }
    friend bool operator>(host_half a, host_half b) { return (float)a > (float)b; }
    friend bool operator>=(host_half a, host_half b) { return (float)a >= (float)b; }
    friend bool operator==(host_half a, host_half b) { return (float)a == (float)b; }
    friend bool operator!=(host_half a, host_half b) { return (float)a != (float)b; }
    host_half& operator+=(host_half b) { return *this = *this + b; }
    host_half& operator-=(host_half b) { return *this = *this - b; }
    host_half& operator*=(host_half b) { return *this = *this * b; }
    host_half& operator/=(host_half b) { return *this = *this / b; }
};
using __half = host_half<10, 5>;
using __nv_bfloat16 = host_half<7, 8>;

inline float __half2float(__half x) { return x; }
inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline __half __double2half(double x) { return __half::of(x); }
inline __half __habs(__half x) { return fabsf(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16::of(x); }
// An integer of 64 bits need not be exact in double: of a large one what is cut off stays as an odd last bit.
inline __nv_bfloat16 __ll2bfloat16_rn(long long x)
{
    const bool small = -(1LL << 52) <= x && x <= (1LL << 52);
    return __nv_bfloat16::of(small ? (double)x : (double)((x >> 12) | ((x & 4095) != 0)) * 4096.0);
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x)
{
    const bool small = x <= (1ULL << 52);
    return __nv_bfloat16::of(small ? (double)x : (double)((x >> 12) | ((x & 4095) != 0)) * 4096.0);
}
inline __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16::of((double)x); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16::of((double)x); }
inline __nv_bfloat16 __habs(__nv_bfloat16 x) { return fabsf(x); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { return std::bit_cast<__half>(x); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return std::bit_cast<__nv_bfloat16>(x); }
// Exact in double, then rounded once: 11 bits squared and an addend of the same range need far fewer than 53.
inline __half __hfma(__half a, __half b, __half c) { return __half::of((double)a * (double)b + (double)c); }
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16::of(fma((double)a, (double)b, (double)c));
}
