"""What the kernels agree on."""

FLOOR = 1e-12
"""The least power, so that a logarithm of it is finite."""
