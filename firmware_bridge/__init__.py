"""Between the bytes of card readers and the events of the engine."""
