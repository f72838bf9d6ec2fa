"""The rungs of the ladder: each forecasts one program on one machine by its own method."""
