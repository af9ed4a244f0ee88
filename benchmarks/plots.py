"""Pictures of a suite's results: throughput over size, and a roofline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = Mapping[str, Any]


def plot(path: Path, found: Mapping[str, Any]) -> None:
    """Write both to one PNG. `found` is the document that `--json` writes."""
    import matplotlib as mpl

    mpl.use("Agg")  # no screen is needed
    from matplotlib import pyplot

    rows = [row for row in found["rows"] if row["ours"] is not None]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(20, 7))
    for axes in (left, right):
        axes.set_prop_cycle(color=[mpl.colormaps["tab20"](i) for i in range(20)])
    _throughput(left, rows, found)
    _roofline(right, rows, found)
    device, versions = found["device"], found["versions"]
    how = ", the GPU module emulated" if device["emulated"] else ""
    figure.suptitle(
        f"{found['benchmark']} on {device['name']}{how}; xetile {versions['xetile']} {found['revision']}, {found['date']}"
    )
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def _throughput(axes: Any, rows: Sequence[Row], found: Mapping[str, Any]) -> None:
    """A line for each variant, with the 20th and 80th percentile; others dashed in the same colour."""
    work = "traffic" if found["unit"] == "GB/s" else "flops"
    for variant in dict.fromkeys(row["variant"] for row in rows):
        own = sorted((row for row in rows if row["variant"] == variant), key=lambda row: max(row["shape"]))
        sizes = [max(row["shape"]) for row in own]
        middle, low, high = (_rates(own, [row["ours"][part] for row in own], work) for part in ("median", "p80", "p20"))
        (line,) = axes.plot(sizes, middle, marker="o", label=variant)
        axes.fill_between(sizes, low, high, color=line.get_color(), alpha=0.15)
        for peer in dict.fromkeys(name for row in own for name in row["peers"]):
            with_peer = [row for row in own if peer in row["peers"]]
            rates = _rates(with_peer, [row["peers"][peer]["median"] for row in with_peer], work)
            axes.plot([max(row["shape"]) for row in with_peer], rates, "--", marker=".", color=line.get_color(), alpha=0.7,
                      label=f"{variant}: {peer}")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="largest dimension", ylabel=found["unit"], title="throughput over size")
    axes.set_xscale("log", base=2)
    axes.grid(visible=True, which="both", alpha=0.2)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _rates(rows: Sequence[Row], seconds: Sequence[float], work: str) -> list[float]:
    return [row[work] / second / 1e9 for row, second in zip(rows, seconds, strict=True)]


def _roofline(axes: Any, rows: Sequence[Row], found: Mapping[str, Any]) -> None:
    """What was reached over operations per byte, below the peaks that were measured."""
    peaks = found["peaks"]
    widths = {int(size): rate for size, rate in peaks["GB/s by working set"].items()}
    intensity = [max(row["flops"], 1.0) / row["traffic"] for row in rows]
    span = np.geomspace(min(intensity, default=0.1) / 4, max(intensity, default=10.0) * 4, 200)
    for name, peak in peaks["GFLOP/s"].items():
        for size in sorted({min(widths), max(widths)}) if widths else []:
            axes.plot(span, np.minimum(peak, span * widths[size]), color="black", alpha=0.6, linewidth=1,
                      label=f"{name} {peak:.0f} GFLOP/s; {widths[size]:.0f} GB/s at {size >> 10} KiB")  # fmt: skip
    for variant in dict.fromkeys(row["variant"] for row in rows):
        own = [(at, row) for at, row in zip(intensity, rows, strict=True) if row["variant"] == variant]
        axes.scatter([at for at, _ in own], [max(row["flops"], 1.0) / row["ours"]["median"] / 1e9 for _, row in own], s=18,
                     label=variant)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="GFLOP/s", title="roofline")
    axes.grid(visible=True, which="both", alpha=0.2)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
