"""Path and bytes in, values out: knows nothing of editors or models."""
