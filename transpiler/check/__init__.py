"""From the surface AST to a typed kernel: names, types, definite assignment, ownership.

In: a `surface.Module` and one of its functions. Out: `meaning.Typed`, tables beside the tree that `lower` reads, and diagnostics.
Non-goals: anything that needs arithmetic on values (bounds, races, divergence): that is `prove`.
"""

from transpiler.check.kernel import check_kernel, instances_of

__all__ = ["check_kernel", "instances_of"]
