"""Texts to vectors, behind `pecia.protocols.Embedder`."""
