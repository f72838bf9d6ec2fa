"""What must hold of a workload before it can run: operands, messages that match, collectives in one order."""
