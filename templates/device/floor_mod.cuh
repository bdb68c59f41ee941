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
