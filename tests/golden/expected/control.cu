// Generated from control.py. Edit that file, not this one.

namespace control {

// Where control flow goes.
//
// Loops of every kind.
//
// Indented:
//     a \ backslash stays, */ too.
extern "C" __global__ void __launch_bounds__(256) loops(
    const float* __restrict__ x,
    float* __restrict__ y,
    int* __restrict__ out,
    int n,
    int s,
    long long N)
{
    long long n_2 = n;
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;  // nothing for this thread
    }
    // upwards
    float acc = 0.0f;
    for (int k = 0; k < n_2; ++k) {
        if (x[k & 7] < 0.0f && k < N) {
            continue;
        }
        acc += 1.0f;
    }
    // downwards, with a step
    for (int _ = 31; _ > -1; _ -= 2) {
        acc -= 2.0f;
    }
    #pragma unroll
    for (int _ = 0; _ < 4; ++_) {
        acc *= 1.5f;
    }
    const int stop = n_2;
    for (long long _ = 0; s > 0 ? _ < stop : _ > stop; _ += s) {
        acc += 1.0f;
        n_2 -= 1;
    }
    long long found = -1;
    while (true) {
        found += 1;
        if (found * found > n_2) {
            break;
        }
    }
    float sign;
    if (found > 3) {
        sign = 1.0f;
    } else if (found > 2) {
        sign = 0.5f;
    } else {
        sign = -1.0f;
    }
    y[i] = acc * sign;
    out[i] = (int)found;
    // the end
}

extern "C" __global__ void __launch_bounds__(1024) free_block(
    float* __restrict__ x,
    long long x_shape0,
    long long x_shape1)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j < x_shape0 && i < x_shape1) {
        while (x[j * x_shape1 + i] > 1.0f) {
            x[j * x_shape1 + i] /= 2.0f;
        }
    }
}

}  // namespace control
