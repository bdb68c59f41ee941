// uses: atomic_operations.cuh
// Atomic operations on floats that the hardware lacks: a loop around compare-and-swap on the bits. Each returns the old value.
template <typename Operation>
__device__ inline float atomic_update(float* address, float operand)
{
    int* const bits = reinterpret_cast<int*>(address);
    int seen = *const_cast<volatile int*>(bits);
    while (true) {
        const float old = __int_as_float(seen);
        const int before = atomicCAS(bits, seen, __float_as_int(Operation::apply(old, operand)));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}
template <typename Operation>
__device__ inline double atomic_update(double* address, double operand)
{
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = *const_cast<volatile unsigned long long*>(bits);
    while (true) {
        const double old = __longlong_as_double(seen);
        const double updated = Operation::apply(old, operand);
        const unsigned long long before = atomicCAS(bits, seen, (unsigned long long)__double_as_longlong(updated));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}
