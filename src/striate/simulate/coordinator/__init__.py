"""Runs the ranks one at a time, moves their data, and writes down what they ask of the machine."""
