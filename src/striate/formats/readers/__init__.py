"""Traces from other tools: one format, one file."""
