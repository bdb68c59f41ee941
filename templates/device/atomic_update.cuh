// uses: atomic_access.cuh
// uses: atomic_operations.cuh
// Atomic operations that the hardware lacks for a type: a loop around compare-and-swap on the aligned word that holds the value.
// Comparison is of bits. Each returns the old value.
template <typename T>
struct atomic_cell {
    static constexpr int word_bytes = sizeof(T) == 8 ? 8 : 4;
    using word = typename atomic_word<word_bytes>::type;
    using bits = typename atomic_word<sizeof(T)>::type;

    word* address;
    int shift;

    __device__ explicit atomic_cell(T* value)
    {
        const unsigned long long place = reinterpret_cast<unsigned long long>(value);
        address = reinterpret_cast<word*>(place / word_bytes * word_bytes);
        shift = 8 * (int)(place % word_bytes);
    }
    __device__ word load() const { return *const_cast<volatile word*>(address); }
    __device__ T value_in(word whole) const { return same_bits<T>((bits)(whole >> shift)); }
    __device__ word with_value(word whole, T value) const
    {
        const word mask = (word)(bits)~(bits)0 << shift;
        return (whole & ~mask) | ((word)same_bits<bits>(value) << shift);
    }
};
template <typename Operation, typename T>
__device__ inline T atomic_update(T* address, T operand)
{
    const atomic_cell<T> cell(address);
    auto seen = cell.load();
    while (true) {
        const T old = cell.value_in(seen);
        const auto before = atomicCAS(cell.address, seen, cell.with_value(seen, Operation::apply(old, operand)));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}
template <typename T>
__device__ inline T atomic_compare_exchange(T* address, T expected, T desired)
{
    const atomic_cell<T> cell(address);
    auto seen = cell.load();
    while (true) {
        const T old = cell.value_in(seen);
        if (cell.with_value(seen, expected) != seen) {
            return old;
        }
        const auto before = atomicCAS(cell.address, seen, cell.with_value(seen, desired));
        if (before == seen) {
            return old;
        }
        seen = before;
    }
}
