"""Commands that say how long a program takes: forecasts, simulated runs, queueing models, sizes of systems."""
