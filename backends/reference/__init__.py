"""The numpy backend: the living definition of every op at every level, and the device of last resort.

`interpret(module, grid, args)` runs a module. Every op is one short function from arrays to arrays, found by the op's class
(`machine`), grouped by theme: `arith`, `control`, `memory` and `tiles`, `product` (matrix products), `reduce`, `vectors`,
`kernels` (ids, barriers, lanes), `blocks`, `scattered` and `matrices` (xegpu). What values are is told in `values`.
"""

from .backend import ReferenceBackend
from .interpret import interpret

__all__ = ["ReferenceBackend", "interpret"]
