"""Commands about machines: describe, measure, refine and validate them."""
