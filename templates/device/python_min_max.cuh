// Python's min and max: the first operand stays unless the second is truly smaller (larger), so NaN never wins against a
// first operand and of equal operands (0.0 and -0.0) the first is the result.
template <typename T>
__device__ inline T python_min(T a, T b)
{
    return b < a ? b : a;
}
template <typename T>
__device__ inline T python_max(T a, T b)
{
    return b > a ? b : a;
}
