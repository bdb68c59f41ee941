// Copies from global to shared memory that go on while the thread does: complete once their group has been waited for.
namespace intrinsic {

template <int Bytes>
__device__ __forceinline__ void cp_async(void* target, const void* source) {
    const unsigned int address = static_cast<unsigned int>(__cvta_generic_to_shared(target));
    const unsigned long long from = __cvta_generic_to_global(source);
    if (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes) : "memory");
    }
}

__device__ __forceinline__ void cp_async_commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `Pending` of the thread's groups are still under way.
template <int Pending>
__device__ __forceinline__ void cp_async_wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace intrinsic
