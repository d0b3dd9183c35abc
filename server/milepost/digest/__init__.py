"""Summaries and answers, chunk by chunk: with a model behind an endpoint, or with none by extraction.

A walk (`walk.py`) takes the chunks of a plan in order. Of each it makes a `ChunkText`, which a `Digester` turns into a
`ChunkDigest`: the extractive one (`extractive/`, `answers/`) by computation, the one with a model (`labelling/`) from a
condensed view (`condense/`) and the model's reply. What is found goes into a `State` of bounded size, which is all that is
carried on, and all that a cursor holds.
"""
