// The checks of a launch, for generated `*_launch.cpp` files: exact integers, the conditions of a contract, grid and block.
// C++17; no CUDA header.
#ifndef TRANSPILER_CHECKS_H
#define TRANSPILER_CHECKS_H

#include "transpiler_runtime.h"

#include <cstdarg>
#include <cstdio>
#include <initializer_list>

namespace transpiler {

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
#else
typedef long long wide;
#endif

/// An integer of a contract. Python's have no end; here a result that does not fit is `!valid`, and so is a division by zero:
/// a condition that rests on one does not hold.
class exact {
  public:
    bool valid;
    wide value;

    template <class I, class = std::enable_if_t<std::is_integral<I>::value>>
    constexpr exact(I number) noexcept : valid(fits(number)), value(static_cast<wide>(number))
    {
    }

    static constexpr exact of(bool is_valid, wide number) noexcept { return exact(is_valid, number, 0); }
    static constexpr wide max() noexcept { return ((wide(1) << (sizeof(wide) * 8 - 2)) - 1) * 2 + 1; }
    static constexpr wide min() noexcept { return -max() - 1; }
    constexpr bool within(wide low, wide high) const noexcept { return valid && low <= value && value <= high; }
    constexpr double real() const noexcept { return static_cast<double>(value); }
    constexpr long long narrow() const noexcept { return static_cast<long long>(value); }

  private:
    constexpr exact(bool is_valid, wide number, int) noexcept : valid(is_valid), value(number) {}

    template <class I>
    static constexpr bool fits(I number) noexcept
    {
        return sizeof(I) < sizeof(wide) || std::is_signed<I>::value || static_cast<wide>(number) >= 0;
    }
};

constexpr exact nothing() noexcept { return exact::of(false, 0); }

constexpr exact operator+(exact a, exact b) noexcept
{
    const bool over = b.value > 0 ? a.value > exact::max() - b.value : a.value < exact::min() - b.value;
    return a.valid && b.valid && !over ? exact::of(true, a.value + b.value) : nothing();
}

constexpr exact operator-(exact a) noexcept
{
    return a.valid && a.value != exact::min() ? exact::of(true, -a.value) : nothing();
}

constexpr exact operator-(exact a, exact b) noexcept
{
    const bool over = b.value < 0 ? a.value > exact::max() + b.value : a.value < exact::min() + b.value;
    return a.valid && b.valid && !over ? exact::of(true, a.value - b.value) : nothing();
}

constexpr exact operator*(exact a, exact b) noexcept
{
    if (!a.valid || !b.valid || a.value == exact::min() || b.value == exact::min()) {
        return a.valid && b.valid && (a.value == 0 || b.value == 0) ? exact(0) : nothing();
    }
    const wide x = a.value < 0 ? -a.value : a.value;
    const wide y = b.value < 0 ? -b.value : b.value;
    return y != 0 && x > exact::max() / y ? nothing() : exact::of(true, a.value * b.value);
}

/// Python's `//`: towards minus infinity.
constexpr exact floor_div(exact a, exact b) noexcept
{
    if (!a.valid || !b.valid || b.value == 0 || (a.value == exact::min() && b.value == -1)) {
        return nothing();
    }
    const wide quotient = a.value / b.value;
    const bool is_above = a.value % b.value != 0 && (a.value < 0) != (b.value < 0);
    return exact::of(true, quotient - (is_above ? 1 : 0));
}

/// Python's `%`: of the sign of the divisor.
constexpr exact operator%(exact a, exact b) noexcept
{
    if (!a.valid || !b.valid || b.value == 0) {
        return nothing();
    }
    if (b.value == -1) {
        return exact(0);
    }
    const wide rest = a.value % b.value;
    return exact::of(true, rest != 0 && (rest < 0) != (b.value < 0) ? rest + b.value : rest);
}

constexpr exact power(exact base, exact exponent) noexcept
{
    exact result(1);
    if (!exponent.valid || exponent.value < 0) {
        return nothing();
    }
    for (wide k = 0; k < exponent.value && result.valid; ++k) {
        result = result * base;
        if (result.value == 0 || (result.value == 1 && base.value == 1)) {
            break;
        }
        if (base.valid && base.value == -1) {
            return exact(exponent.value % 2 == 0 ? 1 : -1);
        }
    }
    return result;
}

constexpr exact operator~(exact a) noexcept { return -a - exact(1); }
constexpr exact operator&(exact a, exact b) noexcept { return exact::of(a.valid && b.valid, a.value & b.value); }
constexpr exact operator|(exact a, exact b) noexcept { return exact::of(a.valid && b.valid, a.value | b.value); }
constexpr exact operator^(exact a, exact b) noexcept { return exact::of(a.valid && b.valid, a.value ^ b.value); }
constexpr exact operator<<(exact a, exact b) noexcept { return a * power(exact(2), b); }
constexpr exact operator>>(exact a, exact b) noexcept
{
    return b.within(0, sizeof(wide) * 8 - 2) ? floor_div(a, power(exact(2), b)) : nothing();
}
constexpr exact min(exact a, exact b) noexcept { return !a.valid || (b.valid && a.value <= b.value) ? a : b; }
constexpr exact max(exact a, exact b) noexcept { return !a.valid || (b.valid && a.value >= b.value) ? a : b; }
constexpr exact abs(exact a) noexcept { return a.value < 0 ? -a : a; }

/// What a conversion to an integer type of `bits` bits leaves of a number.
constexpr exact wrapped(exact a, int bits, bool is_signed) noexcept
{
    const exact span = power(exact(2), exact(bits));
    const exact low = is_signed ? -power(exact(2), exact(bits - 1)) : exact(0);
    return (a - low) % span + low;
}

/// A condition: true, false, or resting on a number that is not valid.
struct truth {
    bool valid;
    bool value;

