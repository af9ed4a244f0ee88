"""What turns a compiled kernel into something that runs: one package each, installed as `xetile.backends.NAME`."""
