"""One form for what users write in several: checks, counted loops, branches as masks, arrays told apart, sizes that hardware has."""
