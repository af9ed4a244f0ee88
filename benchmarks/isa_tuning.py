"""Tuning without a device: configurations of a benchmark kernel in the order of the roofline model, the best compiled and counted."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xetile.errors import ArgumentError, XetileError
from xetile.runtime.autotune.candidates import Config, autotune_space
from xetile.runtime.autotune.ranking import Ranked, rank
from xetile.runtime.specialize import SpillWarning
from xetile.target import get_target

from . import gpu_compiler, isa_cases
from .environment import describe, write_json
from .isastat import analyse, disassemble, parse
from .tables import Table
from .zebin import read_kernels

HEADERS = ("place", "configuration", "us", "bound", "registers", "GRF", "spill, estimated", "spill", "loop", "dpas share")


def add_tuning_options(parser: argparse.ArgumentParser) -> None:
    """What `--tune` needs."""
    parser.add_argument("--tune", metavar="SPACE", help='rank configurations: "BM=64,128 BN=128,256 num_subgroups=16,32"')
    parser.add_argument("--size", type=int, default=4096, help="with --tune: every size that the kernel's types leave open")
    parser.add_argument("--shapes", metavar="TYPES", help='with --tune: the arguments, "f16[4096,1024] f16[1024,4096] ..."')
    parser.add_argument("--top", type=int, default=5, help="with --tune: how many of the best are compiled and counted")


def tune(options: argparse.Namespace, compiler: str) -> int:
    """The command: one kernel, one or more targets; prints, and writes isa_tuning.json and .md unless `--no-write`."""
    cases = [case for case in isa_cases.CASES if case.name.lower() == options.only.lower()]
    if not cases:
        names = ", ".join(case.name for case in isa_cases.CASES)
        print(f"isa: --tune takes one kernel, with --only NAME: {names}", file=sys.stderr)
        return 2
    (case,) = cases
    try:
        space = configurations(options.tune)
        types = options.shapes.split() if options.shapes else sized(case.types, options.size)
        targets = [t.strip() for t in options.target.split(",") if t.strip()] or list(case.targets)
        found = {target: ranked(case, space, types, target) for target in targets}
    except XetileError as error:
        print(f"isa: {error}", file=sys.stderr)
        return 2
    documents, texts = [], []
    for target, ranking in found.items():
        counted = [counts(case, place.config, target) for place in ranking[: options.top]]
        shown = table(case, target, types, ranking, counted)
        shown.show()
        texts.append(shown.markdown())
        documents.append({"target": target, "types": types, "rows": rows(ranking, counted)})
    if not options.no_write:
        about = describe(benchmark="isa_tuning", compiler=compiler, kernel=case.name, rankings=documents)
        write_json(options.results / "isa_tuning.json", about)
        head = (
            "# Configurations by the roofline model\n\nNothing ran on a GPU; xetile.roofline has the formulas. "
            f"{compiler}, xetile {about['revision']}, {about['date']}. `loop`: instructions of one round of the hot loop, as compiled."
            "\n\n"
        )
        (options.results / "isa_tuning.md").write_text(head + "\n".join(texts), encoding="utf-8")
    return 0


def configurations(text: str) -> list[Config]:
    """Every combination of "BM=64,128 num_subgroups=8,16".  Raises ArgumentError for text of another form."""
    choices: dict[str, list[int]] = {}
    for part in text.split():
        match = re.fullmatch(r"(\w+)=(\d+(?:,\d+)*)", part)
        if match is None:
            raise ArgumentError(f"{part!r} is no choice of values", hint="write NAME=NUMBER,NUMBER,... for each constant")
        choices[match[1]] = [int(number) for number in match[2].split(",")]
    return autotune_space(None, **choices)


def sized(types: Sequence[str], size: int) -> list[str]:
    """Types with the sizes that they leave open."""
    return [kind.replace("?", str(size)) for kind in types]


def ranked(case: isa_cases.Case, space: Sequence[Config], types: Sequence[str], target: str) -> list[Ranked]:
    """The configurations of a case, best first."""
    fixed: dict[str, Any] = dict(case.constants)
    if case.num_subgroups is not None:
        fixed["num_subgroups"] = case.num_subgroups
    return rank(case.kernel, space, *types, target=target, **fixed)


def counts(case: isa_cases.Case, config: Config, target: str) -> Mapping[str, Any]:
    """What Intel's compiler makes of a configuration: instructions of a step, share of dpas, bytes spilled; or the error."""
    values = config.values
    subgroups = values.pop("num_subgroups", case.num_subgroups)
    chosen = replace(case, constants={**case.constants, **values}, num_subgroups=subgroups)
    device = get_target(target).ocloc_device or target
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpillWarning)
            compiled = chosen.compile(target)
            binary = gpu_compiler.build(compiled.spirv, device, compiled.build_options).binary
    except (XetileError, gpu_compiler.CompilerError) as error:
        return {"error": str(error).splitlines()[0]}
    kernel = read_kernels(binary)[0]
    found = analyse(kernel, parse(disassemble(kernel.code, device)))
    step = found.hot.counts if found.hot is not None else found.whole
    return {"instructions": step.total, "dpas_share": step.dpas_share, "spill_bytes": kernel.spill_size}


def rows(ranking: Sequence[Ranked], counted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A ranking for JSON."""
    out = []
    for place, found in enumerate(ranking):
        row: dict[str, Any] = {"config": found.config.values}
        if found.prediction is None or found.estimate is None:
            row["refused"] = found.reason
        else:
            row |= {"seconds": found.seconds, "bound": found.prediction.bound, "terms": dict(found.prediction.terms),
                    "registers": found.estimate.registers, "grf": found.estimate.grf,
                    "estimated_spill_bytes": found.estimate.spill_bytes}  # fmt: skip
        out.append({**row, **(counted[place] if place < len(counted) else {})})
    return out


def table(
    case: isa_cases.Case, target: str, types: Sequence[str], ranking: Sequence[Ranked], counted: Sequence[Mapping[str, Any]]
) -> Table:
    """A ranking as a table."""
    out = Table(HEADERS, title=f"{case.name} for {target}: {', '.join(types)}")
    for place, found in enumerate(ranking):
        shown = ", ".join(f"{name}={value}" for name, value in found.config.items)
        if found.prediction is None or found.estimate is None:
            out.add(place + 1, shown, None, found.reason[:60], *[None] * (len(HEADERS) - 4))
            continue
        got = counted[place] if place < len(counted) else {}
        share = got.get("dpas_share")
        out.add(place + 1, shown, f"{found.seconds * 1e6:.1f}", found.prediction.bound, found.estimate.registers,
                found.estimate.grf, found.estimate.spill_bytes, got.get("spill_bytes"), got.get("instructions"),
                f"{share:.1%}" if share else None)  # fmt: skip
    return out
