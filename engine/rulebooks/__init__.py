"""The rule books that come with the program: data, one clause a table."""
