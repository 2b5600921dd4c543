"""How large the works are that show how cost grows: elements, and nodes of a graph."""

SIZES = [1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000, 16_000_000, 64_000_000]
NODES = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
