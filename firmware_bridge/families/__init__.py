"""One module a reader family: frames, commands and answers; pure."""
