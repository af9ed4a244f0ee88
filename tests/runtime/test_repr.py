"""What kernels show of themselves."""

from tests.kernels.matmul import matmul


def test_a_kernel_shows_how_it_is_called():
    assert repr(matmul) == f"<xetile kernel matmul({', '.join(matmul.head.order)})>"
    assert repr(matmul[1, 2]) == f"<xetile kernel matmul({', '.join(matmul.head.order)}) on grid [1, 2]>"


def test_a_compiled_kernel_shows_what_it_is_compiled_for():
    compiled = matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", BM=64, target="bmg")
    shown = repr(compiled)
    assert shown.startswith("<xetile kernel matmul(A: f16[?,?], B: f16[?,?], C: f32[?,?], BM=64, ") and shown.endswith(
        ") for bmg>"
    )
