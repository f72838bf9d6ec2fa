"""Readers and writers of other tools' traces and logs."""
