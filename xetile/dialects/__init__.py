"""The dialects: declarations of ops and types under MLIR's names, one file each; what they do is said by passes and backends."""
