"""Chat exports: one document for each conversation, read one after the other from files of any size."""
