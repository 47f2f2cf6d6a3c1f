"""The proof kit: suites that stores, strategies and parsers can be run through, and documents to run them on."""
