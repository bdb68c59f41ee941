// Doubles to 64-bit integers as Python rounds them: saturating, and 0 for NaN, where the instruction gives the smallest integer.
namespace intrinsic {

__device__ __forceinline__ long long double_to_i64_rd(double x) { return x == x ? __double2ll_rd(x) : 0; }
__device__ __forceinline__ long long double_to_i64_ru(double x) { return x == x ? __double2ll_ru(x) : 0; }
__device__ __forceinline__ long long double_to_i64_rz(double x) { return x == x ? __double2ll_rz(x) : 0; }
__device__ __forceinline__ long long double_to_i64_rn(double x) { return x == x ? __double2ll_rn(x) : 0; }

}  // namespace intrinsic
