"""One module a kind of finding."""
