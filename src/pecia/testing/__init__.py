"""The proof kit: suites that stores, strategies, parsers and embedders can be run through, and documents to run them on."""
