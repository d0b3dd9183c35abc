"""Source code: its languages, their line heads, and the exact symbols by tree-sitter in a process of its own."""
