"""YAML: the text of the document is the file itself; entities are spans of it."""
