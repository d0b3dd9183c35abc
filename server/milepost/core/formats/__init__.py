"""One module a format: each turns blocks of bytes into sections."""
