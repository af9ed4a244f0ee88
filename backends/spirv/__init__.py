"""SPIR-V for Intel GPUs: a lane-level module becomes a binary, which can be checked and made fit for other devices.

    emit        lane-level IR to SPIR-V, op by op                                 (`emitter` walks the kernel, `table` finds the functions)
    facts       what the writer asks of the IR before it writes an op
    assembly    pieces of assembly on whole registers, which SPIR-V has no instructions for
    module      a module's sections, functions and types; binaries read, shown and rewritten
    finished    changes of finished modules: emulation of extensions, older drivers, what compilers get wrong
    verify      rules of Intel's tile instructions, which spirv-val does not know

Who may import whom: assembly <- module <- finished, verify; all but verify <- emit; assembly <- facts <- emit.
"""
