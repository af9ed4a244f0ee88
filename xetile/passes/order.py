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
from xetile.passes.lane.carry_quotients import carry_quotients
from xetile.passes.lane.choose_grf import choose_grf
from xetile.passes.lane.compare_with_rest import compare_with_rest
from xetile.passes.lane.distribute_to_lanes import distribute_to_lanes
from xetile.passes.lane.evaluate_lanes import evaluate_lanes
from xetile.passes.lane.fold_comparisons import fold_comparisons
from xetile.passes.lane.forward_shared import forward_shared
from xetile.passes.lane.group_loads import group_loads
from xetile.passes.lane.join_rows import join_rows
from xetile.passes.lane.joint_matrices import JOINT_MATRICES
from xetile.passes.lane.keep_headers import keep_headers
from xetile.passes.lane.lift_ends import lift_ends
from xetile.passes.lane.order_for_registers import order_for_registers
from xetile.passes.lane.pack_bytes import pack_bytes
from xetile.passes.lane.shuffle_integers import shuffle_integers
from xetile.passes.lane.sink_chains import sink_chains
from xetile.passes.lane.sink_loads import sink_loads
from xetile.passes.lane.sink_starts import sink_starts
from xetile.passes.lane.split_elementwise import split_elementwise
from xetile.passes.lane.sum_behind_loops import sum_behind_loops
from xetile.passes.lane.widen_bytes import widen_bytes
from xetile.passes.manager import Pass
from xetile.passes.vectors import lower_to_vectors
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.forms.count_loops import count_loops
from xetile.passes.workgroup.forms.drop_breakpoints import drop_breakpoints
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
from xetile.passes.workgroup.memory.carry_tiles import carry_tiles
from xetile.passes.workgroup.memory.fold_transposes import fold_transposes
from xetile.passes.workgroup.memory.gather_rows import gather_rows
from xetile.passes.workgroup.memory.gather_tiles import gather_tiles
from xetile.passes.workgroup.memory.look_up_tables import look_up_tables
from xetile.passes.workgroup.memory.reload_transposes import reload_transposes
from xetile.passes.workgroup.memory.repeat_rows import repeat_rows
from xetile.passes.workgroup.numbers.compare_in_words import compare_in_words
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
from xetile.passes.workgroup.products.sum_by_products import sum_by_products
from xetile.passes.workgroup.products.transpose_products import transpose_products
from xetile.target import Target

Table = tuple[tuple[str, tuple[Pass, ...]], ...]


PIPELINE: Table = (
    ("layout", (
        drop_breakpoints,         # nothing below knows them
        part_tiles,               # before all that asks which array an access goes to
        check_tiles,              # first: errors must still show the user's shapes
        count_loops,              # before all that looks for loops with counters
        gather_tiles,             # after it: counters say where what loops carry lies; before all that looks for tiles
        select_in_branches,       # before all that follows values through loops
        repeat_rows,              # before what takes words' codes from rows that are the same
        split_words,              # before what follows codes as bytes
        multiply_as_f16,          # before all that follows what is worked out of bytes
        convert_first,            # before all that follows what is worked out of bytes
        tabulate_codes,           # before all that follows elementwise ops
        load_in_time,             # before all that follows what is loaded in an iteration
        accumulate_products,      # before staging: which loops hold products that add up
        reduce_early,             # after it: which products are left
        look_up_tables,           # before all that follows elementwise ops
        join_columns,             # after it: products that add up go on from each other
        split_columns,            # after it, which leaves what comes by turns of other axes
        join_scales,              # before what looks for scaled products
        reload_operands,          # before signs of scales go to operands that stay, and prefetches follow what is loaded
        scale_exponents,          # before layouts; after what makes products of sums
        make_scales_positive,     # after it: what exponentials see is scaled there
        fuse_scaled_sums,         # after it: what exponentials see is scaled there
        sum_by_products,          # before staging, which follows products alone
        drop_nan_tests,           # before padding, which changes what is reduced
        transpose_products,       # before their operands' transposes are loaded
        reload_transposes,        # before they fold: they do where all of a tile's loads are transposed
        fold_transposes,          # before prefetches: they follow the memory's rows
        carry_tiles,              # before prefetches and staging, which follow tiles that move
        pad_tiles,                # before all that divides tiles
        gather_rows,              # after it: what is padded is masked; before loops split, which takes masks away
        stage_columns,            # before prefetches: what is staged comes a step ahead
        insert_prefetches,        # before layouts: subgroups share a prefetch in another way than a load
        join_prefetches,          # before layouts: parts of the subgroups share them
        stage_operands,           # before layouts: subgroups share what they stage
        share_operands,           # before layouts: what is shared gets one of its own; after staging, which brings barriers
        infer_layouts,
        split_loops,              # after all that looks at loops, which sees each of them once
        join_limits,              # after it, which takes single masks away
        compare_in_words,         # after it: sums of places, which limits may be of; and after all that knows places by their indices
        scale_extremes)),         # after it: loops without masks
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
        sum_behind_loops,         # before cleaning: factors of rows are those of other sums
        compare_with_rest,        # before cleaning: the subtractions become one
        shuffle_integers,         # before cleaning: what is cast there and back again folds
        fold_comparisons,         # before cleaning: what only a false mask needs goes
        split_elementwise,        # before cleaning: slices of constants fold
        canonicalize,
        evaluate_lanes,           # after cleaning: numbers of lanes are constants; before cleaning: what it computes of constants folds
        forward_shared,           # after cleaning: equal values are one
        canonicalize,
        widen_bytes,              # after cleaning: numbers are constants
        carry_quotients,          # after cleaning, which finds out what is never negative
        pack_bytes,               # after cleaning: what is used of a load
        join_rows,                # after cleaning: masks that are true, equal addresses are one
        sink_loads,               # after cleaning: slices of loads are pure and stand at their uses
        sink_chains,              # after cleaning, which makes equal ops one
        sink_starts,              # after cleaning, which makes equal ops one
        group_loads,              # after what moves loads and products
        lift_ends,                # after cleaning, which makes equal ops one
        order_for_registers,      # after all that moves ops for other reasons
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
