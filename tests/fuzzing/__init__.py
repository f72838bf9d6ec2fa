"""Small sound inputs of every format, mutations of them, and commands that read them."""
