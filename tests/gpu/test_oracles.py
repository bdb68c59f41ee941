"""Generated kernels on the device: what the simulator leaves, where it finds nothing wrong."""

from __future__ import annotations

import pytest

from tests.properties.oracles import copied, kernel_of, same, simulated
from tests.strategies.cpython import dims_of
from tests.strategies.device import build_on_device
from tests.strategies.generated import Generated
from tests.strategies.kernels import random_cooperative, random_scalar

COUNT = 96


@pytest.mark.parametrize("draw", [random_scalar, random_cooperative], ids=lambda draw: draw.__name__)
def test_generated_kernels(draw) -> None:
    kernels = [draw(seed) for seed in range(COUNT)]
    runs = [(g, *simulated(g)) for g in kernels]
    right = [(g, arguments) for g, arguments, report in runs if report.ok]
    assert len(right) > COUNT // 3
    for (generated, expected), built in zip(right, build_on_device([kernel_of(g.text) for g, _ in right]), strict=True):
        arguments = copied(generated.arguments)
        dims = dims_of(generated.text, "k", generated.arguments)
        assert built.run(arguments, generated.grid, generated.block, dims) == 0
        same(generated, "the device", arguments, "the simulator", expected, generated.results)


def test_a_generated_kernel_is_the_same_everywhere() -> None:
    first, second = random_cooperative(7), random_cooperative(7)
    assert isinstance(first, Generated)
    assert first.text == second.text
