"""Kernels from seeds and from hypothesis.

In: a seed. Out: the text of a kernel file, or a `Generated` with a launch; the same seed gives the same text everywhere.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests.strategies.cooperative import cooperative_kernel
from tests.strategies.generated import Generated
from tests.strategies.scalar import scalar_kernel


def random_case(seed: int) -> Generated:
    """A kernel of either kind: two of three have threads that meet."""
    rng = random.Random(seed)
    return scalar_kernel(rng) if rng.random() < 1 / 3 else cooperative_kernel(rng)


def random_kernel(seed: int) -> str:
    """The text of `random_case`: a file with one kernel, `k`."""
    return random_case(seed).text


def random_cooperative(seed: int) -> Generated:
    return cooperative_kernel(random.Random(seed))


def random_scalar(seed: int) -> Generated:
    return scalar_kernel(random.Random(seed))


SCALAR: st.SearchStrategy[Generated] = st.randoms(use_true_random=False).map(scalar_kernel)
COOPERATIVE: st.SearchStrategy[Generated] = st.randoms(use_true_random=False).map(cooperative_kernel)
