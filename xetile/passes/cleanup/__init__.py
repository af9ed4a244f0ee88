"""Cleaning a module of any level: constants, equal ops, loops, dead code."""
