// Generated from mandelbrot.py. Edit that file, not this one.

namespace mandelbrot {

constexpr int LIMIT = 64;

// How many steps z = z*z + c takes to leave the circle of radius 2, LIMIT if it stays.
__device__ inline int escape(float cx, float cy)
{
    float x = 0.0f;
    float y = 0.0f;
    for (int step = 0; step < LIMIT; ++step) {
        if (x * x + y * y > 4.0f) {
            return step;
        }
        const float item = 2.0f * x * y + cy;
        x = x * x - y * y + cx;
        y = item;
    }
    return LIMIT;
}

// One grey value a pixel: black inside the set.
extern "C" __global__ void __launch_bounds__(256) mandelbrot(
    unsigned char* __restrict__ image,
    float left,
    float top,
    float pixel,
    long long H,
    long long W)
{
    const int px = blockIdx.x * 32 + threadIdx.x;
    const int py = blockIdx.y * 8 + threadIdx.y;
    if (px < W && py < H) {
        const int steps = escape(left + (float)px * pixel, top - (float)py * pixel);
        image[py * W + px] = 255 - steps * 255 / LIMIT;
    }
}

}  // namespace mandelbrot
