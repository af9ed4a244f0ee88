"""SPIR-V for Intel GPUs: write (module), read (binary), check (verify) and emulate modules with Intel's tile instructions."""