    constexpr truth(bool is_true) noexcept : valid(true), value(is_true) {}
    constexpr truth(bool is_valid, bool is_true) noexcept : valid(is_valid), value(is_true) {}
    constexpr bool holds() const noexcept { return valid && value; }
};

constexpr truth operator==(exact a, exact b) noexcept { return truth(a.valid && b.valid, a.value == b.value); }
constexpr truth operator!=(exact a, exact b) noexcept { return truth(a.valid && b.valid, a.value != b.value); }
constexpr truth operator<(exact a, exact b) noexcept { return truth(a.valid && b.valid, a.value < b.value); }
constexpr truth operator<=(exact a, exact b) noexcept { return truth(a.valid && b.valid, a.value <= b.value); }
constexpr truth operator>(exact a, exact b) noexcept { return b < a; }
constexpr truth operator>=(exact a, exact b) noexcept { return b <= a; }
constexpr truth operator!(truth a) noexcept { return truth(a.valid, !a.value); }

/// As in Python, the right side counts only where the left one does not decide.
constexpr truth both(truth a, truth b) noexcept { return a.valid && a.value ? b : a; }
constexpr truth either(truth a, truth b) noexcept { return a.valid && !a.value ? b : a; }
constexpr exact as_number(truth a) noexcept { return exact::of(a.valid, a.value ? 1 : 0); }
constexpr exact select(truth condition, exact then, exact otherwise) noexcept
{
    return !condition.valid ? nothing() : condition.value ? then : otherwise;
}
constexpr truth select(truth condition, truth then, truth otherwise) noexcept
{
    return !condition.valid ? condition : condition.value ? then : otherwise;
}
constexpr double select(truth condition, double then, double otherwise) noexcept
{
    return condition.holds() ? then : otherwise;
}

/// A number with its name, for messages. Floats have no exact value: they are shown as they are.
struct named {
    const char* name;
    exact number;
    double real;
    bool is_real;

    named(const char* of, exact value) noexcept : name(of), number(value), real(0), is_real(false) {}
    named(const char* of, double value) noexcept : name(of), number(0), real(value), is_real(true) {}
};

/// A launch that is being checked: its first refusal, or its grid, block and shared memory.
class plan {
  public:
    unsigned int grid[3] = {1, 1, 1};
    unsigned int block[3] = {1, 1, 1};
    std::size_t shared = 0;
    launch_options options;

    plan(const char* kernel, const launch_options& given) noexcept : options(given), kernel_(kernel) {}

    const status& result() const noexcept { return status_; }
    bool failed() const noexcept { return !status_.ok(); }
    bool starts_nothing() const noexcept { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }

    void refuse(int code, const char* format, ...) noexcept
    {
        if (failed()) {
            return;
        }
        status_.code = code;
        const int used = std::snprintf(status_.message, sizeof status_.message, "%s: ", kernel_);
        const std::size_t start = used < 0 ? 0 : static_cast<std::size_t>(used);
        if (start < sizeof status_.message) {
            va_list arguments;
            va_start(arguments, format);
            std::vsnprintf(status_.message + start, sizeof status_.message - start, format, arguments);
            va_end(arguments);
        }
    }

    void require(truth condition, const char* text, std::initializer_list<named> numbers = {},
                 int code = TRANSPILER_CONTRACT) noexcept
    {
        if (condition.holds() || failed()) {
            return;
        }
        char shown[160] = "";
        std::size_t used = 0;
        for (const named& number : numbers) {
            const std::size_t left = sizeof shown - used;
            const char* const comma = used == 0 ? " but " : ", ";
            const int wrote =
                number.is_real ? std::snprintf(shown + used, left, "%s%s = %g", comma, number.name, number.real)
                               : std::snprintf(shown + used, left, "%s%s = %lld", comma, number.name, number.number.narrow());
            if (wrote < 0 || static_cast<std::size_t>(wrote) >= left) {
                break;
            }
            used += static_cast<std::size_t>(wrote);
        }
        refuse(code, "needs `%s`,%s%s", text, used == 0 ? " which does not hold" : shown,
               condition.valid ? "" : " (the numbers are too large, or it divides by zero)");
    }

