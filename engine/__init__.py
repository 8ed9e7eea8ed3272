"""What happens at a card table, what is wrong with it, and what the rules require."""
