"""Commands about runs: record, read, show, compare them, and say what to change."""
