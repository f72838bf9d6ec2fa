"""Bars of a timeline: where they stand, which become bundles, and how much of a page they take."""
