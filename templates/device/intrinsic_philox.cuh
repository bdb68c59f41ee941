// Philox4x32-10 of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011): ten rounds that multiply two words of the
// counter, swap halves and mix in the key. Key: `seed`; counter: (`index`, `stream`), lower words first.
namespace intrinsic {

__device__ __forceinline__ void philox(unsigned long long seed, unsigned long long index, unsigned long long stream,
                                       unsigned int& r0, unsigned int& r1, unsigned int& r2, unsigned int& r3) {
    unsigned int key0 = (unsigned int)seed, key1 = (unsigned int)(seed >> 32);
    r0 = (unsigned int)index;
    r1 = (unsigned int)(index >> 32);
    r2 = (unsigned int)stream;
    r3 = (unsigned int)(stream >> 32);
    for (int round = 0; round < 10; ++round) {
        unsigned long long product0 = 0xD2511F53ull * r0, product1 = 0xCD9E8D57ull * r2;
        r0 = (unsigned int)(product1 >> 32) ^ r1 ^ key0;
        r2 = (unsigned int)(product0 >> 32) ^ r3 ^ key1;
        r1 = (unsigned int)product1;
        r3 = (unsigned int)product0;
        key0 += 0x9E3779B9u;  // the golden ratio
        key1 += 0xBB67AE85u;  // sqrt(3) - 1
    }
}

// In [0, 1): 24 bits, so that every value is a float and none rounds up to 1.
__device__ __forceinline__ float philox_uniform(unsigned long long seed, unsigned long long index, unsigned long long stream) {
    unsigned int r0, r1, r2, r3;
    philox(seed, index, stream, r0, r1, r2, r3);
    return (float)(r0 >> 8) * 0x1p-24f;
}

// Box-Muller: a radius from a number in (0, 1], so that the logarithm is finite, and an angle.
__device__ __forceinline__ float philox_normal(unsigned long long seed, unsigned long long index, unsigned long long stream) {
    unsigned int r0, r1, r2, r3;
    philox(seed, index, stream, r0, r1, r2, r3);
    float radius = sqrtf(-2.0f * logf((float)((r0 >> 8) + 1) * 0x1p-24f));
    return radius * cospif((float)(r1 >> 8) * 0x1p-23f);
}

}  // namespace intrinsic
