// Atomic load and store: one access that the compiler neither drops, repeats nor splits.
template <int Size>
struct atomic_word;
template <>
struct atomic_word<1> {
    using type = unsigned char;
};
template <>
struct atomic_word<2> {
    using type = unsigned short;
};
template <>
struct atomic_word<4> {
    using type = unsigned int;
};
template <>
struct atomic_word<8> {
    using type = unsigned long long;
};
template <typename To, typename From>
__device__ inline To same_bits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "one size");
    union {
        From from;
        unsigned char bytes[sizeof(From)];
    } source = {value};
    union bits {
        __device__ bits() {}
        To to;
        unsigned char bytes[sizeof(To)];
    } result;
    for (int i = 0; i < (int)sizeof(To); ++i) {
        result.bytes[i] = source.bytes[i];
    }
    return result.to;
}
template <typename T>
__device__ inline T atomic_load(const T* address)
{
    using word = typename atomic_word<sizeof(T)>::type;
    return same_bits<T>(*reinterpret_cast<const volatile word*>(address));
}
template <typename T>
__device__ inline void atomic_store(T* address, T value)
{
    using word = typename atomic_word<sizeof(T)>::type;
    *reinterpret_cast<volatile word*>(address) = same_bits<word>(value);
}
