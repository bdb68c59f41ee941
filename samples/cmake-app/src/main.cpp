// A hot spot on a plate spreads; the plate is written as a PNG. Both kernels are Python: kernels/diffuse.py and kernels/paint.py.
#include "device.h"
#include "diffuse.h"
#include "paint.h"
#include "png.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace {

constexpr std::size_t width = 640;
constexpr std::size_t height = 400;

std::vector<float> hot_spot()
{
    std::vector<float> plate(width * height, 0.0f);
    for (std::size_t y = 150; y < 250; ++y) {
        for (std::size_t x = 220; x < 420; ++x) {
            plate[y * width + x] = 100.0f;
        }
    }
    return plate;
}

void simulate(const char* path, int steps)
{
    const device gpu;
    buffer<float> first(gpu, width * height);
    buffer<float> second(gpu, width * height);
    buffer<std::uint8_t> rgb(gpu, width * height * 3);
    first.write(hot_spot());

    transpiler::view<float, 2> now(first.data(), height, width);
    transpiler::view<float, 2> later(second.data(), height, width);
    for (int step = 0; step < steps; ++step) {
        diffuse::diffuse_launch(now, later).or_throw();
        std::swap(now, later);
    }
    paint::paint_launch(now, 100.0f, transpiler::view<std::uint8_t, 3>(rgb.data(), height, width, 3)).or_throw();
    if (!png::write(path, rgb.read(), width, height)) {
        throw std::runtime_error(std::string("cannot write ") + path);
    }
    std::printf("%s: %d steps\n", path, steps);
}

}  // namespace

int main(int count, char** arguments)
{
    try {
        simulate(count > 1 ? arguments[1] : "heat.png", count > 2 ? std::atoi(arguments[2]) : 2000);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    return 0;
}
