"""The prover: race-free, in bounds, no divergence, or two threads that show why not.

In: the device IR of a kernel. Out: `Proof`: verdict, contract, diagnostics with witnesses, how each access was proved.
Non-goals: running kernels (`simulate`, `confirm`), showing diagnostics.
"""

from transpiler.prove.engine import prove
from transpiler.prove.proof import AccessReport, ContractLine, Proof

__all__ = ["AccessReport", "ContractLine", "Proof", "prove"]
