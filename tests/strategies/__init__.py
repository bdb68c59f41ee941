"""Generators of kernels, and CPython as the judge of what they mean; shared by the property tests and by the campaign of the prover."""
