"""Files of fixed places for records that many ranks write, and who writes them when (thesis 003, chapters 4 to 6)."""
