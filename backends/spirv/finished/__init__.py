"""Changes of finished modules: emulation of extensions, older drivers, and what compilers would get wrong of a module as it is."""
