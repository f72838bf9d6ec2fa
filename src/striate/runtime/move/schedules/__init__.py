"""Schedules: which record goes where, who wins, and what a change of some entries asks for."""
