// Loads and starts kernels whose machine code is in the program, for generated `*_launch.cpp` files. The CUDA driver is opened when
// the first kernel starts: building needs no CUDA at all, and a program without a driver gets a status.
#ifndef TRANSPILER_DRIVER_H
#define TRANSPILER_DRIVER_H

#include "transpiler_checks.h"

#include <mutex>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace transpiler {

/// Machine code for one architecture, or PTX, which later ones can use too.
struct image {
    int major;
    int minor;
    bool is_ptx;
    const unsigned char* bytes;
};

/// The functions of the driver that a launch needs; `error` says why there are none.
struct driver {
    using handle = void*;
    int (*init)(unsigned int) = nullptr;
    int (*context_current)(handle*) = nullptr;
    int (*context_set)(handle) = nullptr;
    int (*context_device)(int*) = nullptr;
    int (*primary_retain)(handle*, int) = nullptr;
    int (*device_attribute)(int*, int, int) = nullptr;
    int (*module_load)(handle*, const void*) = nullptr;
    int (*module_function)(handle*, handle, const char*) = nullptr;
    int (*function_get)(int*, int, handle) = nullptr;
    int (*function_set)(handle, int, int) = nullptr;
    int (*launch)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void**,
                  void**) = nullptr;
    int (*launch_cooperative)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle,
                              void**) = nullptr;
    int (*error_text)(int, const char**) = nullptr;
    const char* error = nullptr;

    /// The driver of this process.
    static const driver& get() noexcept
    {
        static const driver only;
        return only;
    }

    const char* text(int code) const noexcept
    {
        const char* found = nullptr;
        return error_text != nullptr && error_text(code, &found) == 0 && found != nullptr ? found : "unknown error";
    }

  private:
    driver() noexcept
    {
#ifdef _WIN32
        HMODULE library = LoadLibraryA("nvcuda.dll");
#else
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
        if (library == nullptr) {
            error = "there is no CUDA driver on this machine";
            return;
        }
        load(library, "cuInit", init);
        load(library, "cuCtxGetCurrent", context_current);
        load(library, "cuCtxSetCurrent", context_set);
        load(library, "cuCtxGetDevice", context_device);
        load(library, "cuDevicePrimaryCtxRetain", primary_retain);
        load(library, "cuDeviceGetAttribute", device_attribute);
        load(library, "cuModuleLoadData", module_load);
        load(library, "cuModuleGetFunction", module_function);
        load(library, "cuFuncGetAttribute", function_get);
        load(library, "cuFuncSetAttribute", function_set);
        load(library, "cuLaunchKernel", launch);
        load(library, "cuLaunchCooperativeKernel", launch_cooperative);
        load(library, "cuGetErrorString", error_text);
        const int code = error == nullptr ? init(0) : 0;
        if (code != 0) {
            error = text(code);
        }
    }

    template <class Library, class Function>
    void load(Library library, const char* name, Function& function) noexcept
    {
#ifdef _WIN32
        function = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
#else
        function = reinterpret_cast<Function>(dlsym(library, name));
#endif
        if (function == nullptr) {
            error = "the CUDA driver is too old";
        }
    }
};

/// The machine code of a unit, loaded once in each context that launches from it.
class module {
  public:
    template <int Count>
    explicit constexpr module(const image (&images)[Count]) noexcept : images_(images), count_(Count)
    {
    }

    /// A kernel in the current context; where there is none, in that of the first device, which becomes current.
    driver::handle function(plan& launch, const char* name) noexcept
    {
        const driver& cuda = driver::get();
        if (cuda.error != nullptr) {
            launch.refuse(TRANSPILER_DEVICE, "CUDA: %s", cuda.error);
            return nullptr;
        }
        driver::handle context = nullptr;
        int code = cuda.context_current(&context);
        if (code == 0 && context == nullptr) {
            code = cuda.primary_retain(&context, 0);
            code = code == 0 ? cuda.context_set(context) : code;
        }
        driver::handle loaded = code == 0 ? load(cuda, context, code) : nullptr;
        driver::handle found = nullptr;
        code = loaded != nullptr ? cuda.module_function(&found, loaded, name) : code;
        if (code != 0) {
            launch.refuse(TRANSPILER_DEVICE, "CUDA: %s", cuda.text(code));
        }
        return found;
    }

