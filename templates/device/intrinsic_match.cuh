// `__match_all_sync` with both results, the second as a bool.
namespace intrinsic {

template <class T>
__device__ __forceinline__ unsigned int match_all(unsigned int mask, T value, bool& all) {
    int equal;
    unsigned int threads = __match_all_sync(mask, value, &equal);
    all = equal != 0;
    return threads;
}

}  // namespace intrinsic
