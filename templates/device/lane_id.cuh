// The number of this thread in its warp: warps are cut from the threads of a block in order, x fastest.
__device__ inline unsigned int lane_id()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
