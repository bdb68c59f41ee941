// Device memory through the CUDA driver, opened at run time: the program starts, and says what is missing, on machines without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

class device {
  public:
    device()
    {
        void* const library = dlopen("libcuda.so.1", RTLD_NOW);
        if (library == nullptr) {
            throw std::runtime_error("there is no CUDA driver on this machine");
        }
        int (*init)(unsigned) = nullptr;
        int (*retain)(void**, int) = nullptr;
        int (*set)(void*) = nullptr;
        load(library, "cuInit", init);
        load(library, "cuDevicePrimaryCtxRetain", retain);
        load(library, "cuCtxSetCurrent", set);
        load(library, "cuMemAlloc_v2", allocate);
        load(library, "cuMemFree_v2", release);
        load(library, "cuMemcpyHtoD_v2", upload);
        load(library, "cuMemcpyDtoH_v2", download);
        void* context = nullptr;
        check(init(0));
        check(retain(&context, 0));
        check(set(context));
    }

    static void check(int code)
    {
        if (code != 0) {
            throw std::runtime_error("CUDA error " + std::to_string(code));
        }
    }

    int (*allocate)(std::uintptr_t*, std::size_t) = nullptr;
    int (*release)(std::uintptr_t) = nullptr;
    int (*upload)(std::uintptr_t, const void*, std::size_t) = nullptr;
    int (*download)(void*, std::uintptr_t, std::size_t) = nullptr;

  private:
    template <class Function>
    static void load(void* library, const char* name, Function& function)
    {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (function == nullptr) {
            throw std::runtime_error("the CUDA driver is too old");
        }
    }
};

/// An array in device memory.
template <class T>
class buffer {
  public:
    buffer(const device& on, std::size_t count) : on_(on), count_(count)
    {
        device::check(on_.allocate(&address_, count_ * sizeof(T)));
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { on_.release(address_); }

    T* data() const { return reinterpret_cast<T*>(address_); }
    void write(const std::vector<T>& values) { device::check(on_.upload(address_, values.data(), count_ * sizeof(T))); }
    std::vector<T> read() const
    {
        std::vector<T> values(count_);
        device::check(on_.download(values.data(), address_, count_ * sizeof(T)));
        return values;
    }

  private:
    const device& on_;
    std::size_t count_;
    std::uintptr_t address_ = 0;
};
