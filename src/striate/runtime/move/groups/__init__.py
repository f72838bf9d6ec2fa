"""Variables of a group: moved together, committed in one step."""
