// Generated from saxpy.py. Edit that file, not this one.

namespace saxpy {

// y = a*x + y, elementwise.
extern "C" __global__ void __launch_bounds__(256) saxpy(
    float a,
    const float* __restrict__ x,
    float* __restrict__ y,
    long long N)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {  // the last block may be ragged
        y[i] = a * x[i] + y[i];
    }
}

}  // namespace saxpy
