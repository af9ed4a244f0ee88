"""Fixtures: the CPU device that executes emulated modules."""

from tests.spirv.conftest import cpu

__all__ = ["cpu"]
