"""The tables against Intel's compiler: each message and each product becomes exactly one instruction."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xetile.target import DTYPE_BITS, Mma, get_target

KINDS = ("load", "transform", "transpose", "prefetch", "store")
OPCODES = {"load": "Load", "transform": "LoadTransform", "transpose": "LoadTranspose", "prefetch": "Prefetch", "store": "Store"}

PREAMBLE = """OpCapability Addresses
OpCapability Kernel
OpCapability Vector16
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability SubgroupDispatch
{capabilities}
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpExecutionMode %k SubgroupSize {lanes}
%void = OpTypeVoid
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %u32 2
%pg = OpTypePointer CrossWorkgroup %u8
%pg32 = OpTypePointer CrossWorkgroup %u32
"""


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None and not os.environ.get("XETILE_REQUIRE_TOOLS"):
        pytest.skip(f"{name} is not on PATH")
    assert found, f"{name} is required"
    return found


def compile_text(text: str, device: str, folder: Path) -> str:
    """The ISA that Intel's compiler makes of a SPIR-V text; fails with its log."""
    assembler, compiler = tool("spirv-as"), tool("ocloc")
    (folder / "k.spvasm").write_text(text)
    run([assembler, "--target-env", "spv1.4", "k.spvasm", "-o", "k.spv"], folder)
    dump = {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(folder / "dump")}
    run(
        [compiler, "compile", "-spirv_input", "-file", "k.spv", "-device", device, "-output", "k", "-out_dir", "out"],
        folder,
        dump,
    )
    return "\n".join(path.read_text() for path in (folder / "dump").rglob("*.asm"))


