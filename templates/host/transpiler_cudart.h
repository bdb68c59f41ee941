// Starts kernels that nvcc compiled, for generated `*_launch.cpp` files: CUDA's runtime API.
#ifndef TRANSPILER_CUDART_H
#define TRANSPILER_CUDART_H

#include "transpiler_checks.h"

#include <cuda_runtime_api.h>

namespace transpiler {

inline status start(plan& launch, const void* kernel, void** arguments, bool is_cooperative) noexcept
{
    if (launch.failed() || launch.starts_nothing()) {
        return launch.result();
    }
    cudaError_t error = cudaSuccess;
    if (launch.shared > 0) {
        cudaFuncAttributes attributes;
        error = cudaFuncGetAttributes(&attributes, kernel);
        if (error == cudaSuccess && attributes.sharedSizeBytes + launch.shared > 48 * 1024 &&
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(launch.shared)) !=
                cudaSuccess) {
            launch.refuse(TRANSPILER_CONFIGURATION, "a block needs %u bytes of dynamic shared memory, more than the device has",
                          static_cast<unsigned int>(launch.shared));
            return launch.result();
        }
    }
    const dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]);
    const dim3 block(launch.block[0], launch.block[1], launch.block[2]);
    if (error == cudaSuccess) {
        error = is_cooperative
                    ? cudaLaunchCooperativeKernel(kernel, grid, block, arguments, launch.shared, launch.options.stream)
                    : cudaLaunchKernel(kernel, grid, block, arguments, launch.shared, launch.options.stream);
    }
    if (error != cudaSuccess) {
        launch.refuse(TRANSPILER_DEVICE, "CUDA: %s", cudaGetErrorString(error));
    }
    return launch.result();
}

}  // namespace transpiler

#endif  // TRANSPILER_CUDART_H
