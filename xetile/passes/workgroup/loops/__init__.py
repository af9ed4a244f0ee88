"""Which iteration loads what, and with which masks: prefetches, staging in shared memory, pipelines, loops in parts."""