def run(command: list[str], folder: Path, extra: dict[str, str] | None = None) -> None:
    result = subprocess.run(command, cwd=folder, env={**os.environ, **(extra or {})}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


class Text:
    """Collects constants and types once, and instructions in order."""

    def __init__(self) -> None:
        self.declared: dict[str, str] = {}
        self.variables: list[str] = []
        self.body: list[str] = []

    def constant(self, value: int) -> str:
        self.declared.setdefault(f"%c{value}", f"OpConstant %u32 {value}")
        return f"%c{value}"

    def type(self, name: str, text: str) -> str:
        self.declared.setdefault(name, text)
        return name


def all_messages(name: str):
    blocks = get_target(name).block2d
    return [(kind, size, message) for kind in KINDS for size in (1, 2, 4) for message in blocks.messages(kind, size)]


def message_text(name: str) -> str:
    text = Text()
    memory = "%A %w %h %w"
    for i, (kind, size, message) in enumerate(all_messages(name)):
        shape = " ".join(map(text.constant, (size, message.width, message.height, message.count)))
        at = f"%at{i} = OpCompositeConstruct %v2 {text.constant(0)} {text.constant(i * 64)}"
        operation = f"OpSubgroup2DBlock{OPCODES[kind]}INTEL {shape}"
        if kind == "prefetch":
            text.body += [at, f"{operation} {memory} %at{i}"]
            continue
        words = max(1, message.elements * size // 16 // 4)
        array = text.type(f"%a{words}", f"OpTypeArray %u32 {text.constant(words)}")
        text.type(f"%pa{words}", f"OpTypePointer Function {array}")
        text.type("%pe", "OpTypePointer Function %u32")
        text.variables.append(f"%m{i} = OpVariable %pa{words} Function")
        text.body.append(at)
        text.body.append(f"{operation} %m{i} {memory} %at{i}" if kind == "store" else f"{operation} {memory} %at{i} %m{i}")
        for word in range(words if kind != "store" else 0):
            to = text.constant(i * 1024 + word)
            text.body.append(f"%e{i}_{word} = OpInBoundsAccessChain %pe %m{i} {text.constant(word)}")
            text.body.append(f"%x{i}_{word} = OpLoad %u32 %e{i}_{word}")
            text.body.append(f"%o{i}_{word} = OpInBoundsPtrAccessChain %pg32 %C {to}")
            text.body.append(f"OpStore %o{i}_{word} %x{i}_{word} Aligned 4")
    return assemble(
        text,
        "OpCapability Subgroup2DBlockIOINTEL\nOpCapability Subgroup2DBlockTransformINTEL\n"
        'OpCapability Subgroup2DBlockTransposeINTEL\nOpExtension "SPV_INTEL_2d_block_io"',
        16,
    )


def assemble(text: Text, capabilities: str, lanes: int) -> str:
    types = [f"{name} = {value}" for name, value in text.declared.items()]
    return "\n".join(
        [
            PREAMBLE.format(capabilities=capabilities, lanes=lanes),
            *types,
            "%ft = OpTypeFunction %void %pg %pg32 %u32 %u32",
            "%k = OpFunction %void None %ft",
            "%A = OpFunctionParameter %pg",
            "%C = OpFunctionParameter %pg32",
            "%w = OpFunctionParameter %u32",
            "%h = OpFunctionParameter %u32",
            "%entry = OpLabel",
            *text.variables,
            *text.body,
            "OpReturn",
            "OpFunctionEnd",
            "",
        ]
    )


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("name", ["pvc", "bmg", "lnl"])
def test_each_message_is_one_instruction(name, tmp_path):
    isa = compile_text(message_text(name), get_target(name).ocloc_device, tmp_path)
    stores = sum(kind == "store" for kind, _, _ in all_messages(name))
    assert len(re.findall(r"\bstore_block2d", isa)) == stores
    assert len(re.findall(r"\bload_block2d", isa)) == len(all_messages(name)) - stores


FLAGS = {
    "f16": ("MatrixAPackedFloat16INTEL", "MatrixBPackedFloat16INTEL"),
    "bf16": ("MatrixAPackedBFloat16INTEL", "MatrixBPackedBFloat16INTEL"),
    "tf32": ("MatrixATF32INTEL", "MatrixBTF32INTEL"),
    "u8": ("MatrixAPackedInt8INTEL", "MatrixBPackedInt8INTEL"),
    "i8": ("MatrixAPackedInt8INTEL|MatrixASignedComponentsINTEL", "MatrixBPackedInt8INTEL|MatrixBSignedComponentsINTEL"),
    "u4": ("MatrixAPackedInt4INTEL", "MatrixBPackedInt4INTEL"),
    "i4": ("MatrixAPackedInt4INTEL|MatrixASignedComponentsINTEL", "MatrixBPackedInt4INTEL|MatrixBSignedComponentsINTEL"),
}
ACC_TYPES = {"f32": ("%f32", 4), "i32": ("%u32", 4), "f16": ("%f16", 2), "bf16": ("%u16", 2)}


def product_text(product: Mma, lanes: int) -> str:
    """All row counts of one product, each with operands from memory and its result stored."""
    text = Text()
    float_operands = product.lhs == "tf32"
    a_type = "%f32" if float_operands else "%u16" if product.packed_bits("a") == 16 else "%u32"
    b_type = "%f32" if float_operands else "%u32"
    acc_type, acc_bytes = ACC_TYPES[product.acc]
    flags = "|".join(FLAGS[product.lhs][:1] + FLAGS[product.rhs][1:])
    if product.acc == "bf16":
        flags += "|MatrixCBFloat16INTEL|MatrixResultBFloat16INTEL"
    a_bytes = 2 if a_type == "%u16" else 4
    for m in product.m:
        units = product.elements_per_lane("a", m) * DTYPE_BITS[product.lhs] // product.packed_bits("a")
        units = units * product.packed_bits("a") // (a_bytes * 8)
        a = load(text, f"a{m}", a_type, max(1, units), a_bytes, m)
        b = load(text, f"b{m}", b_type, 8, 4, m)
        c = load(text, f"c{m}", acc_type, m, acc_bytes, m)
        kind, pointer = value_type(text, acc_type, m)
        text.body.append(f"%r{m} = OpSubgroupMatrixMultiplyAccumulateINTEL {kind} {text.constant(product.k)} {a} {b} {c} {flags}")
        text.body.append(f"%q{m} = OpBitcast {pointer} %C")
        text.body.append(f"OpStore %q{m} %r{m} Aligned {acc_bytes}")
    capabilities = (
        "OpCapability Float16\nOpCapability SubgroupMatrixMultiplyAccumulateINTEL\n"
        'OpExtension "SPV_INTEL_subgroup_matrix_multiply_accumulate"'
    )
    return assemble(text, capabilities, lanes)


def value_type(text: Text, scalar: str, count: int) -> tuple[str, str]:
    kind = scalar if count == 1 else text.type(f"%v{count}{scalar[1:]}", f"OpTypeVector {scalar} {count}")
    return kind, text.type(f"%p{kind[1:]}", f"OpTypePointer CrossWorkgroup {kind}")


def load(text: Text, name: str, scalar: str, count: int, alignment: int, place: int) -> str:
    kind, pointer = value_type(text, scalar, count)
    text.body.append(f"%i{name} = OpInBoundsPtrAccessChain %pg %A {text.constant(place * 4096 + ord(name[0]))}")
    text.body.append(f"%p{name} = OpBitcast {pointer} %i{name}")
    text.body.append(f"%x{name} = OpLoad {kind} %p{name} Aligned {alignment}")
    return f"%x{name}"


# One product of each group: all others differ in signs, which the compiler treats alike.
GROUPS = ["f16f16f32", "bf16bf16f32", "f16f16f16", "bf16bf16bf16", "tf32tf32f32", "i8u8i32", "u8i8i32", "i4u4i32"]
PRODUCTS = [
    pytest.param(target, product, id=f"{target}-{product.lhs}{product.rhs}{product.acc}")
    for target in ("pvc", "bmg", "dg2")
    for product in get_target(target).mma
    if product.lhs + product.rhs + product.acc in GROUPS and (target != "bmg" or product.lhs in ("tf32", "i4"))
]


@pytest.mark.every(4, 1)
@pytest.mark.parametrize(("target", "product"), PRODUCTS)
def test_each_product_is_one_instruction(target, product, tmp_path):
    lanes = get_target(target).subgroup_size
    isa = compile_text(product_text(product, lanes), get_target(target).ocloc_device, tmp_path)
    found = re.findall(r"\bdpas\w*\.8x(\d)", isa)
    assert sorted(map(int, found)) == list(product.m)
