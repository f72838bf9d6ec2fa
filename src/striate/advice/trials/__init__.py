"""Trials: changes made to a traced program, and simulated on a cluster that was named."""
