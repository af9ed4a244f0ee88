"""Pictures of a suite's results: throughput over size, a panel for each variant, and a roofline.  Made to be read at 800 pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = Mapping[str, Any]

PIXELS, DPI = 800, 100
COLUMNS = 3
PANEL_INCHES, ROOFLINE_INCHES = 1.9, 3.6
FONT = 7.5  # points, about 10 pixels
# One colour and one marker for each that is timed, the same in every picture; colours that colour-blind people tell apart.
PEERS = {
    "xetile": ("#0072b2", "o"),
    "numpy": ("#d55e00", "s"),
    "torch": ("#009e73", "^"),
    "triton-interpreter": ("#cc79a7", "D"),
}
VARIANT_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
VARIANT_MARKERS = "osD^vP*X"


def plot(path: Path, found: Mapping[str, Any]) -> None:
    """Write both to one PNG. `found` is the document that `--json` writes."""
    import matplotlib as mpl

    mpl.use("Agg")  # no screen is needed
    from matplotlib import pyplot

    rows = [row for row in found["rows"] if row["ours"] is not None]
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    lines = max(1, math.ceil(len(variants) / COLUMNS))
    inches = lines * PANEL_INCHES + ROOFLINE_INCHES + 0.5
    with mpl.rc_context({"font.size": FONT, "lines.markersize": 4, "lines.linewidth": 1.2}):
        figure = pyplot.figure(figsize=(PIXELS / DPI, inches), dpi=DPI, layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=(lines * PANEL_INCHES + 0.5, ROOFLINE_INCHES))
        upper, lower = parts
        panels = upper.subplots(lines, min(COLUMNS, max(1, len(variants))), squeeze=False).ravel()
        for axes, variant in zip(panels, variants, strict=False):
            _throughput(axes, variant, [row for row in rows if row["variant"] == variant], found["unit"])
        for axes in panels[len(variants) :]:
            axes.set_axis_off()
        _roofline(lower.subplots(), rows, variants, found)
        upper.suptitle(_title(found), fontsize=FONT + 0.5)
        upper.legend(handles=_peers(mpl, rows), loc="outside lower center", ncols=len(PEERS), frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=DPI)
        pyplot.close(figure)


def _title(found: Mapping[str, Any]) -> str:
    device, versions = found["device"], found["versions"]
    how = ", the GPU module emulated" if device["emulated"] else ""
    return f"{found['benchmark']} on {device['name']}{how}\nxetile {versions['xetile']} {found['revision']}, {found['date']}"


def _peers(mpl: Any, rows: Sequence[Row]) -> list[Any]:
    """The legend: those that were timed."""
    there = {"xetile"} | {name for row in rows for name in row["peers"]}
    return [
        mpl.lines.Line2D([], [], color=color, marker=marker, label=name)
        for name, (color, marker) in PEERS.items()
        if name in there
    ]


def _throughput(axes: Any, variant: str, rows: Sequence[Row], unit: str) -> None:
    """A line for ours, with the 20th and 80th percentile, and one for each peer."""
    work = "traffic" if unit == "GB/s" else "flops"
    rows = sorted(rows, key=lambda row: (row[work], row["shape"]))
    shapes = list(dict.fromkeys(_shape(row) for row in rows))
    middle, low, high = (_rates(rows, [row["ours"][part] for row in rows], work) for part in ("median", "p80", "p20"))
    axes.fill_between([shapes.index(_shape(row)) for row in rows], low, high, color=PEERS["xetile"][0], alpha=0.15)
    for name, (color, marker) in reversed(PEERS.items()):  # ours last, on top
        there = [row for row in rows if name == "xetile" or name in row["peers"]]
        seconds = [row["ours"]["median"] if name == "xetile" else row["peers"][name]["median"] for row in there]
        rates = middle if name == "xetile" else _rates(there, seconds, work)
        axes.plot([shapes.index(_shape(row)) for row in there], rates, color=color, marker=marker)
    axes.set(yscale="log", title=variant, ylabel=unit)
    axes.set_xticks(range(len(shapes)), shapes, rotation=0 if sum(map(len, shapes)) < 24 else 25)
    _label(axes.yaxis)
    axes.margins(y=0.15)
    axes.grid(visible=True, alpha=0.25)


def _label(axis: Any) -> None:
    """Plain numbers along a logarithmic axis, three for each power of ten, so that none is written over another."""
    from matplotlib import ticker

    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def _shape(row: Row) -> str:
    """A size as people say it: one number for all that are equal."""
    return "x".join(str(size) for size in (row["shape"] if len(set(row["shape"])) > 1 else row["shape"][:1]))


def _rates(rows: Sequence[Row], seconds: Sequence[float], work: str) -> list[float]:
    return [row[work] / second / 1e9 for row, second in zip(rows, seconds, strict=True)]


def _roofline(axes: Any, rows: Sequence[Row], variants: Sequence[str], found: Mapping[str, Any]) -> None:
    """What was reached over operations per byte, below the peaks that were measured."""
    peaks = found["peaks"]
    widths = {int(size): rate for size, rate in peaks["GB/s by working set"].items()}
    intensity = [max(row["flops"], 1.0) / row["traffic"] for row in rows]
    span = np.geomspace(min(intensity, default=0.1) / 4, max(intensity, default=10.0) * 4, 200)
    styles = ("-", "--", ":", "-.")
    roofs = [(name, peak, size) for name, peak in peaks["GFLOP/s"].items() for size in sorted({min(widths), max(widths)})]
    for number, (name, peak, size) in enumerate(roofs if widths else []):
        axes.plot(span, np.minimum(peak, span * widths[size]), styles[number % len(styles)], color="#555555", linewidth=1,
                  label=f"{name} {peak:.0f} GFLOP/s; {widths[size]:.0f} GB/s at {size >> 10} KiB")  # fmt: skip
    for number, variant in enumerate(variants):
        own = [(at, row) for at, row in zip(intensity, rows, strict=True) if row["variant"] == variant]
        axes.scatter([at for at, _ in own], [max(row["flops"], 1.0) / row["ours"]["median"] / 1e9 for _, row in own], s=26, alpha=0.9,
                     color=VARIANT_COLOURS[number % len(VARIANT_COLOURS)], marker=VARIANT_MARKERS[number % len(VARIANT_MARKERS)],
                     label=variant)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="GFLOP/s", title="xetile's roofline")
    _label(axes.xaxis)
    _label(axes.yaxis)
    axes.grid(visible=True, alpha=0.25)
    axes.legend(fontsize=FONT - 0.5, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def plot_shares(path: Path, shares: Mapping[str, Mapping[str, float]], title: str) -> None:
    """A line for each case with what each subject has of the roof."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names = list(shares)[::-1]
    with mpl.rc_context({"font.size": FONT, "lines.markersize": 5}):
        figure, axes = pyplot.subplots(figsize=(PIXELS / DPI, 0.2 * len(names) + 1.2), dpi=DPI, layout="constrained")
        for peer, (colour, marker) in PEERS.items():
            points = [(shares[name][peer], at) for at, name in enumerate(names) if peer in shares[name]]
            if points:
                axes.plot(*zip(*points, strict=True), marker, color=colour, label=peer)
        axes.axvline(1.0, color="#888888", linewidth=1)
        axes.set_yticks(range(len(names)), names)
        axes.set_xscale("log")
        axes.set_xlabel("share of the roof: f32 multiply-adds and bandwidth, measured in the same run")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(frameon=False, loc="lower left")
        axes.set_title(title)
        figure.savefig(path, dpi=DPI)
        pyplot.close(figure)


