namespace intrinsic {

// Nanoseconds; CUDA C++ has no function for this register.
__device__ __forceinline__ unsigned long long globaltimer() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

}  // namespace intrinsic
