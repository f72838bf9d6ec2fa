"""Plug-ins to begin with, one per kind: `striate plugin new KIND` writes a copy."""
