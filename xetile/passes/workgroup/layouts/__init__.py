"""Choosing and propagating layouts: every tile and value of a workgroup gets a map of its elements to subgroups."""
