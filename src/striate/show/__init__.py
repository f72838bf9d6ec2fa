"""Pages that open offline: observed and predicted, drawn."""
