"""Gravity between all pairs of bodies: positions pass through a shared tile, vectors of three hold the arithmetic."""

import math

import numpy as np

from transpiler import Dim, In, Out, cuda, f32, kernel, vec
from transpiler.testing import check, launch


class N(Dim): ...


TILE = 128
SOFTENING = 1e-3


@kernel(domain=N, block=TILE)
def accelerations(position: In[f32, N, 3], mass: In[f32, N], result: Out[f32, N, 3]):
    """result[i] = the acceleration of body i by all others (G = 1, softened)."""
    tile = cuda.shared.array((TILE, 4), f32)
    tx, i = cuda.threadIdx.x, cuda.grid(1)
    x, y, z = 0.0, 0.0, 0.0
    if i < N:
        x, y, z = position[i, 0], position[i, 1], position[i, 2]
    pull = vec(f32, 3)(0.0)
    for first in range(0, N, TILE):
        j = first + tx
        for axis in range(3):
            tile[tx, axis] = position[j, axis] if j < N else 0.0
        tile[tx, 3] = mass[j] if j < N else 0.0  # a body beyond the end pulls at nothing
        cuda.syncthreads()
        for k in range(TILE):
            d = vec(f32, 3)(tile[k, 0] - x, tile[k, 1] - y, tile[k, 2] - z)
            inverse = 1.0 / math.sqrt(d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING)
            pull += d * (tile[k, 3] * inverse * inverse * inverse)
        cuda.syncthreads()
    if i < N:
        result[i, 0] = pull.x
        result[i, 1] = pull.y
        result[i, 2] = pull.z


def main() -> None:
    rng = np.random.default_rng(0)
    position = rng.normal(size=(300, 3)).astype(np.float32)
    mass = rng.random(300, dtype=np.float32)
    result = np.empty_like(position)
    launch(accelerations, position, mass, result)
    d = position[None, :, :].astype(np.float64) - position[:, None, :]
    inverse = 1 / np.sqrt((d**2).sum(axis=2) + SOFTENING)
    check(result, (d * (mass * inverse**3)[:, :, None]).sum(axis=1), rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    main()
