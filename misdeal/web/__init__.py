"""The page that the controller serves, and the interface for machines beside it."""
