// Ends this thread: what follows a failed assert in a device function may rely on the assert.
__device__ inline void end_thread()
{
#ifdef __CUDACC__
    asm volatile("exit;");
#else
    host::end_thread();
#endif
}
