"""Checks of finished modules: what spirv-val does not know of Intel's instructions."""
