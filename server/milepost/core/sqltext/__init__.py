"""The text of SQL dumps: what lies in strings and comments, where statements end, what they are, and the rows they add."""
