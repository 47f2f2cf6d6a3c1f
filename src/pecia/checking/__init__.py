"""Checks with codes: the laws for every strategy, and the engine that runs them."""
