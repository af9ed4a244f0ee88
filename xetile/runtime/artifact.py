"""What a compiler hands to a backend: a finished kernel, and what each of its arguments is.

`Binary` is the SPIR-V form (for OpenCL), `Program` the IR form (for backends that execute modules, such as the numpy reference).
Both say the same about their arguments, so a backend derives run-time dims and strides from the arrays that a call passes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from xetile.errors import Location
from xetile.index_ranges import UNCHECKED, IndexRanges

ArgKind = Literal["array", "dim", "stride", "scalar"]

MANIFEST_VERSION = 1

SPINS = "xetile: subgroups wait for each other"
"""What OpModuleProcessed says of modules whose subgroups wait for each other in loops: they need a device on which subgroups go on
independently."""


@dataclass(frozen=True)
class ArgSpec:
    """One argument of a compiled kernel, in the order in which the kernel takes them.

    kind    "array": a pointer to the first element; "dim": `param.shape[axis]`; "stride": elements between neighbours along
            `axis`; "scalar": the value itself.
    param   name of the Python parameter that it belongs to.
    dtype   element type of an array or type of a scalar (f16, i32, u8, ...); "index32" or "index64" for dims and strides.
    """

    kind: ArgKind
    param: str
    axis: int = 0
    dtype: str = ""


def parameters(args: tuple[ArgSpec, ...]) -> tuple[str, ...]:
    """Names of the Python parameters behind `args`, each once, in order: what `launch` takes values for."""
    return tuple(dict.fromkeys(spec.param for spec in args))


@dataclass(frozen=True)
class Binary:
    """A kernel compiled to SPIR-V for one target.

    name           entry point in the module.
    spirv          the module's bytes, little endian.
    target         name of the target that it was compiled for ("pvc", "bmg", ...).
    local_size     work-items of a workgroup along x, y, z.
    grf            registers of a hardware thread: 128 or 256.
    slm_bytes      shared local memory that a workgroup declares.
    build_options  what the driver must be given for exactly this module.
    args           the kernel's arguments in order.
    written        names of the array parameters that the kernel may write; None when unknown: then all of them count.
    spill_bytes    memory of a hardware thread that the driver will need for values that find no register, as estimated.
    ranges         what must hold at a launch so that its index arithmetic is right.
    slow           tiles that are moved element by element because of what the kernel says: why, what to do, and where.
    """

    name: str
    spirv: bytes
    target: str
    subgroup_size: int
    num_subgroups: int
    local_size: tuple[int, int, int]
    grf: int
    slm_bytes: int
    build_options: str
    args: tuple[ArgSpec, ...]
    written: frozenset[str] | None = None
    spill_bytes: int = 0
    ranges: IndexRanges = UNCHECKED
    slow: tuple[tuple[str, str, Location], ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what a call passes, in order."""
        return parameters(self.args)

    @property
    def digest(self) -> str:
        """Identity of the built kernel: the same for equal binaries in every process."""
        built_from = {name: value for name, value in self.manifest().items() if name not in ("ranges", "slow")}
        text = json.dumps(built_from, sort_keys=True).encode()
        return hashlib.sha256(text + self.spirv).hexdigest()

    def manifest(self) -> dict[str, Any]:
        """All but the SPIR-V, as plain JSON values: what a launcher in another language needs to know."""
        fields: dict[str, Any] = {k: getattr(self, k) for k in self.__dataclass_fields__ if k != "spirv"}
        fields["local_size"] = list(self.local_size)
        fields["args"] = [asdict(spec) for spec in self.args]
        fields["written"] = None if self.written is None else sorted(self.written)
        fields["ranges"] = self.ranges.to_json()
        fields["slow"] = [[why, mend, at.to_json()] for why, mend, at in self.slow]
        return {"version": MANIFEST_VERSION, **fields}

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], spirv: bytes) -> Binary:
        """The inverse of `manifest`.  Raises ValueError for a manifest of another version or with missing fields."""
        fields = dict(manifest)
        if (version := fields.pop("version", None)) != MANIFEST_VERSION:
            raise ValueError(f"kernel manifest has version {version}; this xetile reads version {MANIFEST_VERSION}")
        try:
            fields["local_size"] = tuple(fields["local_size"])
            fields["args"] = tuple(ArgSpec(**spec) for spec in fields["args"])
            fields["written"] = None if fields["written"] is None else frozenset(fields["written"])
            fields["ranges"] = IndexRanges.from_json(fields["ranges"])
            fields["slow"] = tuple((why, mend, Location(*at)) for why, mend, at in fields["slow"])
            return cls(spirv=spirv, **fields)
        except (KeyError, TypeError) as error:
            raise ValueError(f"kernel manifest is incomplete: {error}") from error

    def to_json(self) -> str:
        """One self-contained text: the manifest with the SPIR-V in base64."""
        return json.dumps({**self.manifest(), "spirv": base64.b64encode(self.spirv).decode()}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Binary:
        """The inverse of `to_json`.  Raises ValueError for text that is not such a document."""
        fields: Any = json.loads(text)
        spirv = fields.pop("spirv", None) if isinstance(fields, dict) else None
        if not isinstance(spirv, str):
            raise ValueError("not a compiled kernel: no SPIR-V in it")  # noqa: TRY004 (the text is wrong, not a type)
        return cls.from_manifest(fields, base64.b64decode(spirv, validate=True))


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel as IR, for backends that execute modules: `module` is an IR module of any level, `name` its gpu.func."""

    name: str
    module: Any
    target: str
    args: tuple[ArgSpec, ...]
    written: frozenset[str] | None = None
    ranges: IndexRanges = UNCHECKED

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what a call passes, in order."""
        return parameters(self.args)


Artifact = Binary | Program


def written_parameters(artifact: Artifact) -> frozenset[str]:
    """Array parameters whose contents may change when the kernel runs."""
    if artifact.written is not None:
        return artifact.written
    return frozenset(spec.param for spec in artifact.args if spec.kind == "array")
