// Generated from nbody.py. Edit that file, not this one.

namespace nbody {

constexpr int TILE = 128;
constexpr float SOFTENING = 0.001f;

// result[i] = the acceleration of body i by all others (G = 1, softened).
extern "C" __global__ void __launch_bounds__(128) accelerations(
    const float* __restrict__ position,
    const float* __restrict__ mass,
    float* __restrict__ result,
    long long N)
{
    __shared__ float tile[TILE][4];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * 128 + threadIdx.x;
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    if (i < N) {
        x = position[(long long)i * 3];
        y = position[(long long)i * 3 + 1];
        z = position[(long long)i * 3 + 2];
    }
    float pull_x = 0.0f;
    float pull_y = 0.0f;
    float pull_z = 0.0f;
    for (long long first = 0; first < N; first += TILE) {
        const long long j = first + tx;
        for (int axis = 0; axis < 3; ++axis) {
            tile[tx][axis] = j < N ? position[j * 3 + axis] : 0.0f;
        }
        tile[tx][3] = j < N ? mass[j] : 0.0f;  // a body beyond the end pulls at nothing
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            const float d_x = tile[k][0] - x;
            const float d_y = tile[k][1] - y;
            const float d_z = tile[k][2] - z;
            const float inverse = 1.0f / sqrtf(d_x * d_x + d_y * d_y + d_z * d_z + SOFTENING);
            const float scale = tile[k][3] * inverse * inverse * inverse;
            pull_x += d_x * scale;
            pull_y += d_y * scale;
            pull_z += d_z * scale;
        }
        __syncthreads();
    }
    if (i < N) {
        result[(long long)i * 3] = pull_x;
        result[(long long)i * 3 + 1] = pull_y;
        result[(long long)i * 3 + 2] = pull_z;
    }
}

}  // namespace nbody
