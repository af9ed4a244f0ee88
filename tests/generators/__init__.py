"""Generators of random cases, one module for each kind: `python -m tests.generators.NAME --cases 100000 --jobs 64 --seed 0`.

A generator is a function from a `random.Random` to a case (`runner.Case`). Tests draw its numbers from hypothesis, which shrinks
what fails; the command line draws them from a seed, so that a failure can be had again by its number alone.
"""
