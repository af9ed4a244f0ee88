"""Code such as `xt.load_tile` in any page becomes a link to that name's page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from docs.extensions.names import public_names

_CALL = re.compile(r"(xt(?:\.\w+)+)(?:\(.*\))?$", re.DOTALL)


class LinkNames(SphinxPostTransform):
    """Wrap literal names of the language in references."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Go through the code words of one page."""
        pages = {name.text: f"reference/names/{name.page}" for name in public_names() if name.is_described}
        builder = self.app.builder
        for literal in list(self.document.findall(nodes.literal)):
            found = _CALL.match(literal.astext())
            target = pages.get(found[1]) if found else None
            if target is None or target == self.env.docname or _is_within(literal, (nodes.reference, nodes.title)):
                continue
            reference = nodes.reference("", "", internal=True, refuri=builder.get_relative_uri(self.env.docname, target))
            literal.replace_self(reference)
            reference += literal


def _is_within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def setup(app: Sphinx) -> None:
    """Register the transform."""
    app.add_post_transform(LinkNames)
