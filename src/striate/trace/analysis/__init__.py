"""What follows from a trace: spans, phases, totals, the critical path, tables and tracks."""
