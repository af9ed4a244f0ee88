"""Which accesses are made of memory: tiles and rows in place of gathers, look-ups, transposes on the way, tiles that loops carry."""
