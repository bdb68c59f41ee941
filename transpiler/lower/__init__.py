"""From typed kernels to the device IR. `simt` is the SIMT track; the tile track will stand beside it.

In: `check.meaning.Typed`. Out: `device.Kernel`. Non-goals: types and refusals, which are settled before.
"""

from transpiler.lower.simt import lower_kernel

__all__ = ["lower_kernel"]
