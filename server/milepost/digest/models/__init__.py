"""What a model is to the rest, and the adapters to SDKs: the only modules that import one."""
