"""The names of IGC's functions for headers of block messages, which prefetches of loops call, and stores of several blocks."""

from __future__ import annotations

PREFIX = "__builtin_IB_subgroup_"
CREATE, SET = PREFIX + "createBlock2DAddressPayload", PREFIX + "setBlock2DAddressPayloadBlock{}"
COPY = PREFIX + "copyBlock2DAddressPayload"
PREFETCH = PREFIX + "block_read_ap_prefetch_u{}_m{}k{}v{}"
WRITE = PREFIX + "block_write_ap_u{}_m{}k{}v1"
