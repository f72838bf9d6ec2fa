"""Tables of measured rates: what they say about a machine, and what other settings would bring."""
