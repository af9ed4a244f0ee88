"""From xegpu at subgroup level to lanes, and what is left to do there.

    lower       each op by what one lane holds of it
    numbers     what lanes compute, and in which types
    order       where ops stand, and in which registers their values

`xetile.passes.order` has the order; passes of several folders come by turns.
"""
