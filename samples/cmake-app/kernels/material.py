"""What the plate is made of: change a number here, and just the kernel that uses it is built again."""

DIFFUSION = 0.2
"""Share of the difference to its neighbours that a cell gains in a step; below 0.25 the scheme is stable."""

EDGE = 1
"""Cells at the rim, which keep their temperature."""
