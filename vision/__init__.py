"""Between pictures and the events of the engine."""
