"""Forecasts against observed runs: one comparison, or a whole validation."""
