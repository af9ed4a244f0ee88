"""What builds the documentation besides Sphinx: pages of the public names, pictures and listings from the compiler, links of names."""
