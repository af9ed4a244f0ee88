"""In which types numbers are computed: codes and bytes as floats, tables, indices and masks in words."""
