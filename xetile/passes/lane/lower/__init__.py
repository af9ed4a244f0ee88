"""Each op of a subgroup by ops of one lane: fragments, and what lanes give each other."""
