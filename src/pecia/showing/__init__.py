"""A document as one HTML page: pictures of its pages, numbered blocks, chunks in colour, the text beside."""
