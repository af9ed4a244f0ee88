"""Lane-level IR to SPIR-V: `emitter` walks the kernel, `table` finds the function for each op; the other files hold them, by theme."""