    void shape(exact given, exact wanted, const char* text) noexcept
    {
        require(given == wanted, text, {{"the extent", given}, {"wanted", wanted}}, TRANSPILER_SHAPE);
    }

    /// Everything about one array alone.
    template <class T, int Rank, class Order>
    void array(const char* name, const view<T, Rank, Order>& array) noexcept
    {
        for (int axis = 0; axis < Rank; ++axis) {
            if (array.extents[axis] < 0) {
                refuse(TRANSPILER_SHAPE, "%s.shape[%d] is %lld", name, axis, static_cast<long long>(array.extents[axis]));
            }
            if (!std::is_const<T>::value && array.extents[axis] > 1 && array.stride(axis) == 0 && !is_empty(array)) {
                refuse(TRANSPILER_POINTER, "%s is written, and its stride 0 puts elements in one place", name);
            }
        }
        if (is_empty(array)) {
            return;
        }
        if (array.data == nullptr) {
            refuse(TRANSPILER_POINTER, "%s is null", name);
        }
        if (address(array.data) % sizeof(T) != 0) {
            refuse(TRANSPILER_POINTER, "%s is not aligned to %d bytes", name, static_cast<int>(sizeof(T)));
        }
        if (!bounds(array).valid) {
            refuse(TRANSPILER_SHAPE, "%s has more elements than memory can hold", name);
        }
    }

    /// An array that copies of so many bytes read starts at a multiple of that.
    template <class T, int Rank, class Order>
    void aligned(const char* name, const view<T, Rank, Order>& array, int bytes) noexcept
    {
        if (!is_empty(array) && address(array.data) % static_cast<unsigned int>(bytes) != 0) {
            refuse(TRANSPILER_POINTER, "%s is not aligned to %d bytes, which its asynchronous copies move at once", name, bytes);
        }
    }

    /// An array that is written and another one must share no memory.
    template <class A, int RankA, class OrderA, class B, int RankB, class OrderB>
    void apart(const char* name, const view<A, RankA, OrderA>& a, const char* other, const view<B, RankB, OrderB>& b) noexcept
    {
        if (failed() || is_empty(a) || is_empty(b)) {
            return;
        }
        const range first = bounds(a);
        const range second = bounds(b);
        if (first.low < second.high && second.low < first.high) {
            refuse(TRANSPILER_OVERLAP, "%s and %s overlap in memory", name, other);
        }
    }

    /// The kernel's block, 0 where it is free; `chosen` holds what free axes get unless the caller says otherwise.
    void choose_block(std::initializer_list<unsigned int> fixed, std::initializer_list<unsigned int> chosen) noexcept
    {
        const bool given = options.block[0] != 0 || options.block[1] != 0 || options.block[2] != 0;
        for (int axis = 0; axis < 3; ++axis) {
            const unsigned int wanted = fixed.begin()[axis];
            block[axis] = given ? options.block[axis] : chosen.begin()[axis];
            if (given && wanted != 0 && block[axis] != wanted) {
                refuse(TRANSPILER_CONFIGURATION, "its block has %u threads on axis %c, not %u", wanted, "xyz"[axis], block[axis]);
            }
            if (block[axis] < 1 || block[axis] > (axis == 2 ? 64u : 1024u)) {
                refuse(TRANSPILER_CONFIGURATION, "no block has %u threads on axis %c", block[axis], "xyz"[axis]);
            }
        }
        if (!failed() && block[0] * block[1] * block[2] > 1024) {
            refuse(TRANSPILER_CONFIGURATION, "a block of %u x %u x %u has more than 1024 threads", block[0], block[1], block[2]);
        }
    }

    /// The grid of `grid=`.
    void choose_grid(exact x, exact y = 1, exact z = 1) noexcept
    {
        const exact wanted[3] = {x, y, z};
        const bool given = is_grid_given();
        for (int axis = 0; axis < 3; ++axis) {
            const exact most = exact(axis == 0 ? 2147483647 : 65535);
            if (!wanted[axis].within(0, most.value)) {
                refuse(TRANSPILER_CONFIGURATION, "its grid has %lld blocks on axis %c; a device allows %lld",
                       wanted[axis].narrow(), "xyz"[axis], most.narrow());
                return;
            }
            grid[axis] = static_cast<unsigned int>(wanted[axis].value);
            if (given && options.grid[axis] != grid[axis]) {
                refuse(TRANSPILER_CONFIGURATION, "it is proved for its own grid, %u blocks on axis %c, not %u", grid[axis],
                       "xyz"[axis], options.grid[axis]);
            }
            if (!(exact(grid[axis]) * exact(block[axis])).within(0, 2147483647)) {
                refuse(TRANSPILER_CONFIGURATION, "2**31 or more threads on axis %c", "xyz"[axis]);
            }
        }
    }

