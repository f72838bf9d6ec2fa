"""`python -m striate`: the command line, for launchers that take a module."""

from striate.command import main

if __name__ == "__main__":
    main()
