"""What kernels of several families share."""

import xetile as xt

# Tiles that walk along rows: a core of a CPU reads fastest what lies in one row.
BY_ROWS = {"cpu": {"BM": 1, "BN": 1024}}
# Of those, tiles with something else than 0 beyond the edge.
PADDED_ROWS = {"cpu": {**BY_ROWS["cpu"], "PADDED": True}}
# The same where columns are contiguous.
_FEW = {"BM": 128, "BN": 32}
BY_COLUMNS = {"pvc": _FEW, "bmg": _FEW, "dg2": _FEW, "cpu": {"BM": 4096, "BN": 64}}


@xt.jit
def plane(X, z):
    """The array of two axes that a program works on: X itself, or the z-th part of an X of three axes."""
    return X[z] if len(X.shape) == 3 else X


def planes(X):
    """How many parts of two axes an array has."""
    return X.shape[0] if len(X.shape) == 3 else 1


def rows_grid(Y, BM):
    """A program for BM rows of each plane."""
    return xt.cdiv(Y.shape[-2], BM), planes(Y)


@xt.jit
def filled(tile, n, columns, FIRST, ACC, PADDED):
    """A tile's values in ACC, which begin with column n, with FIRST in those beyond the last: PADDED as they are loaded, which costs a CPU
    nothing; else chosen, which is cheaper for GPUs than padding other than 0.
    """
    if PADDED:
        return xt.load_tile(tile, padding=FIRST).to(ACC)
    value = xt.load_tile(tile).to(ACC)
    return xt.where(n + xt.arange(value.shape[1])[None, :] < columns, value, FIRST)
