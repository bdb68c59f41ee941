// Comparison by value of a signed and an unsigned 64-bit integer: C++ would convert -1 to the largest number.
__device__ inline bool value_less(long long a, unsigned long long b) { return a < 0 || (unsigned long long)a < b; }
__device__ inline bool value_less(unsigned long long a, long long b) { return b > 0 && a < (unsigned long long)b; }
__device__ inline bool value_equal(long long a, unsigned long long b) { return a >= 0 && (unsigned long long)a == b; }
__device__ inline bool value_equal(unsigned long long a, long long b) { return value_equal(b, a); }
__device__ inline bool value_less_equal(long long a, unsigned long long b) { return !value_less(b, a); }
__device__ inline bool value_less_equal(unsigned long long a, long long b) { return !value_less(b, a); }
__device__ inline bool value_greater(long long a, unsigned long long b) { return value_less(b, a); }
__device__ inline bool value_greater(unsigned long long a, long long b) { return value_less(b, a); }
__device__ inline bool value_greater_equal(long long a, unsigned long long b) { return !value_less(a, b); }
__device__ inline bool value_greater_equal(unsigned long long a, long long b) { return !value_less(a, b); }
__device__ inline bool value_not_equal(long long a, unsigned long long b) { return !value_equal(a, b); }
__device__ inline bool value_not_equal(unsigned long long a, long long b) { return !value_equal(a, b); }
