// Truncation of a float to an integer type: values beyond its ends give the end, NaN gives 0.
template <typename Integer, typename Float>
__device__ inline Integer float_to_int(Float x)
{
    const bool is_signed = (Integer)-1 < (Integer)0;
    const int bits = 8 * (int)sizeof(Integer) - is_signed;
    const Float end = (Float)(1ULL << (bits - 1)) * 2;  // one past the largest, a power of two and so exact
    const Integer largest = (Integer)((((Integer)1 << (bits - 1)) - 1) * 2 + 1);
    if (!(x == x)) {
        return 0;
    }
    if (x >= end) {
        return largest;
    }
    if (is_signed ? x < -end : x <= (Float)-1) {
        return is_signed ? (Integer)(-largest - 1) : (Integer)0;
    }
    return (Integer)x;
}
