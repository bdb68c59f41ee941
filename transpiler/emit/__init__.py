"""Device IR to readable CUDA C++.

In: `device.Kernel`s, their proved `Ranges` and contracts. Out: the text of a unit, its header and its manifest, byte-identical on
every run. Non-goals: proving anything, compiling the text (`runtime.nvrtc`).
"""
