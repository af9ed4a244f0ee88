"""Passes on workgroup-level xetile, up to the layouts that its tiles and values get.

    forms       one form for what users write in several, and sizes that hardware has
    memory      which accesses are made of memory
    numbers     in which types numbers are computed
    products    what products take, and what becomes of their results
    loops       which iteration loads what, and with which masks
    layouts     which subgroup gets which elements

`xetile.passes.order` has the order; passes of several folders come by turns.
"""
