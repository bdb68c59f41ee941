"""Generators of kernels, CPython as the judge of what they mean, g++ as the builder of what is emitted."""
