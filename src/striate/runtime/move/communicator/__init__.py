"""What ranks do together: collective operations, memory of a node, shared failure, background work."""
