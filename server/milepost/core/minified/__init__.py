"""Minified and bundled scripts and style sheets: their brackets, statements and modules inside lines without end."""
