"""Rules: each looks at the facts for one kind of trouble."""
