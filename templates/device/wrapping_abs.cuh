// The absolute value; that of the smallest integer wraps around to itself, as NumPy's does.
__device__ inline int wrapping_abs(int a) { return a < 0 ? (int)(0u - (unsigned int)a) : a; }
__device__ inline long long wrapping_abs(long long a)
{
    return a < 0 ? (long long)(0ULL - (unsigned long long)a) : a;
}
