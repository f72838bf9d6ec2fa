"""Traces for other tools: one format, one file."""
