"""XeGPU as a front door: from workgroup-level modules to one message or matrix instruction for each op (seeds 000, 002, 003)."""
