"""What crosses into the native core and back: programs, machines and answers as columns."""
