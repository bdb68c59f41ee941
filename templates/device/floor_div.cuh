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
