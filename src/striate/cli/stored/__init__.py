"""Commands about what is stored: datasets and results."""
