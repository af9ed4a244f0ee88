"""What lanes compute: fewer conversions, quotients, comparisons and copies for the same numbers."""
