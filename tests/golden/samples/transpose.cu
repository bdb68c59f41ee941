// Generated from transpose.py. Edit that file, not this one.

namespace transpose {

constexpr int TILE = 32;
constexpr int ROWS = 8;

// b = a.T for extents that are multiples of 32.
//
// Launch contract: M % 32 == 0
// Launch contract: N % 32 == 0
extern "C" __global__ void __launch_bounds__(256) transpose(
    const float* __restrict__ a,
    float* __restrict__ b,
    long long M,
    long long N)
{
    __shared__ float tile[TILE][33];
    // one column more keeps columns in different banks
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i0 = blockIdx.y * TILE;
    const int j0 = blockIdx.x * TILE;
    for (int r = ty; r < TILE; r += ROWS) {
        tile[r][tx] = a[(i0 + r) * N + j0 + tx];
    }
    __syncthreads();
    for (int r = ty; r < TILE; r += ROWS) {
        b[(j0 + r) * M + i0 + tx] = tile[tx][r];
    }
}

}  // namespace transpose
