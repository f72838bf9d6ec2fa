"""Distributions of a file over servers, one file each; `parse` knows how each is spelt."""
