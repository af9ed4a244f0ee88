"""SPIR-V modules: written (`module`, `function`, `code`), read (`binary`), shown (`disassemble`), changed (`rewrite`); and their tables."""
