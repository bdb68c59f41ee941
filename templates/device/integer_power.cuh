// base ** exponent for exponents of at least 0, by repeated squaring; what does not fit wraps around.
__device__ inline unsigned long long integer_power(unsigned long long base, long long exponent)
{
    unsigned long long result = 1;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            result *= base;
        }
        base *= base;
    }
    return result;
}
__device__ inline unsigned int integer_power(unsigned int base, long long exponent)
{
    return (unsigned int)integer_power((unsigned long long)base, exponent);
}
__device__ inline long long integer_power(long long base, long long exponent)
{
    return (long long)integer_power((unsigned long long)base, exponent);
}
__device__ inline int integer_power(int base, long long exponent)
{
    return (int)integer_power((unsigned long long)base, exponent);
}
