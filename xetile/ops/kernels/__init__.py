"""The kernels of `xetile.ops`, a file each family, written as users write theirs: read them, copy them, call them.

They take arrays of two axes, or of three, of which the first is one more axis of the grid; `xetile.ops` checks arguments and
brings arrays of other ranks into these forms.
"""
