"""What exists only while a kernel is compiled: constexpr, static_range. Imports nothing, as decorating needs this file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    constexpr = Any  # to type checkers a constant is what it is in the kernel: an int, a string, a tuple, ...
else:

    class constexpr:  # noqa: N801 (used as a word of the language)
        """Annotation of parameters that are constants: `def kernel(A, B, BM: xt.constexpr = 256)`.

        A kernel is compiled again for each combination of their values, which may be anything hashable.

        Example:
            @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: (xt.cdiv(X.shape[0], N),))
            def example(X, Y, N: xt.constexpr = 64):
                x = xt.load_tile(xt.init_tile(X, xt.program_id(0) * N, (N,)))
                xt.store_tile(x + N, xt.init_tile(Y, xt.program_id(0) * N, (N,)))

            print(example(np.zeros(3, np.float32)), example(np.zeros(3, np.float32), N=16))

        Prints:
            [64. 64. 64.] [16. 16. 16.]
        """

        def __new__(cls, *given: Any) -> Any:
            if given:
                raise _annotation("xt.constexpr(...)")
            return object.__new__(cls)

        def __class_getitem__(cls, _: Any) -> Any:
            raise _annotation("xt.constexpr[...]")


def _annotation(seen: str) -> Exception:
    from xetile.errors import CompileError

    return CompileError(f"xt.constexpr is an annotation, not {seen}", hint="def kernel(A, N: xt.constexpr = 8)")


def is_constexpr(annotation: Any) -> bool:
    """Whether a parameter's annotation (an object, or its text under `from __future__ import annotations`) says constexpr."""
    if isinstance(annotation, str):
        return annotation.strip().rpartition(".")[2] == "constexpr"
    return annotation is constexpr or type(annotation) is constexpr


class static_range:  # noqa: N801 (used as a word of the language)
    """`for i in xt.static_range(4)` repeats the body while compiling, with `i` a constant: as `range`, bounds are constants.

    Raises ConstexprError for bounds that are known at run time only, CompileError for floats.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=(1,))
        def example(X, Y, DEGREE: xt.constexpr = 3):
            x = xt.load_tile(xt.init_tile(X, 0, (4,)))
            y = xt.zeros((4,))
            for _ in xt.static_range(DEGREE):           # y = x + x**2 + x**3, with no loop left
                y = (y + 1) * x
            xt.store_tile(y, xt.init_tile(Y, 0, (4,)))

        print(example(np.float32([0, 1, 2, 3])))

    Prints:
        [ 0.  3. 14. 39.]
    """

    def __init__(self, *bounds: int) -> None:
        if not all(isinstance(b, int) for b in bounds):
            from xetile.errors import CompileError, ConstexprError

            wrong = next(b for b in bounds if not isinstance(b, int))
            if isinstance(wrong, float):
                raise CompileError(f"static_range takes whole numbers, not {wrong!r}", hint="divide with //")
            raise ConstexprError("static_range takes constants", hint="a loop with run-time bounds is written with range")
        self.range = range(*bounds)

    def __iter__(self) -> Iterator[int]:
        return iter(self.range)

    def __len__(self) -> int:
        return len(self.range)
