"""One module a command; each has a ``command`` that returns its exit status."""
