"""Measurements: ``python -m misdeal.bench`` prints one table of what this machine does."""
