"""Delimited tables: how one is written, where its records lie, and what its columns hold."""
