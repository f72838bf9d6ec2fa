"""Drawings of machines as SVG, one file per topology."""
