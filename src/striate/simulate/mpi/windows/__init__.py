"""Windows of memory: how they are made, reached into, and synchronised."""
