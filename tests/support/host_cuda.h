// Stand-ins for CUDA on a host compiler, so that emitted kernels build with g++ and run on the CPU as an oracle.
//
// A block is one OS thread; its threads are fibers that run one at a time and give way at barriers and warp collectives. So a
// run is deterministic, shared memory is `static thread_local`, and a barrier that not all threads reach is found as a deadlock.
// Blocks run one after the other, those of a cooperative launch all at once. Not modelled: warps in lock step (a warp collective
// waits for the lanes of its mask), memory orders weaker than sequential, clocks.
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <atomic>
#include <barrier>
#include <bit>
#include <cfenv>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static thread_local
#define warpSize 32

struct uint3_host {
    unsigned int x = 0, y = 0, z = 0;
};

// --- fibers ------------------------------------------------------------------------------------------------

namespace host {

struct ThreadExit {};

struct Rendezvous {
    int arrived = 0;
    unsigned generation = 0;
    unsigned long long slots[32] = {};
    unsigned given = 0;
};

// A copy of cp.async, which is made when its thread waits for its group: until then the target holds what it held.
struct PendingCopy {
    void* target;
    const void* source;
    int bytes;
};

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    uint3_host thread_index;
    unsigned rank = 0;
    bool done = false;
    std::vector<PendingCopy> started;
    std::deque<std::vector<PendingCopy>> groups;
};

struct Block {
    uint3_host block_index;
    std::vector<Fiber> fibers;
    std::map<std::pair<unsigned, unsigned>, Rendezvous> warps;  // by warp and mask
    Rendezvous all;
    long long votes[2] = {0, 0};  // threads that voted true, in this and the next round
    std::vector<char> dynamic;
    unsigned alive = 0;
    bool progress = false;
    ucontext_t scheduler;
    Fiber* current = nullptr;
};

struct Launch {
    uint3_host grid, block;
    size_t dynamic_bytes = 0;
    void (*body)(void**) = nullptr;
    void** arguments = nullptr;
    std::barrier<>* blocks = nullptr;
    std::atomic<bool> deadlock{false};
};

inline thread_local Block* block = nullptr;
inline Launch* launched = nullptr;
constexpr size_t stack_bytes = 128 * 1024;

inline void give_way() { swapcontext(&block->current->context, &block->scheduler); }

inline void wait_until(const std::function<bool()>& ready)
{
    while (!ready()) {
        if (launched->deadlock) {
            throw ThreadExit{};
        }
        give_way();
    }
    block->progress = true;
}

// Waits until as many as `needed` says have arrived; who exits is no longer waited for. The last to come calls `last`.
inline void meet(Rendezvous& place, const std::function<int()>& needed, const std::function<void()>& last = [] {})
{
    const unsigned generation = place.generation;
    place.arrived += 1;
    wait_until([&] {
        if (place.generation != generation) {
            return true;
        }
        if (place.arrived < needed()) {
            return false;
        }
        place.arrived = 0;
        place.generation += 1;
        last();
        return true;
    });
}

inline void fiber_main()
{
    try {
        launched->body(launched->arguments);
    } catch (ThreadExit&) {
    }
    block->current->done = true;
    block->alive -= 1;
    block->progress = true;
    swapcontext(&block->current->context, &block->scheduler);
}

inline void run_block(uint3_host index)
{
    Block state;
    block = &state;
    const unsigned threads = launched->block.x * launched->block.y * launched->block.z;
    state.block_index = index;
    state.alive = threads;
    state.dynamic.assign(launched->dynamic_bytes + 16, (char)0xCD);
    state.fibers = std::vector<Fiber>(threads);
    for (unsigned rank = 0; rank < threads; ++rank) {
        Fiber& fiber = state.fibers[rank];
        fiber.rank = rank;
        fiber.thread_index = {rank % launched->block.x, rank / launched->block.x % launched->block.y,
                              rank / (launched->block.x * launched->block.y)};
        fiber.stack.reset(new char[stack_bytes]);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, fiber_main, 0);
    }
    while (state.alive > 0) {
        state.progress = false;
        for (Fiber& fiber : state.fibers) {
            if (!fiber.done) {
                state.current = &fiber;
                swapcontext(&state.scheduler, &fiber.context);
            }
        }
        if (!state.progress) {
            launched->deadlock = true;
        }
    }
    block = nullptr;
}

