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
