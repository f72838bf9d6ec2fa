"""AI training: what data loading and checkpoints ask of storage, and how long accelerators wait for it."""
