"""Names from files and logs, made safe for a terminal."""


def printable(text: str) -> str:
    """The text with every control character but the newline spelt out, as in a Python string."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )
