// x ** 2 and x ** 3 with x evaluated once.
template <typename T>
__device__ inline T squared(T x)
{
    return x * x;
}
template <typename T>
__device__ inline T cubed(T x)
{
    return x * x * x;
}
