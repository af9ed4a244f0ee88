"""Classes of values, or other things, that belong together: they are united two by two."""

from __future__ import annotations

from typing import Generic, TypeVar

Member = TypeVar("Member")


class Classes(Generic[Member]):
    """What has not been united with anything is a class of its own."""

    def __init__(self) -> None:
        self._parent: dict[Member, Member] = {}

    def root(self, member: Member) -> Member:
        """The member that stands for a class."""
        parent = self._parent
        if member not in parent:
            return member
        root = parent[member]
        while root in parent:
            root = parent[root]
        while parent[member] is not root:  # the next walk is short: chains of ops unite thousands
            above = parent[member]
            parent[member] = root
            member = above
        return root

    def unite(self, one: Member, other: Member) -> None:
        """Make one class of two; the first one's root stands for it."""
        one, other = self.root(one), self.root(other)
        if one is not other:
            self._parent[other] = one
