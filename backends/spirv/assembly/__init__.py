"""Pieces of assembly (vISA, SPV_INTEL_inline_assembly), which compute on whole registers.

A piece begins with a comment that names it and its fields, by which emulation (`finished`) reads back what it does.
"""