    /// The grid that covers `domain=`, axis by axis.
    void cover(exact x, exact y = 1, exact z = 1) noexcept
    {
        if (!failed()) {
            choose_grid(blocks(x, 0), blocks(y, 1), blocks(z, 2));
        }
    }

    /// The caller's grid, of which the kernel uses the leading `axes`.
    void take_grid(int axes) noexcept
    {
        if (failed()) {
            return;
        }
        if (!is_grid_given()) {
            refuse(TRANSPILER_CONFIGURATION, "it has neither grid= nor domain=: the options must give a grid");
            return;
        }
        for (int axis = axes; axis < 3; ++axis) {
            if (options.grid[axis] != 1) {
                refuse(TRANSPILER_CONFIGURATION, "it uses no blocks on axis %c: their number is 1", "xyz"[axis]);
            }
        }
        choose_grid(options.grid[0], options.grid[1], options.grid[2]);
    }

    /// Bytes of dynamic shared memory: the kernel's arrays, and the caller's.
    void choose_shared(exact arrays) noexcept
    {
        const exact total = arrays + exact(options.shared);
        if (!total.within(0, 2147483647)) {
            refuse(TRANSPILER_CONFIGURATION, "its shared arrays take more memory than a block can have");
            return;
        }
        shared = static_cast<std::size_t>(total.value);
    }

    /// A contract on the contents of an array, which only the caller can answer for.
    void contents(const char* text) noexcept
    {
        if (!options.contents_verified) {
            refuse(TRANSPILER_CONTENTS, "needs `%s`: set contents_verified once you have made sure of it", text);
        }
    }

    void needs_failure_buffer() noexcept
    {
        if (options.failure == nullptr) {
            refuse(TRANSPILER_FAILURE, "it has run-time checks: options.failure must point to 12 zeroed words");
        }
    }

  private:
    struct range {
        bool valid;
        std::uintptr_t low;
        std::uintptr_t high;
    };

    const char* kernel_;
    status status_;

    static std::uintptr_t address(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

    bool is_grid_given() const noexcept { return options.grid[0] != 0 || options.grid[1] != 0 || options.grid[2] != 0; }

    exact blocks(exact extent, int axis) const noexcept
    {
        const exact threads(block[axis]);
        return floor_div(extent + threads - exact(1), threads);
    }

    template <class T, int Rank, class Order>
    static bool is_empty(const view<T, Rank, Order>& array) noexcept
    {
        for (std::int64_t extent : array.extents) {
            if (extent == 0) {
                return true;
            }
        }
        return false;
    }

    /// The lowest address of an array that is not empty, and the one behind the highest.
    template <class T, int Rank, class Order>
    static range bounds(const view<T, Rank, Order>& array) noexcept
    {
        exact low(address(array.data));
        exact high = low;
        exact step(1);
        for (int k = 0; k < Rank; ++k) {
            const int axis = std::is_same<Order, row_major>::value ? Rank - 1 - k : k;
            const exact stride = std::is_same<Order, strided>::value ? exact(array.stride(axis)) : step;
            const exact reach = (exact(array.extents[axis]) - exact(1)) * stride * exact(sizeof(T));
            (reach.value < 0 ? low : high) = (reach.value < 0 ? low : high) + reach;
            step = step * exact(array.extents[axis]);
        }
        high = high + exact(sizeof(T));
        const bool valid = low.valid && high.within(0, exact::max()) && low.value >= 0 &&
                           static_cast<wide>(static_cast<std::uintptr_t>(high.value)) == high.value;
        return {valid, static_cast<std::uintptr_t>(low.value), static_cast<std::uintptr_t>(high.value)};
    }
};

/// An argument as CUDA takes it.
template <class T>
void* argument(T& value) noexcept
{
    return const_cast<void*>(static_cast<const void*>(&value));
}

/// The outcome for callers in C.
inline int report(const status& outcome, transpiler_status* out) noexcept
{
    if (out != nullptr) {
        *out = outcome;
    }
    return outcome.code;
}

inline launch_options options_of(const transpiler_launch* given) noexcept
{
    return given == nullptr ? launch_options() : launch_options(*given);
}

}  // namespace transpiler

#endif  // TRANSPILER_CHECKS_H
