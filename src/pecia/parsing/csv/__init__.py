"""Tables as text: CSV, TSV and their relatives. The text of the document is the file itself; rows and cells are spans of it."""
