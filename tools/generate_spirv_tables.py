"""Write backends/spirv/module/grammar.py from the machine-readable SPIR-V grammar of Khronos.

    python tools/generate_spirv_tables.py spirv.core.grammar.json extinst.opencl.std.100.grammar.json > backends/spirv/module/grammar.py

Both inputs come from https://github.com/KhronosGroup/SPIRV-Headers (include/spirv/unified1, MIT license).  The output keeps
what a compute kernel can hold: graphics, FPGA tools, image sampling, video motion estimation and the families of other vendors
are left out.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

Entry = dict[str, Any]

VENDORS = re.compile(r"(NV|NVX|AMD|AMDX|QCOM|ARM|HUAWEI|VALVE|GOOGLE|ALTERA)$|ALTERA$|QCOM$")
FAMILIES = re.compile(r"^OpSubgroup(Avc|Ime|Ref|Sic)|^Op(Image|Ray|Trace|HitObject|TensorQuery|TypeRay|EmitMesh|SetMesh)")
OTHER_CAPABILITIES = re.compile(
    r"(NV|NVX|AMD|AMDX|QCOM|ARM|HUAWEI|VALVE|GOOGLE|ALTERA|SAMSUNG)$|FPGA|RayTracing|RayQuery|^Image|ChromaINTEL|Avc"
    r"|TileImage|DescriptorHeap|FragmentBary|LongVector|CooperativeMatrix.+EXT|VectorCompute|VectorAny|SampleMask"
    r"|^(Uniform|Storage).*(8|16)|^Shader|SpecConditional|FunctionVariants|RayCull|QuadControl|Bindless|AbortKHR"
    r"|DebugInfoModule|ConstantData|MediaBlock|DeviceGroup|VariableLengthArray|GlobalVariableHost"
)
MASKS_OF_NO_USE = {"ImageOperands", "RayFlags", "TensorOperands", "TensorAddressingOperands", "RawAccessChainOperands"}

SHORT = {
    "IdResultType": "T",
    "IdResult": "R",
    "IdRef": "I",
    "IdScope": "I",
    "IdMemorySemantics": "I",
    "LiteralInteger": "N",
    "LiteralString": "S",
    "LiteralFloat": "F",
    "LiteralContextDependentNumber": "C",
    "LiteralExtInstInteger": "X",
    "LiteralSpecConstantOpInteger": "O",
    "PairLiteralIntegerIdRef": "CI",
    "PairIdRefLiteralInteger": "IN",
    "PairIdRefIdRef": "II",
}

# Where an instruction or an enumerant names several capabilities, one suffices: take what an OpenCL kernel declares anyway.
PREFERRED = ("Kernel", "Addresses")


def graphics_capabilities(grammar: Entry) -> set[str]:
    """Capabilities that no OpenCL kernel can declare: they imply Shader, or belong to another vendor or to FPGA tools."""
    kinds = {kind["kind"]: kind for kind in grammar["operand_kinds"]}
    entries = kinds["Capability"]["enumerants"]
    dropped = {"Shader"} | {e["enumerant"] for e in entries if OTHER_CAPABILITIES.search(e["enumerant"])}
    size = 0
    while size != len(dropped):
        size = len(dropped)
        dropped |= {e["enumerant"] for e in entries if e.get("capabilities") and set(e["capabilities"]) <= dropped}
    return dropped


HEADER = '''"""The SPIR-V grammar as tables, made by tools/generate_spirv_tables.py: do not edit.

From spirv.core.grammar.json, SPIR-V {major_version}.{minor_version} revision {revision}, and extinst.opencl.std.100.grammar.json.
Copyright: 2014-2024 The Khronos Group Inc.  License: MIT.  The unmodified, normative versions are at
https://www.khronos.org/registry/.
"""
'''
INSTRUCTIONS_COMMENT = """\
operand kinds|capability|name=opcode ...  Kinds: T result type, R result, I id, N integer, S string, F float,
# C number of the type's width, X, O number of an instruction, else an enumeration."""
ENUMERATIONS_COMMENT = """\
kind and category, then name=value:parameters:capability; of a capability, name=value:implied:extension."""


def is_kept(entry: Entry, dropped: set[str]) -> bool:
    """Whether an instruction or an enumerant can occur in a compute kernel; `dropped` are the capabilities that cannot."""
    kinds = {operand["kind"] for operand in entry.get("operands", [])}
    name = entry.get("opname") or entry["enumerant"]
    needs = set(entry.get("capabilities", []))
    is_foreign = VENDORS.search(name) or FAMILIES.search(name) or kinds & MASKS_OF_NO_USE
    return not (is_foreign or name in dropped or (needs and needs <= dropped))


def capability_of(entry: Entry) -> str:
    """The capability that an instruction or an enumerant asks for, "" if none."""
    choices = entry.get("capabilities", [])
    for choice in PREFERRED:
        if choice in choices:
            return choice
    return choices[0] if choices else ""


