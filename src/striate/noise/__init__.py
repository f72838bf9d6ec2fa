"""A shared machine: how much the time of the same job differs from day to day, learnt from repeated runs."""
