"""The reader's side of every family's wire, with encoders and decoders of its own."""
