"""Autotuning: `@xt.autotune`, the search over configurations, and the worker process that measures them."""
