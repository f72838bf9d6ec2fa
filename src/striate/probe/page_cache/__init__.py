"""The page cache of one node: what it keeps of written data, and how fast processes copy into it and out of it."""
