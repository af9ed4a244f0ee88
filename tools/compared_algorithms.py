"""The same as in `tools/compared_types.py`, of kernels whose rounds and places depend on what they read, and of sums beside products."""

from __future__ import annotations

# file: (kernel, types of its parameters, constants such as "BM=128").
ALGORITHMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "tests/kernels/plain_irregular.py": (
        ("by_mode", "f32[?,?] i32[?] f32[?,?] i32[?,?] f32[?,?]", ""),
        ("walk", "i32[?,?] i32[?,?] i32[?]", ""),
        ("products_by_flag", "f16[?,?] f16[?,?] f32[?,?] i32", ""),
        ("running_moments", "f32[?,?] f32[?] f32[?]", ""),
        ("searched", "f32[?] f32[?] i32[?]", ""),
        ("odd_even", "i16[?,?] i16[?,?]", ""),
        ("by_ranks", "i8[?] i8[?]", ""),
        ("rippled", "i32[?,?,?]", ""),
        ("stored_in_parts", "f32[?,?,?] f32[?,?,?]", ""),
        ("found_rows", "i32[?,?] i32[?] i32[?,?] i32[?]", ""),
        ("embedding_back", "f32[?,?] i32[?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_sums.py": (
        ("rows_with_zeros", "u8[?,?] i8[?,?] i32[?,?] f32[?,?] f32[?,?] f32[?,?]", ""),
        ("columns_with_zeros", "i8[?,?] u8[?,?] i32[?,?] f32[?,?] f32[?,?]", ""),
        ("columns_with_offsets", "i8[?,?] u8[?,?] f32[?,?] f32[?,?] f32[?,?]", ""),
        ("sums_of_small", "i8[?,?,?] i8[?,?] i32[?,?,?] i32[?,?,?]", ""),
    ),
    "tests/kernels/plain_searches.py": (
        ("smith_waterman", "u8[?,?] u8[?,?] i32[?]", ""),
        ("knapsack", "i32[?] i32[?] i32[?]", ""),
        ("occurrences", "u8[?,?] i32[?,?] i32[?] i32", ""),
        ("beams", "f32[?,?] f32[?,?,?] f32[?,?] i32[?,?] i32[?,?]", ""),
        ("runs", "i32[?] i32[?] i32[?] i32[?]", ""),
        ("accepted", "f32[?,?,?] f32[?,?,?] i32[?,?] f32[?,?] i32[?] f32[?,?]", ""),
        ("boxes_kept", "f32[?,?,?] bool[?,?] f32", ""),
    ),
    "tests/kernels/plain_simulated.py": (
        ("tridiagonal", "f32[?,?] f32[?,?] f32[?,?] f32[?,?] f32[?,?] f32[?,?] f32[?,?]", ""),
        ("eigenvalues", "f32[?,?,?] f32[?,?]", ""),
        ("american", "f32[?] f32[?] f32[?] f32 f32 f32", ""),
        ("spins", "i8[?,?] i8[?,?] f32 i32 u32", ""),
        ("rays", "f32[?,?] f32[?,?] f32[?,?,?] f32[?] i32[?]", ""),
        ("filtered", "f32[?,?] f32[?] f32[?,?]", ""),
        ("lstm", "f32[?,?,?] f32[?,?] f32[?,?] f32[?,?,?] bool", ""),
    ),
    "tests/kernels/plain_algorithms.py": (
        ("viterbi", "f32[?,?,?] f32[?,?] i32[?,?,?] i32[?,?]", ""),
        ("ctc", "f32[?,?,?] i32[?,?] f32[?]", ""),
        ("levenshtein", "u8[?,?] u8[?,?] i32[?]", ""),
        ("cholesky", "f32[?,?,?] f32[?,?,?]", ""),
        ("gram_schmidt", "f32[?,?,?] f32[?,?,?] f32[?,?,?]", ""),
        ("kalman", "f32[?,?] f32[?,?] f32 f32", ""),
        ("wkv", "f32[?,?,?] f32[?,?,?] f32[?] f32[?] f32[?,?,?]", ""),
        ("breadth_first", "u8[?,?] i32[?] i32", ""),
        ("nucleus", "f32[?,?] f32[?] i32[?] f32", ""),
        ("first_largest", "f32[?,?] i32[?,?]", ""),
    ),
}
