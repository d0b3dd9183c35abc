"""Dumps of threads and records of garbage collections: what their lines mean."""
