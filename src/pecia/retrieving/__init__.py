"""Ranking of chunks for a query: BM25 over the index of a library, or in memory without one."""