// Runs `body` once for each thread of the grid. False: some thread waited for one that never came.
inline bool launch(const unsigned* grid, const unsigned* threads, size_t dynamic_bytes, bool cooperative, void (*body)(void**),
                   void** arguments)
{
    Launch state;
    state.grid = {grid[0], grid[1], grid[2]};
    state.block = {threads[0], threads[1], threads[2]};
    state.dynamic_bytes = dynamic_bytes;
    state.body = body;
    state.arguments = arguments;
    launched = &state;
    const long long blocks = (long long)grid[0] * grid[1] * grid[2];
    std::optional<std::barrier<>> meeting;
    if (cooperative) {
        meeting.emplace(blocks);
        state.blocks = &*meeting;
    }
    std::vector<std::thread> running;
    for (long long k = 0; k < blocks; ++k) {
        const uint3_host index{(unsigned)(k % grid[0]), (unsigned)(k / grid[0] % grid[1]), (unsigned)(k / grid[0] / grid[1])};
        running.emplace_back([index] { run_block(index); });
        if (!cooperative) {
            running.back().join();
        }
    }
    for (std::thread& one : running) {
        if (one.joinable()) {
            one.join();
        }
    }
    launched = nullptr;
    return !state.deadlock;
}

[[noreturn]] inline void end_thread() { throw ThreadExit{}; }

// --- asynchronous copies -----------------------------------------------------------------------------------

template <int Bytes>
void cp_async(void* target, const void* source)
{
    if (reinterpret_cast<size_t>(target) % Bytes != 0 || reinterpret_cast<size_t>(source) % Bytes != 0) {
        fprintf(stderr, "a misaligned copy of %d bytes\n", Bytes);
        abort();
    }
    block->current->started.push_back({target, source, Bytes});
}

inline void cp_async_commit_group()
{
    block->current->groups.push_back(std::move(block->current->started));
    block->current->started.clear();
}

template <int Pending>
void cp_async_wait_group()
{
    std::deque<std::vector<PendingCopy>>& groups = block->current->groups;
    for (; groups.size() > Pending; groups.pop_front()) {
        for (const PendingCopy& copy : groups.front()) {
            memcpy(copy.target, copy.source, copy.bytes);
        }
    }
}

inline unsigned lane() { return block->current->rank % 32; }
inline unsigned warp() { return block->current->rank / 32; }

inline unsigned living_lanes(unsigned mask)
{
    unsigned out = 0;
    for (unsigned k = 0; k < 32; ++k) {
        const size_t rank = warp() * 32 + k;
        if ((mask >> k & 1) && rank < block->fibers.size() && !block->fibers[rank].done) {
            out |= 1u << k;
        }
    }
    return out;
}

inline void meet_warp(unsigned mask, const std::function<void()>& last = [] {})
{
    meet(block->warps[{warp(), mask}], [mask] { return std::popcount(living_lanes(mask)); }, last);
}

template <typename T>
unsigned long long to_slot(T value)
{
    unsigned long long out = 0;
    memcpy(&out, &value, sizeof(T));
    return out;
}

template <typename T>
T from_slot(unsigned long long slot)
{
    T out;
    memcpy((void*)&out, &slot, sizeof(T));
    return out;
}

// Every lane of the mask gives a value; `take` sees all of them and who gave one.
template <typename T, typename Take>
auto exchange(unsigned mask, T value, Take take)
{
    Rendezvous& place = block->warps[{warp(), mask}];
    place.slots[lane()] = to_slot(value);
    place.given |= 1u << lane();
    meet_warp(mask);
    auto out = take(place);
    meet_warp(mask, [&place] { place.given = 0; });
    return out;
}

inline unsigned char* dynamic_shared()
{
    const size_t start = (size_t)block->dynamic.data();
    return (unsigned char*)((start + 15) / 16 * 16);
}

}  // namespace host

#define threadIdx (host::block->current->thread_index)
#define blockIdx (host::block->block_index)
#define blockDim (host::launched->block)
#define gridDim (host::launched->grid)

// --- barriers, votes, shuffles -----------------------------------------------------------------------------

inline void __syncthreads()
{
    host::meet(host::block->all, [] { return (int)host::block->alive; });
}
inline int __syncthreads_count(int predicate)
{
    long long* votes = host::block->votes;
    votes[0] += predicate != 0;
    __syncthreads();
    const int out = (int)votes[0];
    __syncthreads();
    votes[0] = 0;
    __syncthreads();
    return out;
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { host::meet_warp(mask); }

namespace cooperative_groups {
struct grid_group {
    void sync() const
    {
        __syncthreads();
        if (host::block->current->rank == 0) {
            host::launched->blocks->arrive_and_wait();
        }
        __syncthreads();
    }
};
inline grid_group this_grid() { return {}; }
}  // namespace cooperative_groups

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) {}
inline long long clock64() { return 0; }
inline unsigned __activemask() { return host::living_lanes(0xffffffffu); }

