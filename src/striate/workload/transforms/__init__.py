"""Program tables made of others: folded, unfolded, merged, rewritten, slowed."""
