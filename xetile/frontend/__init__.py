"""From a Python function to XeTile IR at workgroup level: `trace(fn, signature, constexprs)`."""
