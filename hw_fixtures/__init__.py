"""Stand-ins for hardware: they speak the real protocols and misbehave by seed."""
