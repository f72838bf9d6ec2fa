"""Commands about settings: layouts, search, what to write down, plug-ins."""