def signature_of(operands: Iterable[Entry]) -> str:
    """The kinds of operands, abbreviated, with their quantifiers."""
    return " ".join(SHORT.get(o["kind"], o["kind"]) + o.get("quantifier", "") for o in operands)


def value_of(enumerant: Entry) -> int:
    """An enumerant's number."""
    value = enumerant["value"]
    return int(value, 16) if isinstance(value, str) else int(value)


def extension_of(capability: Entry) -> str:
    """The extension a module of version 1.4 must name for this capability; drivers know Intel's spelling longest."""
    version = capability.get("version", "None")
    if version != "None" and tuple(map(int, version.split("."))) <= (1, 4):
        return ""
    names = capability.get("extensions", [])
    return next((name for name in names if name.startswith("SPV_INTEL_")), names[0] if names else "")


def instruction_lines(instructions: list[Entry]) -> Iterator[str]:
    """Instructions of equal operands and capability on one line."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for instruction in instructions:
        key = signature_of(instruction.get("operands", [])), capability_of(instruction)
        groups[key].append(f"{instruction['opname'].removeprefix('Op')}={instruction['opcode']}")
    for (signature, capability), names in groups.items():
        head = f"{signature}|{capability}|"
        for line in textwrap.wrap(" ".join(names), 128 - len(head), break_long_words=False, break_on_hyphens=False):
            yield head + line


def enum_lines(kinds: list[Entry], dropped: set[str]) -> Iterator[str]:
    """An enumeration and its enumerants."""
    for kind in kinds:
        yield f"{kind['kind']} {kind['category']}"
        words = []
        for enumerant in kind["enumerants"]:
            if not is_kept(enumerant, dropped):
                continue
            parameters = signature_of(enumerant.get("parameters", [])).replace(" ", ",")
            fields = [f"{enumerant['enumerant']}={value_of(enumerant)}", parameters, capability_of(enumerant)]
            if kind["kind"] == "Capability":
                fields[1:] = [",".join(enumerant.get("capabilities", [])), extension_of(enumerant)]
            words.append(":".join(fields).rstrip(":"))
        yield from textwrap.wrap(
            " ".join(words), 128, initial_indent=" ", subsequent_indent=" ", break_long_words=False, break_on_hyphens=False
        )


def alias_words(entries: Iterable[Entry], name: str) -> Iterator[str]:
    """`alias=name` of what has other names."""
    for entry in entries:
        for alias in entry.get("aliases", []):
            if not VENDORS.search(alias):
                yield f"{alias.removeprefix('Op')}={entry[name].removeprefix('Op')}"


def wrapped(words: Iterable[str]) -> Iterator[str]:
    """Words filled into lines."""
    return iter(textwrap.wrap(" ".join(words), 128, break_long_words=False, break_on_hyphens=False))


def constant(name: str, comment: str, lines: Iterable[str]) -> str:
    """A Python assignment of a text."""
    body = "\n".join(lines)
    return f'# {comment}\n{name} = """\\\n{body}\n"""\n'


# Passed as ids of constants, so no operand kind leads to them.
KINDS_OF_CONSTANTS = {"Scope", "MemorySemantics", "CooperativeMatrixLayout", "CooperativeMatrixUse"}


def used_kinds(grammar: Entry, instructions: list[Entry]) -> list[Entry]:
    """Enumerations reachable from the kept instructions, parameters of enumerants included."""
    kinds = {k["kind"]: k for k in grammar["operand_kinds"] if k["category"] in ("BitEnum", "ValueEnum")}
    names = {o["kind"] for i in instructions for o in i.get("operands", [])} & set(kinds) | KINDS_OF_CONSTANTS
    for name in list(names):
        for enumerant in kinds[name]["enumerants"]:
            names |= {p["kind"] for p in enumerant.get("parameters", [])} & set(kinds)
    return [kinds[name] for name in sorted(names)]


def main() -> None:
    """Read the two files named on the command line and print grammar.py."""
    with open(sys.argv[1]) as core, open(sys.argv[2]) as extended:
        grammar, opencl = json.load(core), json.load(extended)
    dropped = graphics_capabilities(grammar)
    instructions = [i for i in grammar["instructions"] if is_kept(i, dropped)]
    kinds = used_kinds(grammar, instructions)
    enumerants = [e for kind in kinds for e in kind["enumerants"] if is_kept(e, dropped)]
    print(HEADER.format(**grammar))
    print(constant("INSTRUCTIONS", INSTRUCTIONS_COMMENT, instruction_lines(instructions)))
    print(constant("ENUMERATIONS", ENUMERATIONS_COMMENT, enum_lines(kinds, dropped)))
    print(
        constant(
            "ALIASES",
            "alias=name of instructions and enumerants.",
            wrapped([*alias_words(instructions, "opname"), *alias_words(enumerants, "enumerant")]),
        )
    )
    print(
        constant(
            "OPENCL_STD",
            "name=number of the extended instructions of OpenCL.std.",
            wrapped(f"{i['opname']}={i['opcode']}" for i in opencl["instructions"]),
        ),
        end="",
    )


if __name__ == "__main__":
    main()
