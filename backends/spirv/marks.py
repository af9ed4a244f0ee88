"""What our modules say of themselves in OpModuleProcessed, for those that run them."""

SPINS = "xetile: subgroups wait for each other"
"""In a module whose subgroups wait for each other in loops: only a device on which they go on independently can run it."""
