"""A cluster as a person describes it: tables and keys, their units, checks, and the TOML written back."""
