"""Shared compiled tricks, the compiled protocol, and the kernel cache. Importing this imports Numba."""
