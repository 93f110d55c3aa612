"""Benches: what people get, measured against a real server process."""
