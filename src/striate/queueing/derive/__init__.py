"""Models derived from what a program asks for or from traces of its runs."""
