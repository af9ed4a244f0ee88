"""Passes on workgroup-level xetile, up to the layouts that its tiles and values get."""
