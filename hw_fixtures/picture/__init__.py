"""What a camera over the simulated table would see."""
