"""What a library keeps and how it is filtered; SQLite is the truth, what is searched is derived from it."""
