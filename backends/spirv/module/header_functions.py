"""The names of IGC's functions for headers of block messages, which loops call that prefetch."""

from __future__ import annotations

PREFIX = "__builtin_IB_subgroup_"
CREATE, SET = PREFIX + "createBlock2DAddressPayload", PREFIX + "setBlock2DAddressPayloadBlock{}"
PREFETCH = PREFIX + "block_read_ap_prefetch_u{}_m{}k{}v{}"
