"""The language server: the only importer of pygls and lsprotocol."""
