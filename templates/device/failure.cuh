// Recorded checks. The first thread of the launch whose check fails claims the buffer; nothing traps, so the context lives on.
//   failure[0]     number of the check, 0 while none has failed
//   failure[1..3]  block      failure[4..6]  thread      failure[7]  index      failure[8]  extent
__device__ inline void record_failure(long long* failure, int check, long long index, long long extent)
{
    unsigned long long* const claim = reinterpret_cast<unsigned long long*>(failure);
    if (atomicCAS(claim, 0ULL, (unsigned long long)check) == 0ULL) {
        failure[1] = blockIdx.x;
        failure[2] = blockIdx.y;
        failure[3] = blockIdx.z;
        failure[4] = threadIdx.x;
        failure[5] = threadIdx.y;
        failure[6] = threadIdx.z;
        failure[7] = index;
        failure[8] = extent;
    }
}
// Whether an index is inside an axis; if not, that is recorded and the caller skips the access.
__device__ inline bool in_bounds(long long* failure, int check, long long index, long long extent)
{
    if (index >= 0 && index < extent) {
        return true;
    }
    record_failure(failure, check, index, extent);
    return false;
}
