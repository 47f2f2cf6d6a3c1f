"""Bytes to documents, each parser in a child process with limits."""
