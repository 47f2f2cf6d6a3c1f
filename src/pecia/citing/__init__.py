"""From a chunk to the citation that proves it."""
