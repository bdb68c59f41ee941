"""The simulator: what a kernel means, on any machine.

In: the device IR and NumPy arrays. Out: the arrays as a device would leave them, and findings: races, accesses out of
bounds, divergence, uninitialised reads, deadlock, arithmetic without a result. It shares no code with `emit`, `check`
or `prove` beyond `ir` and the NumPy column of `intrinsics`: an oracle must not share the code that it judges.
Importing it loads NumPy: do so on demand.

Fused multiply-add: none; each operation rounds, as the emitted code does with `fma="off"`.
"""

from transpiler.simulate.launch import simulate
from transpiler.simulate.report import Report
from transpiler.simulate.trace import Step, trace
from transpiler.simulate.witness import Replay, simulate_witness

__all__ = ["Replay", "Report", "Step", "simulate", "simulate_witness", "trace"]
