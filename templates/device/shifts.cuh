// a << s for signed a: bits that leave at the top are lost, which C++17 leaves undefined for negative numbers.
__device__ inline int shift_left(int a, int s) { return (int)((unsigned int)a << s); }
__device__ inline long long shift_left(long long a, int s) { return (long long)((unsigned long long)a << s); }
