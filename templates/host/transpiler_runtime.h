/* What generated headers speak of: views of device arrays, the options of a launch, and a status.
 *
 * C11 and C++17. There is no library behind it, and it needs no CUDA header. Every unit of kernels includes this one file, so that
 * a view or a status of one unit is one of all others. Nothing here throws but `status::or_throw`.
 */
#ifndef TRANSPILER_RUNTIME_H
#define TRANSPILER_RUNTIME_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
extern "C" {
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

struct CUstream_st; /* a cudaStream_t and a CUstream are pointers to it */

/* How to launch. Zeroes are the usual case: the default stream, and the grid and block that the kernel asks for. */
typedef struct transpiler_launch {
    struct CUstream_st* stream;
    unsigned int grid[3];  /* x, y, z; zeroes: the grid that follows from the arguments */
    unsigned int block[3]; /* x, y, z; zeroes: the kernel's block */
    size_t shared;         /* bytes of dynamic shared memory beyond what the kernel's own arrays take */
    int contents_verified; /* the caller answers for contracts on the contents of arrays (injective(...) and the like) */
    int64_t* failure;      /* for kernels with run-time checks: 12 zeroed words that the device can write */
} transpiler_launch;

enum transpiler_code {
    TRANSPILER_OK = 0,
    TRANSPILER_SHAPE = 1,         /* an extent is not the one that the parameters agree on */
    TRANSPILER_POINTER = 2,       /* null, or not aligned */
    TRANSPILER_OVERLAP = 3,       /* an array that is written shares memory with another one */
    TRANSPILER_CONTRACT = 4,      /* a condition of the contract does not hold */
    TRANSPILER_CONFIGURATION = 5, /* a grid, block or amount of shared memory that the kernel or CUDA does not allow */
    TRANSPILER_CONTENTS = 6,      /* nobody answers for a contract on contents */
    TRANSPILER_FAILURE = 7,       /* a kernel with run-time checks needs `failure` */
    TRANSPILER_DEVICE = 8         /* CUDA reports an error */
};

typedef struct transpiler_status {
    int code;          /* of enum transpiler_code */
    char message[252]; /* empty where the code is TRANSPILER_OK */
} transpiler_status;

#ifdef __cplusplus
}  // extern "C"

namespace transpiler {

/// The outcome of a check or of a launch. A launch is asynchronous: what the kernel itself does wrong is not known yet.
struct [[nodiscard]] status : transpiler_status {
    status() noexcept : transpiler_status{} {}

    bool ok() const noexcept { return code == TRANSPILER_OK; }
    explicit operator bool() const noexcept { return ok(); }

    /// For callers who want exceptions.
    void or_throw() const
    {
        if (!ok()) {
            throw std::runtime_error(message);
        }
    }
};

/// `transpiler_launch` with a stream in front; `{}` launches on the default stream.
struct launch_options : transpiler_launch {
    launch_options(CUstream_st* on_stream = nullptr) noexcept : transpiler_launch{} { stream = on_stream; }
    launch_options(const transpiler_launch& given) noexcept : transpiler_launch(given) {}
};

/// Orders of the elements of an array in memory.
struct row_major {};     ///< C order: the last axis is contiguous
struct column_major {};  ///< Fortran order: the first axis is contiguous
struct strided {};       ///< each axis has its own stride

/// An array in device memory: a pointer and its extents, in the order of the axes in Python. Does not own the memory.
template <class T, int Rank, class Order = row_major>
struct view {
    T* data = nullptr;
    std::int64_t extents[Rank] = {};

    constexpr view() noexcept = default;

    /// `view<float, 2>(pointer, rows, columns)`
    template <class... E,
              class = std::enable_if_t<sizeof...(E) == Rank && (std::is_integral<E>::value && ...)>>
    constexpr view(T* pointer, E... shape) noexcept : data(pointer), extents{static_cast<std::int64_t>(shape)...}
    {
    }

    /// A view of elements that may be written is one of elements that are only read.
    template <class U, class = std::enable_if_t<std::is_same<const U, T>::value>>
    constexpr view(const view<U, Rank, Order>& other) noexcept : data(other.data)
    {
        for (int axis = 0; axis < Rank; ++axis) {
            extents[axis] = other.extents[axis];
        }
    }

    /// The distance of neighbours along an axis, in elements.
    constexpr std::int64_t stride(int axis) const noexcept
    {
        constexpr bool is_row_major = std::is_same<Order, row_major>::value;
        std::int64_t product = 1;
        for (int other = is_row_major ? axis + 1 : 0; other < (is_row_major ? Rank : axis); ++other) {
            product *= extents[other];
        }
        return product;
    }
};

template <class T, int Rank>
struct view<T, Rank, strided> {
    T* data = nullptr;
    std::int64_t extents[Rank] = {};
    std::int64_t strides[Rank] = {};

    constexpr view() noexcept = default;

    constexpr view(T* pointer, const std::int64_t (&shape)[Rank], const std::int64_t (&steps)[Rank]) noexcept
        : data(pointer)
    {
        for (int axis = 0; axis < Rank; ++axis) {
            extents[axis] = shape[axis];
            strides[axis] = steps[axis];
        }
    }

    template <class U, class = std::enable_if_t<std::is_same<const U, T>::value>>
    constexpr view(const view<U, Rank, strided>& other) noexcept : view(other.data, other.extents, other.strides)
    {
    }

    constexpr std::int64_t stride(int axis) const noexcept { return strides[axis]; }
};

}  // namespace transpiler
#endif /* __cplusplus */

#endif /* TRANSPILER_RUNTIME_H */