  private:
    static constexpr int most_contexts = 16;
    static constexpr int no_image_for_device = 209;  // CUDA_ERROR_NO_BINARY_FOR_GPU

    const image* images_;
    int count_;
    std::mutex lock_;
    driver::handle contexts_[most_contexts] = {};
    driver::handle modules_[most_contexts] = {};

    driver::handle load(const driver& cuda, driver::handle context, int& code) noexcept
    {
        const std::lock_guard<std::mutex> guard(lock_);
        int slot = 0;
        while (slot < most_contexts - 1 && contexts_[slot] != nullptr && contexts_[slot] != context) {
            ++slot;
        }
        if (contexts_[slot] == context) {
            return modules_[slot];
        }
        const image* const best = choose(cuda);
        code = best == nullptr ? no_image_for_device : cuda.module_load(&modules_[slot], best->bytes);
        contexts_[slot] = code == 0 ? context : nullptr;
        return code == 0 ? modules_[slot] : nullptr;
    }

    /// Machine code runs on its own major version, from its minor one on; PTX on everything later.
    const image* choose(const driver& cuda) const noexcept
    {
        int device = 0;
        int major = 0;
        int minor = 0;
        if (cuda.context_device(&device) != 0 || cuda.device_attribute(&major, 75, device) != 0 ||
            cuda.device_attribute(&minor, 76, device) != 0) {
            return nullptr;
        }
        const image* best = nullptr;
        for (int k = 0; k < count_; ++k) {
            const image& it = images_[k];
            const bool runs = it.is_ptx ? it.major * 10 + it.minor <= major * 10 + minor
                                        : it.major == major && it.minor <= minor;
            const bool is_better = best == nullptr || (best->is_ptx && !it.is_ptx) ||
                                   (best->is_ptx == it.is_ptx &&
                                    best->major * 10 + best->minor < it.major * 10 + it.minor);
            best = runs && is_better ? &it : best;
        }
        return best;
    }
};

inline status start(plan& launch, module& code, const char* name, void** arguments, bool is_cooperative) noexcept
{
    if (launch.failed() || launch.starts_nothing()) {
        return launch.result();
    }
    const driver::handle function = code.function(launch, name);
    if (function == nullptr) {
        return launch.result();
    }
    const driver& cuda = driver::get();
    const unsigned int shared = static_cast<unsigned int>(launch.shared);
    int error = 0;
    if (shared > 0) {
        int fixed = 0;
        error = cuda.function_get(&fixed, 1, function);  // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
        if (error == 0 && static_cast<unsigned int>(fixed) + shared > 48 * 1024 &&
            cuda.function_set(function, 8, static_cast<int>(shared)) != 0) {  // ..._MAX_DYNAMIC_SHARED_SIZE_BYTES
            launch.refuse(TRANSPILER_CONFIGURATION, "a block needs %u bytes of dynamic shared memory, more than the device has",
                          shared);
            return launch.result();
        }
    }
    const unsigned int* const g = launch.grid;
    const unsigned int* const b = launch.block;
    void* const stream = launch.options.stream;
    if (error == 0) {
        error = is_cooperative
                    ? cuda.launch_cooperative(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, arguments)
                    : cuda.launch(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, stream, arguments, nullptr);
    }
    if (error != 0) {
        launch.refuse(TRANSPILER_DEVICE, "CUDA: %s", cuda.text(error));
    }
    return launch.result();
}

}  // namespace transpiler

#endif  // TRANSPILER_DRIVER_H
