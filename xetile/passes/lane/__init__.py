"""From xegpu at subgroup level to lanes, and what is left to do there."""
