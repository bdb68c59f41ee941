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