def plot_estimates(path: Path, found: Sequence[tuple[str, int, int, bool]], tolerance: int) -> None:
    """Registers by the estimate over those that the compiler reports: of each target, estimated, reported, whether it spills."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    targets = list(dict.fromkeys(target for target, *_ in found))
    most = max((max(one, other) for _, one, other, _ in found), default=1)
    with mpl.rc_context({"font.size": FONT}):
        figure, panels = pyplot.subplots(1, len(targets), figsize=(PIXELS / DPI, PIXELS / DPI / len(targets) + 0.5), dpi=DPI,
                                         layout="constrained", squeeze=False, sharey=True)  # fmt: skip
        for axes, target in zip(panels[0], targets, strict=True):
            line = [0, most]
            axes.fill_between(line, [-tolerance, most - tolerance], [tolerance, most + tolerance], color="#888888", alpha=0.2)
            axes.plot(line, line, color="#888888", linewidth=1)
            for spills, colour, marker, label in ((False, "#0072b2", "o", "fits"), (True, "#d55e00", "x", "spills")):
                points = [
                    (reported, estimated) for name, estimated, reported, spilled in found if (name, spilled) == (target, spills)
                ]
                if points:
                    axes.scatter(*zip(*points, strict=True), s=9, marker=marker, color=colour, alpha=0.7, label=label)
            axes.set(title=target, xlabel="registers reported", xlim=(0, most), ylim=(0, most))
            axes.legend(frameon=False, loc="upper left")
        panels[0][0].set_ylabel("registers estimated")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=DPI)
        pyplot.close(figure)