template <typename T>
T host_shuffle(unsigned mask, T value, int source, bool inside)
{
    return host::exchange(mask, value, [=](host::Rendezvous& place) {
        return inside && (place.given >> source & 1) ? host::from_slot<T>(place.slots[source]) : value;
    });
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    const int start = (int)host::lane() / width * width;
    return host_shuffle(mask, value, start + (lane & (width - 1)), true);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int source = (int)host::lane() - (int)delta;
    return host_shuffle(mask, value, source & 31, source >= (int)host::lane() / width * width);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int source = (int)host::lane() + (int)delta;
    return host_shuffle(mask, value, source & 31, source < ((int)host::lane() / width + 1) * width);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    const int source = (int)host::lane() ^ lanes;
    return host_shuffle(mask, value, source & 31, source < ((int)host::lane() / width + 1) * width);
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return host::exchange(mask, predicate != 0, [](host::Rendezvous& place) {
        unsigned out = 0;
        for (int k = 0; k < 32; ++k) {
            out |= (place.given >> k & 1) && place.slots[k] ? 1u << k : 0u;
        }
        return out;
    });
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
template <typename T>
unsigned __match_any_sync(unsigned mask, T value)
{
    return host::exchange(mask, value, [value](host::Rendezvous& place) {
        unsigned out = 0;
        for (int k = 0; k < 32; ++k) {
            out |= (place.given >> k & 1) && place.slots[k] == host::to_slot(value) ? 1u << k : 0u;
        }
        return out;
    });
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T value, int* all)
{
    const unsigned living = host::living_lanes(mask);
    const unsigned same = __match_any_sync(mask, value);
    *all = same == living;
    return *all ? living : 0;
}

// --- atomics -----------------------------------------------------------------------------------------------

template <typename T, typename Operation>
T host_atomic(T* address, Operation operation)
{
    using word = std::conditional_t<sizeof(T) == 8, unsigned long long, std::conditional_t<sizeof(T) == 4, unsigned, unsigned short>>;
    word* cell = reinterpret_cast<word*>(address);
    word seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (true) {
        const T old = host::from_slot<T>(seen);
        const word changed = (word)host::to_slot((T)operation(old));
        if (__atomic_compare_exchange_n(cell, &seen, changed, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return old;
        }
    }
}
template <typename T>
T host_wrapping_add(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        return (T)((std::make_unsigned_t<T>)a + (std::make_unsigned_t<T>)b);
    } else {
        return a + b;
    }
}
#define HOST_ATOMIC(name, expression)                                                     \
    template <typename T>                                                                 \
    T name(T* address, std::type_identity_t<T> v)                                         \
    {                                                                                     \
        return host_atomic(address, [=](T old) -> T { return (T)(expression); });         \
    }                                                                                     \
    template <typename T>                                                                 \
    T name##_block(T* address, std::type_identity_t<T> v)                                 \
    {                                                                                     \
        return name(address, v);                                                          \
    }                                                                                     \
    template <typename T>                                                                 \
    T name##_system(T* address, std::type_identity_t<T> v)                                \
    {                                                                                     \
        return name(address, v);                                                          \
    }
HOST_ATOMIC(atomicAdd, host_wrapping_add(old, v))
HOST_ATOMIC(atomicSub, host_wrapping_add(old, (T)(0u - (unsigned)v)))
HOST_ATOMIC(atomicMin, v < old ? v : old)
HOST_ATOMIC(atomicMax, v > old ? v : old)
HOST_ATOMIC(atomicAnd, old & v)
HOST_ATOMIC(atomicOr, old | v)
HOST_ATOMIC(atomicXor, old ^ v)
HOST_ATOMIC(atomicExch, ((void)old, v))
HOST_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
HOST_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
template <typename T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired)
{
    return host_atomic(address, [=](T old) { return old == expected ? desired : old; });
}
template <typename T>
T atomicCAS_block(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired)
{
    return atomicCAS(address, expected, desired);
}
template <typename T>
T atomicCAS_system(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired)
{
    return atomicCAS(address, expected, desired);
}

#include "host_cuda_math.h"
