"""What kernels call: docstring and op emission together, one file for each theme.

Users reach the names through `xetile` itself (`import xetile as xt`); see its docstring for the map.
"""
