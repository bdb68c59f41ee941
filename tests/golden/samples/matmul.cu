// Generated from matmul.py. Edit that file, not this one.

namespace matmul {

constexpr int TILE = 16;

// c = a @ b, one thread an element of c.
extern "C" __global__ void __launch_bounds__(256) matmul(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ c,
    long long M,
    long long K,
    long long N)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * 16 + threadIdx.x;
    const int row = blockIdx.y * 16 + threadIdx.y;
    float acc = 0.0f;
    for (long long k0 = 0; k0 < K; k0 += TILE) {
        a_tile[ty][tx] = row < M && k0 + tx < K ? a[row * K + k0 + tx] : 0.0f;
        b_tile[ty][tx] = k0 + ty < K && col < N ? b[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            acc += a_tile[ty][k] * b_tile[k][tx];
        }
        __syncthreads();  // nobody overwrites a tile that another thread still reads
    }
    if (row < M && col < N) {
        c[row * N + col] = acc;
    }
}

}  // namespace matmul
