"""Calls that operations stand for: single ones, those made of several, and the requests of what is in flight."""
