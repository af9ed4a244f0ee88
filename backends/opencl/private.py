"""Memory that a CPU's threads need for the tiles of a program.

Intel's CPU runtime maps it when a launch begins. Where that fails it runs nothing, and the launch's event says that all went well.
"""

from __future__ import annotations

import mmap

import pyopencl as cl

from xetile.errors import ResourceError

from .driver import Session

LARGE = 64 << 20
"""Bytes of a program from which on they are looked for; what is less was always there."""
BESIDE = 64 << 20
"""What the driver maps beside them."""


def bytes_of(session: Session, kernel: cl.Kernel) -> int:
    """What one program of a kernel needs."""
    return int(kernel.get_work_group_info(cl.kernel_work_group_info.PRIVATE_MEM_SIZE, session.device))


class Private:
    """What the programs of a kernel need, in bytes; 0 where it is little, or not on a CPU."""

    def __init__(self, session: Session, name: str, kernel: cl.Kernel) -> None:
        self._name = name
        self._threads = max(session.info.compute_units, 1)
        self._mapped = 0  # for so many programs at a time: the driver keeps it
        self.bytes = 0
        if session.info.kind == "cpu":
            size = bytes_of(session, kernel)
            self.bytes = size if size >= LARGE else 0

    def check(self, programs: int) -> None:
        """Raises ResourceError where the process cannot map it for as many as run at a time."""
        count = min(programs, self._threads)
        if not self.bytes or count <= self._mapped:
            return
        # Measured: the driver failed where the size could be mapped, but not 1.25 times it.
        whole = self.bytes * count * 5 // 4 + BESIDE
        try:
            mmap.mmap(-1, whole).close()
        except (OSError, OverflowError) as error:
            raise ResourceError(
                f"the tiles of kernel {self._name} take {self.bytes >> 20} MiB for each program, and {count} may run at a time: "
                "the process cannot have so much memory",
                hint="use smaller tiles, and a loop over them",
            ) from error
        self._mapped = count
