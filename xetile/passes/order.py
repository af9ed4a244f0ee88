"""The ordered lists of passes for kernels of tiles, with the reasons for the order."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects.gpu import GpuModule
from xetile.passes import manager
from xetile.passes.block.block_to_hardware import block_to_hardware
from xetile.passes.block.lift_conversions import lift_conversions
from xetile.passes.block.lower_xetile_to_xegpu import lower_xetile_to_xegpu
from xetile.passes.cleanup.canonicalize import canonicalize
from xetile.passes.distribute.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.lane.lower.distribute_to_lanes import distribute_to_lanes
from xetile.passes.lane.lower.joint_matrices import JOINT_MATRICES
from xetile.passes.lane.numbers.carry_quotients import carry_quotients
from xetile.passes.lane.numbers.compare_with_rest import compare_with_rest
from xetile.passes.lane.numbers.evaluate_lanes import evaluate_lanes
from xetile.passes.lane.numbers.fold_comparisons import fold_comparisons
from xetile.passes.lane.numbers.forward_shared import forward_shared
from xetile.passes.lane.numbers.join_rows import join_rows
from xetile.passes.lane.numbers.pack_bytes import pack_bytes
from xetile.passes.lane.numbers.share_limits import share_limits
from xetile.passes.lane.numbers.shuffle_integers import shuffle_integers
from xetile.passes.lane.numbers.split_elementwise import split_elementwise
from xetile.passes.lane.numbers.sum_behind_loops import sum_behind_loops
from xetile.passes.lane.numbers.widen_bytes import widen_bytes
from xetile.passes.lane.order.choose_grf import choose_grf
from xetile.passes.lane.order.group_loads import group_loads
from xetile.passes.lane.order.keep_headers import keep_headers
from xetile.passes.lane.order.lift_ends import lift_ends
from xetile.passes.lane.order.load_again import load_again
from xetile.passes.lane.order.order_for_registers import order_for_registers
from xetile.passes.lane.order.share_headers import share_headers
from xetile.passes.lane.order.sink_chains import sink_chains
from xetile.passes.lane.order.sink_loads import sink_loads
from xetile.passes.lane.order.sink_starts import sink_starts
from xetile.passes.lane.order.work_between_products import work_between_products
from xetile.passes.manager import Pass
from xetile.passes.vectors import lower_to_vectors
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.forms.count_loops import count_loops
from xetile.passes.workgroup.forms.drop_breakpoints import drop_breakpoints
from xetile.passes.workgroup.forms.lift_branches import lift_branches
from xetile.passes.workgroup.forms.pad_tiles import pad_tiles
from xetile.passes.workgroup.forms.part_tiles import part_tiles
from xetile.passes.workgroup.forms.select_in_branches import select_in_branches
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.passes.workgroup.loops.insert_prefetches import insert_prefetches
from xetile.passes.workgroup.loops.join_limits import join_limits
from xetile.passes.workgroup.loops.join_prefetches import join_prefetches
from xetile.passes.workgroup.loops.load_in_time import load_in_time
from xetile.passes.workgroup.loops.reload_operands import reload_operands
from xetile.passes.workgroup.loops.split_loops import split_loops
from xetile.passes.workgroup.loops.stage_columns import stage_columns
from xetile.passes.workgroup.loops.stage_operands import stage_operands
from xetile.passes.workgroup.loops.work_once import work_once
from xetile.passes.workgroup.memory.carry_tiles import carry_tiles
from xetile.passes.workgroup.memory.fold_transposes import fold_transposes
from xetile.passes.workgroup.memory.gather_rows import gather_rows
from xetile.passes.workgroup.memory.gather_tiles import gather_tiles
from xetile.passes.workgroup.memory.load_parts import load_parts
from xetile.passes.workgroup.memory.look_up_tables import look_up_tables
from xetile.passes.workgroup.memory.reload_transposes import reload_transposes
from xetile.passes.workgroup.memory.repeat_rows import repeat_rows
from xetile.passes.workgroup.memory.turn_stores import turn_stores
from xetile.passes.workgroup.numbers.compare_in_words import compare_in_words
from xetile.passes.workgroup.numbers.convert_bits import convert_bits
from xetile.passes.workgroup.numbers.convert_first import convert_first
from xetile.passes.workgroup.numbers.multiply_as_f16 import multiply_as_f16
from xetile.passes.workgroup.numbers.split_words import split_words
from xetile.passes.workgroup.numbers.tabulate_codes import tabulate_codes
from xetile.passes.workgroup.products.accumulate_products import accumulate_products
from xetile.passes.workgroup.products.drop_nan_tests import drop_nan_tests
from xetile.passes.workgroup.products.fuse_scaled_sums import fuse_scaled_sums
from xetile.passes.workgroup.products.join_columns import join_columns
from xetile.passes.workgroup.products.join_scales import join_scales
from xetile.passes.workgroup.products.reduce_early import reduce_early
from xetile.passes.workgroup.products.scale_exponents import scale_exponents
from xetile.passes.workgroup.products.scale_extremes import make_scales_positive, scale_extremes
from xetile.passes.workgroup.products.share_operands import share_operands
from xetile.passes.workgroup.products.split_columns import split_columns
from xetile.passes.workgroup.products.split_rows import split_rows
from xetile.passes.workgroup.products.sum_by_products import sum_by_products
from xetile.passes.workgroup.products.transpose_products import transpose_products
from xetile.passes.workgroup.products.transpose_sums import transpose_sums
from xetile.passes.workgroup.products.widen_accumulators import widen_accumulators
from xetile.target import Target

Table = tuple[tuple[str, tuple[Pass, ...]], ...]


PIPELINE: Table = (
    ("layout", (
        # What users write in several ways gets one form, which later passes look for.
        drop_breakpoints,         # nothing below knows them
        part_tiles,               # before all that asks which array an access goes to
        check_tiles,              # early: errors must still show the user's shapes
        count_loops,              # before all that looks for loops with counters
        gather_tiles,             # after count_loops: counters say where what loops carry lies; before all that looks for tiles
        load_parts,               # after gather_tiles: what is gathered is a tile; before all that follows what is loaded
        select_in_branches,       # before all that follows values through loops
        lift_branches,            # after select_in_branches, which leaves no branch; before all that follows what loops load
        # Narrow numbers: before all that follows what is worked out element by element.
        repeat_rows,              # before split_words, which takes words' codes from rows that are the same
        split_words,              # before what follows codes as bytes
        multiply_as_f16,          # before the next three, which follow what is worked out of bytes
        convert_bits,
        convert_first,
        tabulate_codes,
        # Products, what they take and what they add up to.
        widen_accumulators,       # before all that asks what DPAS sums
        load_in_time,             # before all that follows what is loaded in an iteration
        accumulate_products,      # before staging: which loops hold products that add up
        reduce_early,             # after accumulate_products: which products are left
        look_up_tables,           # before join_columns, which follows elementwise ops: look-ups are such, gathers are not
        join_columns,             # after accumulate_products: products that add up go on from each other
        split_columns,            # after join_columns, which leaves what comes by turns of other axes
        split_rows,               # after accumulate_products, whose chains take each part; before all that follows what is loaded
        join_scales,              # before what looks for scaled products
        reload_operands,          # before signs of scales go to operands that stay, and prefetches follow what is loaded
        # What exponentials and reductions see of products: before layouts, after what makes products of sums.
        scale_exponents,
        make_scales_positive,     # after scale_exponents: there is scaled what exponentials see
        fuse_scaled_sums,         # after scale_exponents, as before
        sum_by_products,          # before staging, which follows products alone
        drop_nan_tests,           # before padding, which changes what is reduced
        # How tiles lie in memory, and how they move.
        transpose_sums,           # before the next two: what leaves loops transposed
        turn_stores,              # before transpose_products: what is stored as it is needs no other product
        transpose_products,       # before their operands' transposes are loaded
        reload_transposes,        # before fold_transposes, which wants all of a tile's loads transposed
        fold_transposes,          # before prefetches: they follow the memory's rows
        carry_tiles,              # before prefetches and staging, which follow tiles that move
        pad_tiles,                # before all that divides tiles
        gather_rows,              # after pad_tiles: what is padded is masked; before split_loops, which takes masks away
        # What comes ahead of its use, or once for several subgroups: before layouts, which differ from those of a load.
        stage_columns,            # before prefetches: what is staged comes a step ahead
        insert_prefetches,
        join_prefetches,
        stage_operands,
        work_once,                # after prefetches, which follow what is loaded; before share_operands, which takes what is left
        share_operands,           # after stage_operands, which brings barriers
        infer_layouts,
        # Loops in parts, with fewer masks: after all that looks at loops, which sees each of them once.
        split_loops,
        join_limits,              # after split_loops, which takes single masks away
        compare_in_words,         # after join_limits: limits may be sums of places; after all that knows places by their indices
        scale_extremes)),         # after split_loops: loops without masks
    ("subgroup", (
        distribute_to_subgroups,
        pad_tiles,                # parts by maps of the user
        canonicalize)),           # block sizes follow from what is left of the code
    ("blocked", (
        block_to_hardware,)),     # needs final subgroup shapes
    ("xegpu", (
        lower_xetile_to_xegpu,
        canonicalize,             # descriptors leave loops, equal offsets become one
        lift_conversions,         # after cleaning: what all iterations of a body convert is converted once
        canonicalize)),           # what several loops need is converted once
    ("lane", (
        distribute_to_lanes,
        # What canonicalize then folds.
        sum_behind_loops,         # factors of rows are those of other sums
        compare_with_rest,        # the subtractions become one
        shuffle_integers,         # what is cast there and back again goes
        fold_comparisons,         # so does what only a false mask needs
        split_elementwise,        # slices of constants are constants
        canonicalize,
        share_limits,             # equal rows are one now; before evaluate_lanes, which leaves what lanes do not know
        evaluate_lanes,           # numbers of lanes are constants now; what it computes of constants folds next
        forward_shared,           # equal values are one now
        canonicalize,
        # Code on what is left: masks that are true are gone, equal ops are one, numbers are constants.
        widen_bytes,
        carry_quotients,          # canonicalize has found out what is never negative
        pack_bytes,
        join_rows,
        # Where ops stand, and in which registers their values.
        sink_loads,               # slices of loads are pure and stand at their uses
        sink_chains,
        sink_starts,
        group_loads,              # after what moves loads and products
        lift_ends,
        load_again,               # after all that brings loads to their uses: what still does not fit
        order_for_registers,      # after all that moves ops for other reasons
        work_between_products,    # after that, which orders anew what does not fit
        share_headers,            # after that: a loop around all keeps what its ops take from outside
        choose_grf,               # after all that adds or moves ops: counts what is left
        keep_headers)),           # last: takes registers that are left
)  # fmt: skip
"""Each level's name and the passes that make it from the level before; the frontend makes "xetile"."""

VECTORS: Table = (
    ("vectors", (
        drop_breakpoints,         # nothing below knows them
        part_tiles,               # before all that asks which array an access goes to
        check_tiles,              # first: errors must still show the user's shapes
        gather_tiles,             # before loops hide what is carried
        accumulate_products,      # before loops hide which products add up
        *JOINT_MATRICES,          # single elements become vectors
        lower_to_vectors,
        canonicalize)),           # offsets leave loops
)  # fmt: skip
"""The same for targets whose work-items run whole workgroups."""

LEVELS = ("xetile", *(name for name, _ in PIPELINE))


def run_levels(table: Table, module: GpuModule, target: Target) -> Iterator[tuple[str, GpuModule]]:
    """The levels that the passes of a table make, one after the other."""
    for number, (name, passes) in enumerate(table):
        module = manager.run(passes, module, target, [step for _, later in table[number + 1 :] for step in later])
        module.kernel.attributes["level"] = name
        yield name, module
