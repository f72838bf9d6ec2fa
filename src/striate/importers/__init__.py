"""Programs as other tools describe them: command lines and configurations become workloads, or are refused by name."""
