// a - b that wraps around, as NumPy's does: signed overflow is undefined in C++, unsigned is not.
__device__ inline int wrapping_sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ inline long long wrapping_sub(long long a, long long b)
{
    return (long long)((unsigned long long)a - (unsigned long long)b);
}
