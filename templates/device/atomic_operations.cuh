// What an atomic operation makes of the old value and its operand.
struct atomic_add_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return (T)(old + operand);
    }
};
struct atomic_sub_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return (T)(old - operand);
    }
    __device__ static long long apply(long long old, long long operand)
    {
        return (long long)((unsigned long long)old - (unsigned long long)operand);
    }
};
struct atomic_min_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return operand < old ? operand : old;
    }
};
struct atomic_max_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return operand > old ? operand : old;
    }
};
struct atomic_and_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return (T)(old & operand);
    }
};
struct atomic_or_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return (T)(old | operand);
    }
};
struct atomic_xor_op {
    template <typename T>
    __device__ static T apply(T old, T operand)
    {
        return (T)(old ^ operand);
    }
};
struct atomic_exch_op {
    template <typename T>
    __device__ static T apply(T, T operand)
    {
        return operand;
    }
};
struct atomic_inc_op {
    template <typename T>
    __device__ static T apply(T old, T limit)
    {
        return old >= limit ? (T)0 : (T)(old + 1);
    }
};
struct atomic_dec_op {
    template <typename T>
    __device__ static T apply(T old, T limit)
    {
        return old == 0 || old > limit ? limit : (T)(old - 1);
    }
};
