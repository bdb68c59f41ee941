"""From the surface AST to a typed kernel: names, types, definite assignment, ownership.

In: a `surface.Module` and one of its functions. Out: `meaning.Typed`, tables beside the tree that `lower` reads, and diagnostics.
Non-goals: anything that needs arithmetic on values (bounds, races, divergence): that is `prove`.
"""

from transpiler.check.instances import instances_of
from transpiler.check.kernel import check_kernel
from transpiler.check.parameters import ArgumentType, Instance

__all__ = ["ArgumentType", "Instance", "check_kernel", "instances_of"]
