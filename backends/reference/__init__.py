"""The numpy backend: the living definition of every op at every level, and the device of last resort.

`interpret.interpret(module, grid, args)` runs a module. Every op is one short function from arrays to arrays, found by its class
(`machine`), grouped by theme: `arith`, `control`, `memory` and `tiles`, `product` (matrix products), `reduce`, `vectors`,
`kernels` (ids, barriers, lanes), `blocks`, `scattered` and `matrices` (xegpu). What values are is told in `values`.
"""

from .backend import ReferenceBackend

# Not `interpret`: it brings all dialects with it, and listing devices needs none.
__all__ = ["ReferenceBackend"]
