"""Vectorised structure of text formats: where brackets, strings and separators lie, found for a whole block at once."""
