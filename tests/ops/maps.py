"""Maps for tiles of 16x32 that every op meets: chosen by the compiler, with round robin, and with subgroups that share."""

from __future__ import annotations

import xetile as xt

TILE = (16, 32)
MAPS = {
    "inferred": (None, 4),
    "round robin": (xt.wg_map(sg_layout=(2, 2), sg_data=(4, 8)), 4),
    "shared": (xt.wg_map(sg_layout=(4, 2), sg_data=(8, 32)), 8),
}
