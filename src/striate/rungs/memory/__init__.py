"""What does not fit: messages into the memory of the simulated nodes, a run into the memory of this computer."""
