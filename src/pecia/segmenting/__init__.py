"""Structure that several strategies read from a document."""
